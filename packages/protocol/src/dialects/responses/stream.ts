export { openStreamDecoder } from './reply/decode-stream.ts'
export { openStreamEncoder } from './reply/encode-stream.ts'

/** A comment: the SDK's stream helper takes no event before the first one, and comments at any time. */
export const heartbeat = ': keep-alive\n\n'
