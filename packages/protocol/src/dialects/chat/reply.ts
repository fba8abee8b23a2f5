// An unstreamed chat answer: an upstream's, read into neutral terms, and any dialect's, written for a client.

export { decodeReply } from './parts/decode-reply.ts'
export { encodeReply, loses } from './parts/encode-reply.ts'
