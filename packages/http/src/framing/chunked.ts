// Decodes chunked bodies.
import { viewOrCopy } from './buffers.ts'

/** Limit of a chunk extension, including the whitespace before it. Extensions are rare and ignored. */
const MAX_EXTENSION_BYTES = 256
/** Limit of everything after the last chunk. */
const MAX_TRAILER_BYTES = 16 * 1024
/** Larger sizes do not fit into an exact number. */
const MAX_DIGITS = 13

/** Framing allowed for a body: enough for trailers, and for chunks of 64 bytes on average. */
const framingFor = (bytes: number): number => MAX_TRAILER_BYTES + bytes / 8

/** The most bytes that a body within a limit may have as sent. Without it, framing would cost CPU without counting. */
export const maxEncodedBytes = (limitBytes: number): number => limitBytes + framingFor(limitBytes)

const CR = 0x0d
const LF = 0x0a
const SEMICOLON = 0x3b

type State =
  | 'size'
  | 'whitespace'
  | 'extension'
  | 'size-end'
  | 'data'
  | 'data-cr'
  | 'data-lf'
  | 'trailer'
  | 'trailer-end'

export class ChunkedDecoder {
  /** Whether the body is complete. */
  done = false
  /** How many of the bytes pushed last belonged to the body. */
  used = 0
  #state: State = 'size'
  #size = 0
  #digits = 0
  #lineBytes = 0
  /** Bytes of the current trailer line. */
  #trailerBytes = 0

  /**
   * The decoded part of `bytes`, compacted in place: small chunks that arrived in one read leave as one piece. The result
   * does not keep much more than itself in memory, even if most of the read was framing.
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
      case 'whitespace':
        this.#count(byte, MAX_EXTENSION_BYTES)
        this.#readSizeEnd(byte)
        break
      case 'extension':
        if (byte === CR) this.#state = 'size-end'
        else this.#count(byte, MAX_EXTENSION_BYTES)
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
        this.#count(byte, MAX_TRAILER_BYTES)
        if (byte === CR) this.#state = 'trailer-end'
        else this.#trailerBytes++
        break
      default:
        this.#must(byte === LF)
        this.done = this.#trailerBytes === 0
        this.#state = 'trailer'
        this.#trailerBytes = 0
    }
  }

  #readSize(byte: number): void {
    const digit = digitOf(byte)
    if (digit !== -1) {
      this.#size = this.#size * 16 + digit
      this.#must(++this.#digits <= MAX_DIGITS)
      return
    }
    this.#must(this.#digits > 0)
    this.#readSizeEnd(byte)
  }

  /** Digits after whitespace are rejected: some parsers read `1 0` as one, others as sixteen. */
  #readSizeEnd(byte: number): void {
    if (byte === CR) this.#state = 'size-end'
    else if (byte === SEMICOLON) this.#state = 'extension'
    else {
      this.#must(byte === 0x20 || byte === 0x09)
      this.#state = 'whitespace'
    }
  }

  /** A bare line feed within a line is rejected: it ends the line for other parsers. */
  #count(byte: number, max: number): void {
    this.#must(byte !== LF && ++this.#lineBytes <= max)
  }

  #must(holds: boolean): void {
    if (!holds) throw new Malformed('The chunked framing of a body is invalid.')
  }
}

function digitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lowercase = byte | 0x20
  return lowercase >= 0x61 && lowercase <= 0x66 ? lowercase - 0x57 : -1
}

/** The bytes are not HTTP, or can be parsed in more than one way. */
export class Malformed extends Error {
  readonly code = 'MalformedReply'
}
