// When a stream sends its headers and heartbeats, and how long it waits for late data.

export type StreamTiming = {
  /** Until then an error can still be a real status, and the client does not notice a slow start. */
  commitAfterMs: number
  heartbeatMs: number
  /** After a client that has got output disconnects: how long its usage is awaited, hidden reasoning included. */
  usageWaitMs: number
  /** When nothing is missing but the end of the connection. */
  endWaitMs: number
}

export const STREAM_TIMING: StreamTiming = {
  commitAfterMs: 10_000,
  heartbeatMs: 10_000,
  usageWaitMs: 5_000,
  endWaitMs: 2_000,
}
