// A request as handlers see it. The server creates it (`server/`); tests may create their own.

/** Lookup by lowercase name. The values of repeated header lines are joined with commas, in the order received. */
export type RequestHeaders = { get(name: string): string | null }

/** The client of a request, which may disconnect at any time. */
export type Client = {
  readonly isDisconnected: boolean
  /** Called once when the client disconnects. There is one callback: each step of a request replaces the previous one's. */
  onDisconnect: (() => void) | undefined
}

export type HttpRequest = Client & {
  readonly method: string
  /** Path and query, as sent. */
  readonly target: string
  readonly headers: RequestHeaders & {
    /** One value per header line. */
    getAll(name: string): readonly string[]
  }
  readonly body: RequestBody
  /** Time in the admission queue, before the request was parsed; 0 if it did not queue. */
  readonly queuedMs: number
  /** The peer's IP address; empty once the connection is closed. */
  address(): string
}

export type RequestBody = {
  /** Bytes received so far, as sent: chunk framing included. */
  readonly received: number
  /** Whether the whole body has arrived; absent: unknown. */
  readonly isComplete?: boolean
  /** The next piece, synchronously if it has arrived; undefined at the end. Rejects if the client disconnects first. */
  read(): Uint8Array | undefined | Promise<Uint8Array | undefined>
}
