// A body in chunks, taken out of them.
import { Malformed } from './malformed.ts'
import { viewOrCopy } from './view-or-copy.ts'

/** Of a chunk's extension, with the blanks before it. Hardly anybody sends one, and nobody reads it. */
const MOST_EXTENSION_BYTES = 256
/** Of all that follows the last chunk. */
const MOST_TRAILER_BYTES = 16 * 1024
/** Larger sizes are not exact. */
const MOST_DIGITS = 13

/** Framing that a body may have beside its own bytes: enough for trailers, and for chunks of 64 bytes on average. */
const framingFor = (bytes: number): number => MOST_TRAILER_BYTES + bytes / 8

/** How many bytes a body within a limit may have as it was sent. Framing costs work and time, too, and must not be free. */
export const maxEncodedBytes = (limitBytes: number): number => limitBytes + framingFor(limitBytes)

const CR = 0x0d
const LF = 0x0a
const SEMICOLON = 0x3b

type State = 'size' | 'blank' | 'extension' | 'size-end' | 'data' | 'data-cr' | 'data-lf' | 'trailer' | 'trailer-end'

export class ChunkedDecoder {
  /** The body is over. */
  done = false
  /** How many of the bytes pushed last belonged to it. */
  used = 0
  #state: State = 'size'
  #size = 0
  #digits = 0
  #lineBytes = 0
  /** Since the last line end. */
  #trailerBytes = 0

  /**
   * What `bytes` have of the body, moved together within them: many small chunks that came in one read leave as one piece.
   * That piece does not keep much more than itself in memory, however much of the read was framing.
   */
  push(bytes: Buffer): Buffer {
    const { length } = bytes
    let at = 0
    let from = 0
    let to = 0
    while (at < length && !this.done) {
      if (this.#state !== 'data') {
        this.#step(bytes[at++] ?? 0)
        continue
      }
      const taken = Math.min(this.#size, length - at)
      if (to === 0) {
        from = at
        to = at
      } else if (to !== at) bytes.copyWithin(to, at, at + taken)
      to += taken
      at += taken
      this.#size -= taken
      if (this.#size === 0) this.#state = 'data-cr'
    }
    this.used = at
    return viewOrCopy(bytes, from, to)
  }

  #step(byte: number): void {
    switch (this.#state) {
      case 'size':
        this.#readSize(byte)
        break
      case 'blank':
        this.#count(byte, MOST_EXTENSION_BYTES)
        this.#readSizeEnd(byte)
        break
      case 'extension':
        if (byte === CR) this.#state = 'size-end'
        else this.#count(byte, MOST_EXTENSION_BYTES)
        break
      case 'size-end':
        this.#must(byte === LF)
        this.#state = this.#size === 0 ? 'trailer' : 'data'
        this.#lineBytes = 0
        break
      case 'data-cr':
        this.#must(byte === CR)
        this.#state = 'data-lf'
        break
      case 'data-lf':
        this.#must(byte === LF)
        this.#state = 'size'
        this.#digits = 0
        break
      case 'trailer':
        this.#count(byte, MOST_TRAILER_BYTES)
        if (byte === CR) this.#state = 'trailer-end'
        else this.#trailerBytes++
        break
      default:
        this.#must(byte === LF)
        // An empty line.
        this.done = this.#trailerBytes === 0
        this.#state = 'trailer'
        this.#trailerBytes = 0
    }
  }

  #readSize(byte: number): void {
    const digit = digitOf(byte)
    if (digit !== -1) {
      this.#size = this.#size * 16 + digit
      this.#must(++this.#digits <= MOST_DIGITS)
      return
    }
    this.#must(this.#digits > 0)
    this.#readSizeEnd(byte)
  }

  /** Behind a blank there are no more digits: `1 0` is one to some readers and sixteen to others. */
  #readSizeEnd(byte: number): void {
    if (byte === CR) this.#state = 'size-end'
    else if (byte === SEMICOLON) this.#state = 'extension'
    else {
      this.#must(byte === 0x20 || byte === 0x09)
      this.#state = 'blank'
    }
  }

  /** Within a line, where a bare line feed would end it for other readers. */
  #count(byte: number, most: number): void {
    this.#must(byte !== LF && ++this.#lineBytes <= most)
  }

  #must(holds: boolean): void {
    if (!holds) throw new Malformed('A body has a chunk that is none.')
  }
}

function digitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const small = byte | 0x20
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : -1
}
