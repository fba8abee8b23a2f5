// A streamed answer, both ways.

export { openStreamDecoder } from './parts/stream-decoder.ts'
export { openStreamEncoder } from './parts/stream-encoder.ts'

/** Legal at any place of a stream, also before its first event: SDKs skip it by name. */
export const heartbeat = 'event: ping\ndata: {"type":"ping"}\n\n'
