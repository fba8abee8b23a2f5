export { decodeReply } from './parts/decode-reply.ts'
export { encodeReply } from './parts/encode-reply.ts'
