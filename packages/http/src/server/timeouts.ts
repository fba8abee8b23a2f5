/**
 * What a connection waits for while no request is being received, queued or answered, and no bytes wait to be read by the client:
 * for those see outgoing/read-pace.ts.
 * - `idle`: a request of which nothing has arrived
 * - `head`: the rest of a request head
 * - `body`: the rest of a body whose request has been answered
 * - `end`: the client's end of the connection, after ours
 */
export type Awaited = 'idle' | 'head' | 'body' | 'end'

/** Milliseconds. */
export const TIMEOUTS: Readonly<Record<Awaited, number>> = {
  /** Longer than load balancers usually keep idle connections, so that they close first. */
  idle: 75_000,
  head: 30_000,
  body: 75_000,
  /** A client that is still sending notices the end only after it has read the response, and must not be cut off before. */
  end: 30_000,
}

/** Heads usually arrive in one piece: when connections are scarce, one whose head takes longer may be closed. */
export const SLOW_HEAD_MS = 5_000
/** Likewise one whose client has read nothing for this long while bytes wait for it. */
export const SLOW_READER_MS = 10_000
