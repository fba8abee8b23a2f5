// An unstreamed chat answer: an upstream's, read into neutral terms, and any dialect's, written for a client.

export { decodeReply } from './reply/decode-reply.ts'
export { encodeReply, loses } from './reply/encode-reply.ts'
