// The header of a file in a tar archive (POSIX ustar; sizes beyond 8 GiB as GNU tar writes them).

export const BLOCK = 512
const SIZE_AT = 124
const SUM_AT = 148
const MOST_OCTAL = 8 ** 11

export type Header = { name: string; size: number }

export function encodeHeader({ name, size }: Header, seconds: number): Uint8Array {
  const block = Buffer.alloc(BLOCK)
  if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for the archive`)
  block.write(name, 0)
  const octal = (at: number, value: number, digits: number) =>
    block.write(`${value.toString(8).padStart(digits, '0')}\0`, at)
  octal(100, 0o600, 7)
  octal(108, 0, 7)
  octal(116, 0, 7)
  if (size < MOST_OCTAL) octal(SIZE_AT, size, 11)
  else {
    block[SIZE_AT] = 0x80
    block.writeBigUInt64BE(BigInt(size), SIZE_AT + 4)
  }
  octal(136, seconds, 11)
  block.write('0', 156)
  block.write('ustar\x0000', 257)
  block.write(`${sumOf(block).toString(8).padStart(6, '0')}\0 `, SUM_AT)
  return block
}

/** undefined: the end of the archive. Throws if it is not a header. */
export function decodeHeader(bytes: Uint8Array): Header | undefined {
  const block = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (block.every((byte) => byte === 0)) return undefined
  const sum = Number.parseInt(block.toString('latin1', SUM_AT, SUM_AT + 7), 8)
  if (sum !== sumOf(block) || block.toString('latin1', 257, 262) !== 'ustar') throw new Error('a header is damaged')
  const name = block.toString('utf8', 0, block.indexOf(0))
  const size =
    block[SIZE_AT] === 0x80
      ? Number(block.readBigUInt64BE(SIZE_AT + 4))
      : Number.parseInt(block.toString('latin1', SIZE_AT, SIZE_AT + 11), 8)
  return { name, size }
}

/** Adds up all bytes, those of the sum itself counted as spaces. */
function sumOf(block: Uint8Array): number {
  let sum = 0
  for (const [at, byte] of block.entries()) sum += at >= SUM_AT && at < SUM_AT + 8 ? 0x20 : byte
  return sum
}

/** What follows a content, so that the next header begins at a block. */
export const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK
