// Where server-sent events begin and end in bytes. What they say is for `sse.ts`. Line ends may be LF, CRLF or CR, mixed.

const LF = 0x0a
const CR = 0x0d

/**
 * The place behind the blank line that ends the event at `from`, or -1 when more bytes are needed.
 * Blank lines before the event belong to it.
 */
export function eventEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from
  while (at < to && isLineEnd(bytes[at])) at++
  for (;;) {
    while (at < to && !isLineEnd(bytes[at])) at++
    const next = lineEnd(bytes, at, to)
    if (next < 0 || next >= to) return -1
    if (isLineEnd(bytes[next])) {
      const end = lineEnd(bytes, next, to)
      // With CRLF a carriage return at the edge is half a line end: the event would leave its line feed behind.
      return end > 0 && end === to && bytes[end - 1] === CR && bytes[next - 1] === LF ? -1 : end
    }
    at = next
  }
}

const isLineEnd = (byte: number | undefined): boolean => byte === LF || byte === CR

/** Behind the line end at `at`; -1 when there is none. */
function lineEnd(bytes: Uint8Array, at: number, to: number): number {
  if (at >= to) return -1
  return bytes[at] === CR && at + 1 < to && bytes[at + 1] === LF ? at + 2 : at + 1
}

/** As many bytes from before matter to whether an event ends: half a line end, a line end, and what it ends. */
export const EDGE_BYTES = 4

/** Whether an event ends in this chunk, when none did before it. `tail`: the last bytes before it. */
export function endsEvent(tail: Uint8Array, chunk: Uint8Array): boolean {
  const edge = Uint8Array.of(...tail, ...chunk.subarray(0, EDGE_BYTES))
  // Begin within the last line before: line ends behind it may be the first half of a blank line.
  let from = tail.length
  while (from > 0 && isLineEnd(edge[from - 1])) from--
  if (from > 0) from--
  return eventEnd(edge, from, edge.length) >= 0 || eventEnd(chunk, 0, chunk.length) >= 0
}

/** Where the value of the `data:` line at `at` begins; a place without meaning when there is no such line. */
export function dataStart(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== 0x64 || bytes[at + 1] !== 0x61 || bytes[at + 2] !== 0x74) return at
  if (bytes[at + 3] !== 0x61 || bytes[at + 4] !== 0x3a) return at
  return bytes[at + 5] === 0x20 ? at + 6 : at + 5
}

/** Behind the line end at `at` and the blank line after it, or 0 when they are not there or need a closer look. */
export function blankLineEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at] === LF) return bytes[at + 1] === LF ? at + 2 : 0
  if (bytes[at] !== CR || bytes[at + 1] !== LF) return 0
  return bytes[at + 2] === CR && bytes[at + 3] === LF ? at + 4 : 0
}
