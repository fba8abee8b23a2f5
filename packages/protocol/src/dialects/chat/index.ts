export { decodeError, encodeError, encodeStreamError } from './error.ts'
export {
  type ByteRange,
  type ChatReply,
  chatFinish,
  chatUsage,
  readChatReply,
  renameModel,
} from './parts/passing-reply.ts'
export { type ChatEdits, type ChatFacts, editChatRequest, readChatRequest } from './parts/passing-request.ts'
export {
  type ChatMeter,
  type ChatMeterOptions,
  type ChatMeterState,
  type ChatStreamError,
  openChatMeter,
} from './parts/passing-stream.ts'
export { passing } from './passing.ts'
export { decodeReply, encodeReply } from './reply.ts'
export { decodeRequest, encodeRequest, fieldNames } from './request.ts'
export { heartbeat, openStreamDecoder, openStreamEncoder } from './stream.ts'
export type * from './wire.ts'
