import type { Socket } from 'bun'

/** Limit of pipelined bytes: requests that arrive before the current one is answered. */
const MAX_PIPELINED_BYTES = 64 * 1024

/** Backpressure towards a client: stops reading from the socket while a body is not consumed, or too much is pipelined. */
export class FlowControl {
  readonly #socket: Pick<Socket<unknown>, 'pause' | 'resume'>
  /** The body of the current request is not being consumed. */
  isBodyHeld = false
  #isPaused = false

  constructor(socket: Pick<Socket<unknown>, 'pause' | 'resume'>) {
    this.#socket = socket
  }

  update(pipelinedBytes: number): void {
    const isFull = this.isBodyHeld || pipelinedBytes > MAX_PIPELINED_BYTES
    if (isFull === this.#isPaused) return
    this.#isPaused = isFull
    if (isFull) this.#socket.pause()
    else this.#socket.resume()
  }
}
