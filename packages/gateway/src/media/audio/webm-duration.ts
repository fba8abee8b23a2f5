// How long a WebM file lasts that does not say it, as browsers record them: by the time of its last block.

const CLUSTER = Buffer.from([0x1f, 0x43, 0xb6, 0x75])
const TIMECODE = 0xe7
const SIMPLE_BLOCK = 0xa3
const BLOCK_GROUP = 0xa0
const BLOCK = 0xa1

const FILE = Buffer.from([0x1a, 0x45, 0xdf, 0xa3])

/** `beginning`: its first four bytes. */
export const isWebm = (beginning: Uint8Array): boolean => FILE.equals(beginning)

/** Browsers begin a cluster every half a minute at least. */
export const TAIL_BYTES = 4 * 1024 * 1024

/** In seconds, if times are in milliseconds, as browsers write them. `tail`: the end of the file. undefined: there is no cluster in it. */
export function webmDuration(tail: Buffer): number | undefined {
  const at = tail.lastIndexOf(CLUSTER)
  const size = at < 0 ? undefined : numberAt(tail, at + CLUSTER.length)
  if (!size) return undefined
  let begin: number | undefined
  let last = 0
  for (let next = size.end; next < tail.length; ) {
    const id = tail[next]
    const length = numberAt(tail, next + 1)
    if (!length) break
    const content = length.end
    if (id === TIMECODE && length.value <= 6) begin = readUint(tail, content, length.value)
    // A group contains its block, which comes next.
    next = id === BLOCK_GROUP ? content : content + length.value
    const track = id === SIMPLE_BLOCK || id === BLOCK ? numberAt(tail, content) : undefined
    if (track && track.end + 2 <= tail.length) last = Math.max(last, tail.readInt16BE(track.end))
  }
  return begin === undefined ? undefined : (begin + last) / 1_000
}

function readUint(bytes: Buffer, at: number, length: number): number | undefined {
  return length > 0 && at + length <= bytes.length ? bytes.readUIntBE(at, length) : undefined
}

/** A number whose first byte says how long it is: by its leading zeros. */
function numberAt(bytes: Buffer, at: number): { value: number; end: number } | undefined {
  const first = bytes[at]
  if (first === undefined || first === 0) return undefined
  const length = Math.clz32(first) - 23
  let value = first & (0xff >> length)
  for (let each = 1; each < length; each++) value = value * 256 + (bytes[at + each] ?? 0)
  return { value, end: at + length }
}
