// Finds delimiters in what has arrived of a multipart body. Lines that only begin like a delimiter are data: a hostile body may
// have millions of them, so they are passed over by native searches, and never become writes of their own.
import { malformed } from './multipart-error.ts'

const [CR, LF, DASH, SPACE, TAB] = [13, 10, 45, 32, 9]
/** Padding that a delimiter may have at its end. */
const MAX_PADDING = 64
/** Padded lines that are data are looked at one by one. No file has so many with a boundary that was chosen for it. */
const MOST_PADDED = 1_000

export type WholeDelimiter = { kind: 'part' | 'end'; end: number }
export type Delimiter = WholeDelimiter | 'data' | 'incomplete'

export class DelimiterSearch {
  readonly #delimiter: Buffer
  /** A delimiter that is all there begins with one of these. */
  readonly #beginnings: readonly Buffer[]
  #padded = 0

  constructor(delimiter: Buffer) {
    this.#delimiter = delimiter
    this.#beginnings = ['\r\n', '--\r\n', ' ', '\t', '-- ', '--\t'].map((end) =>
      Buffer.concat([delimiter, Buffer.from(end)]),
    )
  }

  /** Where the next delimiter is, or what may become one; -1: nowhere. Throws MultipartError. */
  find(buffer: Buffer): [at: number, found: WholeDelimiter | 'incomplete'] {
    const { length } = this.#delimiter
    const first = buffer.indexOf(this.#delimiter)
    if (first === -1) return [-1, 'incomplete']
    const found = delimiterAt(buffer, first + length, false)
    return found === 'data' ? this.#findAfter(buffer, first + length) : [first, found]
  }

  /** Behind a line that was data. Each of the beginnings is searched for once over the whole buffer. */
  #findAfter(buffer: Buffer, start: number): [at: number, found: WholeDelimiter | 'incomplete'] {
    const places = this.#beginnings.map((beginning) => buffer.indexOf(beginning, start))
    for (;;) {
      const at = leastOf(places)
      if (at === -1) return this.#findIncomplete(buffer, start)
      const found = delimiterAt(buffer, at + this.#delimiter.length, false)
      if (found !== 'data') return [at, found]
      if (++this.#padded > MOST_PADDED) throw malformed('The boundary stands in the content of the parts too often.')
      for (const [index, beginning] of this.#beginnings.entries())
        if (places[index] === at) places[index] = buffer.indexOf(beginning, at + 1)
    }
  }

  /** At the end of the buffer there may be a delimiter whose last bytes have not arrived. */
  #findIncomplete(buffer: Buffer, start: number): [at: number, found: WholeDelimiter | 'incomplete'] {
    const { length } = this.#delimiter
    let at = buffer.indexOf(this.#delimiter, Math.max(start, buffer.length - length - MAX_PADDING - 3))
    while (at !== -1) {
      const found = delimiterAt(buffer, at + length, false)
      if (found !== 'data') return [at, found]
      at = buffer.indexOf(this.#delimiter, at + length)
    }
    return [-1, 'incomplete']
  }
}

function leastOf(places: readonly number[]): number {
  let least = -1
  for (const at of places) if (at !== -1 && (least === -1 || at < least)) least = at
  return least
}

/**
 * What a boundary at the beginning of a line is, by what follows it on the line. Files may contain lines that only begin
 * like a delimiter: those are data.
 */
export function delimiterAt(buffer: Buffer, from: number, isLast: boolean): Delimiter {
  let at = from
  const isEnd = buffer[at] === DASH
  if (isEnd) {
    if (at + 1 === buffer.length) return 'incomplete'
    if (buffer[at + 1] !== DASH) return 'data'
    at += 2
  }
  const padded = Math.min(buffer.length, at + MAX_PADDING)
  while (at < padded && (buffer[at] === SPACE || buffer[at] === TAB)) at++
  if (at === buffer.length) return isEnd && isLast ? { kind: 'end', end: at } : 'incomplete'
  if (buffer[at] !== CR) return 'data'
  if (at + 1 === buffer.length) return isEnd && isLast ? { kind: 'end', end: at + 1 } : 'incomplete'
  return buffer[at + 1] === LF ? { kind: isEnd ? 'end' : 'part', end: at + 2 } : 'data'
}
