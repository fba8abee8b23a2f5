// The text, comparison and copy functions that the pure protocol package is given: Buffer's native ones, which work on
// any byte array.
import { isUtf8 } from 'node:buffer'
import type { Codec } from '@trivium/protocol/framing/codec.ts'

const { compare, copy, utf8Slice } = Buffer.prototype
const encoder = new TextEncoder()
/** From this size on, memory comes from the system's allocator, in pages. */
const LARGE = 1_024

export const codec: Codec = {
  decode: (bytes, start, end) => utf8Slice.call(bytes, start, end),
  parse: (bytes) => JSON.parse(utf8Slice.call(bytes, 0, bytes.length)),
  isUtf8,
  encode: (text) => encoder.encode(text),
  // Zero-filling would write every page of a large array twice.
  allocate: (length) => (length < LARGE ? new Uint8Array(length) : Buffer.allocUnsafeSlow(length)),
  hasAt: (bytes, part, at) => at + part.length <= bytes.length && compare.call(part, bytes, at, at + part.length) === 0,
  copy: (bytes, start, end, target, at) => void copy.call(bytes, target, at, start, end),
}
