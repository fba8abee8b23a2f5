const CR = 0x0d
const LF = 0x0a

/** Where the empty line begins that ends a head, or -1. Looks at every fourth byte only: a string to search for costs more. */
export function headEnd(bytes: Uint8Array, from: number): number {
  const { length } = bytes
  for (let at = from + 3; at < length; ) {
    const byte = bytes[at]
    if (byte === LF && bytes[at - 1] === CR && bytes[at - 2] === LF && bytes[at - 3] === CR) return at - 3
    at += byte === LF || byte === CR ? 1 : 4
  }
  return -1
}

/** The same memory, for those who want a Buffer. */
export const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
