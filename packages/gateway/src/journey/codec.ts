// The text and search functions that the pure protocol package is given: Buffer's native ones.
import type { Codec } from '@trivium/protocol/framing/codec.ts'

export const codec: Codec = {
  decode: (bytes, start, end) => view(bytes).toString('utf8', start, end),
  encode: (text) => Buffer.from(text, 'utf8'),
  indexOf: (haystack, needle, from) => view(haystack).indexOf(needle, from),
}

function view(bytes: Uint8Array): Buffer {
  return bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
