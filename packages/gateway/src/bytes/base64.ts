// Base64 in pieces of any length: an image is never in memory as a whole in both forms.

import type { Pieces } from '@trivium/protocol/framing/splice.ts'

/** Characters that are decoded at once; a multiple of four. */
const BLOCK = 256 * 1024

/** The decoded bytes. White space in the text is skipped. */
export function* decodeBase64(pieces: Pieces): Generator<Uint8Array> {
  let rest = ''
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += BLOCK) {
      const text = rest + latin1(piece.subarray(at, at + BLOCK)).replace(/\s+/g, '')
      const whole = text.length - (text.length % 4)
      rest = text.slice(whole)
      if (whole > 0) yield Buffer.from(text.slice(0, whole), 'base64')
    }
  }
  if (rest !== '') yield Buffer.from(rest, 'base64')
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')

/** As bytes of ASCII. */
export async function* encodeBase64(
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array(0)
  for await (const piece of source) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    const whole = bytes.length - (bytes.length % 3)
    rest = new Uint8Array(bytes.subarray(whole))
    if (whole > 0) yield encoded(bytes.subarray(0, whole))
  }
  if (rest.length > 0) yield encoded(rest)
}

const encoded = (bytes: Uint8Array): Uint8Array =>
  Buffer.from(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'), 'latin1')
