import type { Sink } from '../../response.ts'
import { atEndOfTurn } from './end-of-turn.ts'
import type { SocketWriter } from './socket-writer.ts'

export type StreamOptions = {
  /** Status line and headers. */
  lines: string
  /** Without a length, and unless this is set, the body ends with the connection. */
  inChunks: boolean
  length: number | undefined
  /** Resets the connection. */
  cut(): void
}

/** More in one turn is sent at once, so that a client that does not read is noticed before the next one. */
const SMALL_BYTES = 16 * 1024

/** Sends a streamed response. Writes after its end are ignored: the connection may already carry the next response. */
export class StreamedResponse implements Sink {
  readonly #outgoing: SocketWriter
  readonly #cut: () => void
  readonly inChunks: boolean
  /** Bytes still to be sent, if the length is announced. */
  #left: number | undefined
  /** Sent with the first piece; empty afterwards. */
  #head: string
  /** What this turn of the event loop has brought, until its end. */
  #ofTurn: Uint8Array | undefined
  #isOver = false

  constructor(outgoing: SocketWriter, { lines, inChunks, length, cut }: StreamOptions) {
    this.#outgoing = outgoing
    this.#cut = cut
    this.inChunks = inChunks && length === undefined
    this.#left = length
    const framing = this.inChunks ? 'transfer-encoding: chunked\r\n' : length === undefined ? '' : lengthLine(length)
    this.#head = `${lines}${framing}\r\n`
  }

  /** Whether the head has been sent, or is about to be, so that no other response is possible. */
  get hasBegun(): boolean {
    return this.#head === '' || this.#ofTurn !== undefined
  }

  write(bytes: Uint8Array): undefined | Promise<unknown> {
    // An empty chunk would end the body.
    if (bytes.length === 0 || this.#isOver) return undefined
    const before = this.#ofTurn
    if (this.inChunks && this.#outgoing.isEmpty && (before?.length ?? 0) + bytes.length <= SMALL_BYTES) {
      if (!before) atEndOfTurn(this)
      this.#ofTurn = before ? Buffer.concat([before, bytes]) : bytes
      return undefined
    }
    this.flush()
    this.#send(bytes, '')
    return this.#outgoing.isEmpty ? undefined : this.#outgoing.drained()
  }

  /** Sends what this turn has brought. */
  flush(): void {
    const bytes = this.#ofTurn
    this.#ofTurn = undefined
    if (bytes && !this.#isOver) this.#send(bytes, '')
  }

  abort(): void {
    if (!this.#isOver) this.#cut()
  }

  /** Throws if fewer bytes were written than announced: the client would take the next response for the rest. */
  end(last: Uint8Array): void {
    this.flush()
    if (!this.#isOver) this.#send(last, '0\r\n\r\n')
    this.#isOver = true
    if (this.#left) throw new Error(`The body of a response ended ${this.#left} bytes before its announced length.`)
  }

  close(): void {
    this.#isOver = true
  }

  #send(bytes: Uint8Array, end: string): void {
    if (this.#left !== undefined) {
      if (bytes.length > this.#left) throw new Error('The body of a response is longer than announced.')
      this.#left -= bytes.length
    }
    const head = this.#head
    this.#head = ''
    if (this.inChunks && head === '' && end === '' && bytes.length > 0) this.#outgoing.writeChunk(bytes)
    else if (!this.inChunks) this.#outgoing.write(head, bytes, '')
    else if (bytes.length === 0) this.#outgoing.write(head, bytes, end)
    else this.#outgoing.write(`${head}${bytes.length.toString(16)}\r\n`, bytes, `\r\n${end}`)
  }
}

export const lengthLine = (bytes: number): string => `content-length: ${bytes}\r\n`
