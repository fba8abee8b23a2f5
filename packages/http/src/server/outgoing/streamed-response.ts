import type { Sink } from '../../response.ts'
import type { SocketWriter } from './socket-writer.ts'

/** A streamed answer on its way out. What is written when it is over goes nowhere: the connection may have the next one. */
export class StreamedResponse implements Sink {
  readonly #outgoing: SocketWriter
  readonly inChunks: boolean
  /** Leaves with the first piece. */
  #head: string
  #isOver = false

  /** `lines` are the first line and the headers. Not `inChunks`: the body ends with the connection. */
  constructor(outgoing: SocketWriter, lines: string, inChunks: boolean) {
    this.#outgoing = outgoing
    this.inChunks = inChunks
    this.#head = `${lines}${inChunks ? 'transfer-encoding: chunked\r\n' : ''}\r\n`
  }

  /** Something has left: nothing else can be answered any more. */
  get hasBegun(): boolean {
    return this.#head === ''
  }

  write(bytes: Uint8Array): undefined | Promise<unknown> {
    // A chunk of nothing would be the end.
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
