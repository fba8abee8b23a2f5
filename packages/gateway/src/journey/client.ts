// The client's end of the connection. Bun makes the signal of a request when it is first asked for, and that costs more
// than most of the journey; a client that has left by then is found to have left. So short calls never ask.

const nothing = () => {}

export class Client {
  readonly #http: Request
  #looked = false
  /** What the client's leaving means at this point of the journey; each step sets its own. */
  onGone: () => void = nothing

  constructor(http: Request) {
    this.#http = http
  }

  /** From now on `onGone` is called when the client leaves, at once if it already has. */
  look(): void {
    if (this.#looked) return
    this.#looked = true
    if (this.#http.signal.aborted) this.onGone()
    else this.#http.signal.addEventListener('abort', () => this.onGone())
  }

  /** As far as anybody has looked. */
  get isGone(): boolean {
    return this.#looked && this.#http.signal.aborted
  }
}
