// A font of the web as a font of a system, which a browser takes from its folder of fonts: the same tables, uncompressed.
import { inflateSync } from 'node:zlib'

const HEADER = 44
const ENTRY = 20

/** Takes WOFF 1.0, returns TrueType or OpenType. */
export function fontFromWoff(woff: Buffer): Buffer {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new Error('not a WOFF file')
  const count = woff.readUInt16BE(12)
  const tables = Array.from({ length: count }, (_, index) => {
    const at = HEADER + index * ENTRY
    const [offset, packed, size] = [4, 8, 12].map((field) => woff.readUInt32BE(at + field)) as [number, number, number]
    const bytes = woff.subarray(offset, offset + packed)
    return { head: woff.subarray(at, at + 4), checksum: woff.subarray(at + 16, at + 20), size, bytes }
  })
  const power = Math.floor(Math.log2(count))
  const head = Buffer.alloc(12 + 16 * count)
  woff.copy(head, 0, 4, 8)
  head.writeUInt16BE(count, 4)
  head.writeUInt16BE(16 * 2 ** power, 6)
  head.writeUInt16BE(power, 8)
  head.writeUInt16BE(16 * (count - 2 ** power), 10)
  const parts: Buffer[] = [head]
  let offset = head.length
  for (const [index, { head: tag, checksum, size, bytes }] of tables.entries()) {
    const at = 12 + 16 * index
    tag.copy(head, at)
    checksum.copy(head, at + 4)
    head.writeUInt32BE(offset, at + 8)
    head.writeUInt32BE(size, at + 12)
    const table = bytes.length < size ? inflateSync(bytes) : bytes
    // Tables begin at multiples of four bytes.
    const padding = Buffer.alloc((4 - (size % 4)) % 4)
    parts.push(table, padding)
    offset += size + padding.length
  }
  return Buffer.concat(parts)
}
