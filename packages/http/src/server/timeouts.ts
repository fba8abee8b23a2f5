/**
 * What a connection waits for, while no request is being read as a whole, queued or answered.
 * - `idle`: a request, of which nothing has come
 * - `head`: the rest of a request's head
 * - `body`: the rest of a body whose request has been answered
 * - `reader`: the client, to take what is written
 * - `goodbye`: the client's own end, after ours
 */
export type Awaited = 'idle' | 'head' | 'body' | 'reader' | 'goodbye'

/** Milliseconds. */
export const TIMEOUTS: Readonly<Record<Awaited, number>> = {
  /** Longer than the balancers in front usually keep theirs, so that it is they who close. */
  idle: 75_000,
  head: 30_000,
  body: 75_000,
  /** A reader that takes nothing for so long has stopped for good. */
  reader: 75_000,
  /** A client that is still sending hears of the end only when it has read the answer, and must not be cut off before. */
  goodbye: 30_000,
}

/** Heads come in one piece, or nearly so: where connections are scarce, one that takes longer gives way. */
export const SLOW_HEAD_MS = 5_000
