// A streamed answer, both ways.

export { openStreamDecoder } from './reply/decode-stream.ts'
export { openStreamEncoder } from './reply/encode-stream.ts'

/** Legal at any place of a stream, also before its first event: SDKs skip it by name. */
export const heartbeat = 'event: ping\ndata: {"type":"ping"}\n\n'
