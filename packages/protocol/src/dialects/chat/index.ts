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
export type * from './wire.ts'
