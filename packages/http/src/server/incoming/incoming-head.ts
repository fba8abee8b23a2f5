// The head of a request on its way in, as it comes: usually in one piece.
import { type GrowingBytes, growingBytes } from '@trivium/protocol/framing/growing-bytes.ts'
import { bufferOf, headEnd } from '../../framing/head-end.ts'
import type { HeadBytes } from '../../framing/header-lines.ts'
import { RejectedHead } from './request-head.ts'

const MOST_HEAD_BYTES = 64 * 1024
/** Behind the last line of a head, which ends with half of it. */
export const HEAD_END = '\r\n\r\n'
export const CR = 0x0d
export const LF = 0x0a
const FIRST_LETTER = /[\r\w!#$%&'*+.^`|~-]/

export class IncomingHead {
  /** The beginning of a head that came in bits. */
  #partial: GrowingBytes | undefined

  /** Some of it has come: more than half of the line end that may stand before it. */
  get hasBegun(): boolean {
    const partial = this.#partial
    return partial !== undefined && (partial.length > 1 || partial.peek()[0] !== CR)
  }

  /** A whole head with what came behind it; undefined: there is more to come. */
  take(bytes: Buffer): HeadBytes | undefined {
    const partial = this.#partial
    const before = partial?.length ?? 0
    partial?.append(bytes)
    const whole = partial ? bufferOf(partial.peek()) : bytes
    // Some clients send a line end behind a body, which is none of it.
    const start = whole[0] === CR && whole[1] === LF ? 2 : 0
    const end = headEnd(whole, Math.max(start, before - HEAD_END.length))
    if (end === -1 || end > MOST_HEAD_BYTES) {
      if (whole.length > MOST_HEAD_BYTES) throw new RejectedHead(431)
      if (!partial) this.#begin(bytes)
      else if (whole.length === start) this.drop()
      return undefined
    }
    this.drop()
    return { bytes: whole, start, end }
  }

  #begin(bytes: Buffer): void {
    // Another protocol, TLS more often than not: what it waits for will not come, and it must not wait in vain.
    if (!FIRST_LETTER.test(String.fromCharCode(bytes[0] ?? 0))) throw new RejectedHead(400)
    if (bytes.toString('latin1') === '\r\n') return
    this.#partial = growingBytes()
    this.#partial.append(bytes)
  }

  drop(): void {
    this.#partial = undefined
  }
}
