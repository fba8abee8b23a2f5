// A chat stream: an upstream's, read into canonical events, and those events written for a client.

export { openStreamDecoder } from './reply/decode-stream.ts'
export { openStreamEncoder } from './reply/encode-stream.ts'

/** A comment, which every client skips. */
export const heartbeat = ': keep-alive\n\n'
