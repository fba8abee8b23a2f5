export { openStreamDecoder } from './parts/stream-decoder.ts'
export { openStreamEncoder } from './parts/stream-encoder.ts'

/** A comment: the SDK's stream helper takes no event before the first one, and comments at any time. */
export const heartbeat = ': keep-alive\n\n'
