import type { Base64 } from '../../../canonical/image.ts'
import { sniffMime } from '../../../canonical/media.ts'
import type { Codec } from '../../../framing/codec.ts'
import { type TakenString, type ThinJson, takenString } from '../../../framing/json/thin-json.ts'

/** The base64 text behind a parsed value of a thin JSON text; undefined when there is none. */
export function base64Of(thin: ThinJson, value: unknown, codec: Codec): Base64 | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  const taken = takenString(thin, value)
  if (taken !== undefined) return withoutDataUrl(taken.hasEscapes ? unescaped(taken, codec) : taken, codec)
  const bytes = codec.encode(value.replace(DATA_URL, ''))
  return bytes.length === 0 ? undefined : { pieces: [bytes], length: bytes.length }
}

const DATA_URL = /^data:[^,]{0,100},/

/** Some JSON writers escape slashes. Only then the text is copied. */
function unescaped({ pieces, length }: TakenString, codec: Codec): Base64 {
  const whole = codec.allocate(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  // Plain escapes are undone in place; any other has no business in base64 and stays, to be found by who decodes it.
  let written = 0
  for (let read = 0; read < length; read++) {
    if (whole[read] === 0x5c && whole[read + 1] === 0x2f) read++
    whole[written++] = whole[read] ?? 0
  }
  return { pieces: [whole.subarray(0, written)], length: written }
}

/** `data:image/png;base64,` before the data, as some services write it. */
function withoutDataUrl({ pieces, length }: Base64, codec: Codec): Base64 {
  const [first, ...rest] = pieces
  if (first === undefined || first[0] !== 0x64) return { pieces, length }
  const prefix = DATA_URL.exec(codec.decode(first, 0, Math.min(first.length, 128)))?.[0].length ?? 0
  return { pieces: [first.subarray(prefix), ...rest], length: length - prefix }
}

/** The media type that the first bytes give away. */
export function sniffBase64({ pieces: [first] }: Base64, codec: Codec): string | undefined {
  return first === undefined ? undefined : sniffMime(codec.decode(first, 0, Math.min(first.length, 24)))
}
