// The unstreamed response: all images are made, settled, then sent. The base64 text of an image is sent in the pieces that
// it was received in.

import type { HttpResponse, Sink, StreamedBody } from '@trivium/http/response.ts'
import type { ReplyImage } from '@trivium/protocol/canonical/image.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import { freeMemory } from '../bytes/free-memory.ts'
import type { UnsentResponses } from '../overload/unsent-responses.ts'
import { type CallDependencies, showWarnings } from './call.ts'
import type { ImageEncoding } from './endpoints/endpoint.ts'
import { generate } from './generate.ts'
import type { ImageCall } from './image-call.ts'
import { type PresentDependencies, present } from './present.ts'
import { settle, warnIfPartial } from './settle.ts'

export type RespondDependencies = CallDependencies &
  PresentDependencies & { clock(): number; unsentResponses: UnsentResponses }

export async function respondJson(
  imageCall: ImageCall,
  encoding: Pick<ImageEncoding, 'reply'>,
  deps: RespondDependencies,
): Promise<HttpResponse> {
  const images: ReplyImage[] = []
  let usageJson: Pieces | undefined
  const frame = await generate(
    imageCall,
    async (event) => {
      if (event.type === 'partial') return
      images.push(await present(event.image, imageCall, deps))
      usageJson ??= event.usageJson
    },
    deps,
  )
  const { headers, usage } = imageCall
  warnIfPartial(imageCall)
  showWarnings(imageCall)
  headers.set('content-type', 'application/json')
  // Of several calls to upstreams the usage is the sum, which none of them has written.
  const isOneCall = imageCall.calls === 1 && usageJson !== undefined
  const body = encoding.reply({
    images,
    details: frame?.details ?? {},
    unknown: frame?.unknown ?? [],
    usage,
    ...(frame?.created === undefined ? {} : { created: frame.created }),
    ...(isOneCall && usageJson ? { usageJson } : {}),
  })
  await settle(imageCall, body, deps)
  return { status: 200, headers, body: unsentBody(body, imageCall.caller.account, deps.unsentResponses) }
}

/** Refers to nothing but what is unsent: a slow client keeps neither the request nor what it has read in memory. */
function unsentBody(body: Pieces, account: bigint, { open }: UnsentResponses): StreamedBody {
  const pieces = [...body]
  return {
    async run(sink) {
      const unsent = open(account, () => sink.abort?.())
      try {
        return await writeAll(pieces, sink, unsent.weigh)
      } finally {
        unsent.end()
        pieces.length = 0
        freeMemory()
      }
    },
  }
}

/** Takes the pieces out of the list. The last one leaves with the end of the response. `waiting` gets what is unsent. */
async function writeAll(pieces: Uint8Array[], sink: Sink, waiting: (bytes: number) => void): Promise<Uint8Array> {
  let left = pieces.reduce((sum, { length }) => sum + length, 0)
  for (let piece = pieces.shift(); piece; piece = pieces.shift()) {
    if (pieces.length === 0) return piece
    const blocked = sink.write(piece)
    if (blocked) {
      waiting(left)
      await blocked
    }
    left -= piece.length
  }
  return new Uint8Array(0)
}
