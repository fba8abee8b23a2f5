export { decodeReply } from './reply/decode-reply.ts'
export { encodeReply } from './reply/encode-reply.ts'
