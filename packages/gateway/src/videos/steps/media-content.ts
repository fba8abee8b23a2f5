// What a vendor's URL delivers must be media before it is stored and charged: an error page also has the status 200 at times.

const [LESS_THAN, OPEN_BRACE, OPEN_BRACKET] = [0x3c, 0x7b, 0x5b]
const SPACE = 0x20

/** The URL, or the upstream itself, says for certain that there is no video. */
export class NoVideo extends Error {}

export type Content = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** The same bytes. Throws if there are none, or if they begin as HTML, XML or JSON does. */
export async function* mediaContent(content: Content): AsyncGenerator<Uint8Array> {
  let hasBegun = false
  for await (const piece of content) {
    const first = hasBegun ? undefined : piece.find((byte) => byte > SPACE)
    if (first === LESS_THAN || first === OPEN_BRACE || first === OPEN_BRACKET)
      throw new NoVideo('the URL of the video delivers text')
    hasBegun ||= piece.length > 0
    yield piece
  }
  if (!hasBegun) throw new NoVideo('the URL of the video delivers nothing')
}
