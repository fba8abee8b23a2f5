// Writes to a socket in order: immediately as far as the socket accepts it, the rest when it drains.
import type { Socket } from 'bun'
import { ReadPace } from './read-pace.ts'

export type Writable = Pick<Socket<unknown>, 'write'>

/** Pieces up to this size are written together with their framing. */
const JOINED_BYTES = 64 * 1024
/** Space for framing: the head of a response, the size of a chunk. */
const FRAME_BYTES = 16 * 1024
/** Shared by all connections: writes are synchronous, and unsent bytes are copied. */
const joined = Buffer.allocUnsafeSlow(FRAME_BYTES + JOINED_BYTES)

const HEX_DIGITS = Buffer.from('0123456789abcdef')
/** Where the first of the five digits stands in a size of at most JOINED_BYTES. */
const HIGHEST_DIGIT = 16

/** Gives the place behind it. */
function lineEndAt(at: number): number {
  joined[at] = 0x0d
  joined[at + 1] = 0x0a
  return at + 2
}

export class SocketWriter {
  #socket: Writable | undefined
  readonly #now: () => number
  readonly #unsent: Uint8Array[] = []
  readonly #pace = new ReadPace()
  /** Bytes that the socket has accepted. */
  #accepted = 0
  #unsentBytes = 0
  #drained: PromiseWithResolvers<void> | undefined

  constructor(socket: Writable, now: () => number) {
    this.#socket = socket
    this.#now = now
  }

  get isEmpty(): boolean {
    return this.#unsent.length === 0
  }

  /** Bytes that wait in memory. */
  get unsentBytes(): number {
    return this.#unsentBytes
  }

  /** Since when bytes wait without progress; undefined: none wait. */
  get stalledSince(): number | undefined {
    return this.#pace.stalledSince
  }

  /** Whether bytes wait because the client does not read, or hardly. To be asked about once a second. */
  isTooSlow(now: number): boolean {
    return this.#pace.isTooSlow(now, this.#accepted)
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
    this.#sendJoined(socket, framed + bytes.length)
  }

  /** Writes one chunk of a body, most of which are an event: without a text for its framing. */
  writeChunk(bytes: Uint8Array): void {
    const socket = this.#socket
    if (!socket) return
    if (bytes.length > JOINED_BYTES) {
      this.write(`${bytes.length.toString(16)}\r\n`, bytes, '\r\n')
      return
    }
    let at = 0
    for (let shift = HIGHEST_DIGIT; shift >= 0; shift -= 4) {
      const digit = (bytes.length >> shift) & 15
      if (digit > 0 || at > 0) joined[at++] = HEX_DIGITS[digit] ?? 0
    }
    at = lineEndAt(at)
    joined.set(bytes, at)
    this.#sendJoined(socket, lineEndAt(at + bytes.length))
  }

  #sendJoined(socket: Writable, length: number): void {
    const written = this.isEmpty ? Math.max(0, socket.write(joined, 0, length)) : 0
    this.#accepted += written
    if (written < length) this.#wait(Buffer.from(joined.subarray(written, length)))
  }

  #send(socket: Writable, bytes: Uint8Array): void {
    const written = this.isEmpty ? Math.max(0, socket.write(bytes)) : 0
    this.#accepted += written
    if (written < bytes.length) this.#wait(bytes.subarray(written))
  }

  #wait(bytes: Uint8Array): void {
    this.#unsent.push(bytes)
    this.#unsentBytes += bytes.length
    this.#pace.begin(this.#now(), this.#accepted)
  }

  /** The socket may accept more bytes. */
  flush(): void {
    for (;;) {
      const next = this.#unsent[0]
      if (!next || !this.#socket) break
      const written = Math.max(0, this.#socket.write(next))
      this.#accepted += written
      this.#unsentBytes -= written
      if (written > 0) this.#pace.progress(this.#now())
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
    this.#unsentBytes = 0
    this.#settle()
  }

  #settle(): void {
    this.#pace.end(this.#now())
    this.#drained?.resolve()
    this.#drained = undefined
  }
}
