import type { Sink } from '../../response.ts'
import type { SocketWriter } from './socket-writer.ts'

/** Sends a streamed response. Writes after its end are ignored: the connection may already carry the next response. */
export class StreamedResponse implements Sink {
  readonly #outgoing: SocketWriter
  readonly inChunks: boolean
  /** Sent with the first piece; empty afterwards. */
  #head: string
  #isOver = false

  /** `lines`: status line and headers. Unless `inChunks`, the body ends with the connection. */
  constructor(outgoing: SocketWriter, lines: string, inChunks: boolean) {
    this.#outgoing = outgoing
    this.inChunks = inChunks
    this.#head = `${lines}${inChunks ? 'transfer-encoding: chunked\r\n' : ''}\r\n`
  }

  /** Whether the head has been sent, so that no other response is possible. */
  get hasBegun(): boolean {
    return this.#head === ''
  }

  write(bytes: Uint8Array): undefined | Promise<unknown> {
    // An empty chunk would end the body.
    if (bytes.length === 0 || this.#isOver) return undefined
    this.#send(bytes, '')
    return this.#outgoing.isEmpty ? undefined : this.#outgoing.drained()
  }

  end(last: Uint8Array): void {
    if (!this.#isOver) this.#send(last, '0\r\n\r\n')
    this.#isOver = true
  }

  close(): void {
    this.#isOver = true
  }

  #send(bytes: Uint8Array, end: string): void {
    const head = this.#head
    this.#head = ''
    if (!this.inChunks) this.#outgoing.write(head, bytes, '')
    else if (bytes.length === 0) this.#outgoing.write(head, bytes, end)
    else this.#outgoing.write(`${head}${bytes.length.toString(16)}\r\n`, bytes, `\r\n${end}`)
  }
}
