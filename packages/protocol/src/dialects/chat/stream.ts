// A chat stream: an upstream's, read into canonical events, and those events written for a client.

export { openStreamDecoder } from './parts/stream-decoder.ts'
export { openStreamEncoder } from './parts/stream-encoder.ts'

/** A comment, which every client skips. */
export const heartbeat = ': keep-alive\n\n'
