// A codec of what browsers, Node and Bun have in common, for a host that has nothing faster.

import type { Codec } from './codec.ts'

type Decoder = { decode(bytes: Uint8Array): string }
declare const TextDecoder: new (label: string, options: { ignoreBOM: boolean; fatal: boolean }) => Decoder
declare const TextEncoder: new () => { encode(text: string): Uint8Array }

const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { ignoreBOM: true, fatal: false })
const strict = /* @__PURE__ */ new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })
const encoder = /* @__PURE__ */ new TextEncoder()

export const webCodec: Codec = {
  decode: (bytes, start, end) => decoder.decode(bytes.subarray(start, end)),
  parse: (bytes) => JSON.parse(decoder.decode(bytes)),
  isUtf8(bytes) {
    try {
      strict.decode(bytes)
      return true
    } catch {
      return false
    }
  },
  encode: (text) => encoder.encode(text),
  allocate: (length) => new Uint8Array(length),
  hasAt: (bytes, part, at) =>
    at + part.length <= bytes.length && part.every((byte, index) => bytes[at + index] === byte),
  copy: (bytes, start, end, target, at) => target.set(bytes.subarray(start, end), at),
}
