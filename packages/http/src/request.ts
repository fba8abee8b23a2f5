// A request as whoever reads and answers it sees it. The server makes it (`server/`), tests may make their own.

/** Names are in small letters. What stands there more than once is joined by commas, as it came. */
export type RequestHeaders = { get(name: string): string | null }

/** Whoever asks, and may leave. */
export type Client = {
  /** It has. */
  readonly isDisconnected: boolean
  /** What is done when it does, once. One place: each step of a journey puts there what leaving means to it. */
  onDisconnect: (() => void) | undefined
}

export type HttpRequest = Client & {
  readonly method: string
  /** Path and query, as they were sent. */
  readonly target: string
  readonly headers: RequestHeaders
  readonly body: RequestBody
  /** At the door, before it was read; 0: it did not have to. */
  readonly queuedMs: number
  /** The other end of the connection; unknown when it has gone. */
  address(): string
}

export type RequestBody = {
  /** Bytes that have arrived, as they were sent: the framing of chunks included. */
  readonly received: number
  /** All of it has arrived; absent: unknown. */
  readonly isComplete?: boolean
  /** The next piece, at once if it has come; undefined: there is no more. Rejects when the client leaves before the end. */
  read(): Uint8Array | undefined | Promise<Uint8Array | undefined>
}
