// Writes to a socket in order: immediately as far as the socket accepts it, the rest when it drains.
import type { Socket } from 'bun'

export type Writable = Pick<Socket<unknown>, 'write'>

/** Pieces up to this size are written together with their framing. */
const JOINED_BYTES = 64 * 1024
/** Space for framing: the head of a response, the size of a chunk. */
const FRAME_BYTES = 16 * 1024
/** Shared by all connections: writes are synchronous, and unsent bytes are copied. */
const joined = Buffer.allocUnsafeSlow(FRAME_BYTES + JOINED_BYTES)

export class SocketWriter {
  #socket: Writable | undefined
  readonly #unsent: Uint8Array[] = []
  #drained: PromiseWithResolvers<void> | undefined

  constructor(socket: Writable) {
    this.#socket = socket
  }

  get isEmpty(): boolean {
    return this.#unsent.length === 0
  }

  /** Resolves when everything has been written, or the socket is closed. */
  drained(): Promise<void> {
    this.#drained ??= Promise.withResolvers<void>()
    return this.#drained.promise
  }

  /** `before` and `after` consist of one-byte characters. `bytes` must not be modified afterwards. */
  write(before: string, bytes: Uint8Array, after: string): void {
    const socket = this.#socket
    if (!socket) return
    const framed = before.length + after.length
    if (framed > FRAME_BYTES || bytes.length > JOINED_BYTES) {
      this.#send(socket, Buffer.from(before, 'latin1'))
      this.#send(socket, bytes)
      if (after !== '') this.#send(socket, Buffer.from(after, 'latin1'))
      return
    }
    joined.write(before, 0, 'latin1')
    joined.set(bytes, before.length)
    if (after !== '') joined.write(after, before.length + bytes.length, 'latin1')
    const length = framed + bytes.length
    const written = this.isEmpty ? socket.write(joined, 0, length) : 0
    if (written < length) this.#unsent.push(Buffer.from(joined.subarray(Math.max(0, written), length)))
  }

  #send(socket: Writable, bytes: Uint8Array): void {
    const written = this.isEmpty ? socket.write(bytes) : 0
    if (written < bytes.length) this.#unsent.push(bytes.subarray(Math.max(0, written)))
  }

  /** The socket accepts more bytes. */
  flush(): void {
    for (;;) {
      const next = this.#unsent[0]
      if (!next || !this.#socket) break
      const written = Math.max(0, this.#socket.write(next))
      if (written < next.length) {
        this.#unsent[0] = next.subarray(written)
        return
      }
      this.#unsent.shift()
    }
    this.#settle()
  }

  /** Drops unsent bytes and ignores later writes. */
  close(): void {
    this.#socket = undefined
    this.#unsent.length = 0
    this.#settle()
  }

  #settle(): void {
    this.#drained?.resolve()
    this.#drained = undefined
  }
}
