// Collects the head of a request, which usually arrives in one piece.
import { GrowingBuffer } from '../../framing/buffers.ts'
import { headEnd } from '../../framing/head-end.ts'
import type { HeadBytes } from '../../framing/header-lines.ts'
import { RejectedHead } from './request-head.ts'

export const MAX_HEAD_BYTES = 64 * 1024
/** The end of the last header line and the empty line after it. */
export const HEAD_END = '\r\n\r\n'
export const CR = 0x0d
export const LF = 0x0a
const FIRST_CHARACTER = /[\r\w!#$%&'*+.^`|~-]/

export class IncomingHead {
  /** The start of an incomplete head. */
  #partial: GrowingBuffer | undefined

  /** Whether some of a head has arrived: more than a CR, which may belong to a line end between two requests. */
  get hasBegun(): boolean {
    return this.#partial !== undefined && (this.#partial.length > 1 || this.#partial.first !== CR)
  }

  /** Gives a complete head with the bytes after it; undefined: more has to arrive. */
  take(bytes: Buffer): HeadBytes | undefined {
    const before = this.#partial?.length ?? 0
    const whole = this.#partial ? this.#partial.append(bytes) : bytes
    // Some clients send a line end after a body.
    const start = whole[0] === CR && whole[1] === LF ? 2 : 0
    const end = headEnd(whole, Math.max(start, before - HEAD_END.length))
    if (end === -1 || end > MAX_HEAD_BYTES) {
      if (whole.length > MAX_HEAD_BYTES) throw new RejectedHead(431)
      if (before === 0) this.#begin(bytes)
      else if (whole.length === start) this.drop()
      return undefined
    }
    this.drop()
    return { bytes: whole, start, end }
  }

  #begin(bytes: Buffer): void {
    // Another protocol, usually TLS: its client would wait for a response that never comes.
    if (!FIRST_CHARACTER.test(String.fromCharCode(bytes[0] ?? 0))) throw new RejectedHead(400)
    if (bytes.toString('latin1') === '\r\n') return
    this.#partial = new GrowingBuffer()
    this.#partial.append(bytes)
  }

  drop(): void {
    this.#partial = undefined
  }
}
