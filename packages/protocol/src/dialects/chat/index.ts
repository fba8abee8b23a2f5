export { decodeError, encodeError, encodeStreamError } from './error.ts'
export { type ByteRange, type ChatReply, chatFinish, chatUsage, readChatReply, renameModel } from './reply.ts'
export { type ChatEdits, type ChatFacts, editChatRequest, readChatRequest } from './request.ts'
export {
  type ChatMeter,
  type ChatMeterOptions,
  type ChatMeterState,
  type ChatStreamError,
  openChatMeter,
} from './stream.ts'
export type * from './wire.ts'
