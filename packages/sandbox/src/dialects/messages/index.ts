import type { SandboxDialect } from '../dialect.ts'
import { errorBody, errorEvent } from './error.ts'
import { readCountRequest, readRequest } from './request.ts'

export const messages: SandboxDialect = {
  decode: readRequest,
  count: { decode: readCountRequest, body: (tokens) => ({ input_tokens: tokens }) },
  errorBody,
  errorEvent,
  garbage: { event: 'content_block_delta', data: '{"type":"content_block_delta","index":0,"delta":{"type":"text_de' },
  huge: { event: 'ping', before: '{"type":"ping","padding":"', after: '"}' },
  requestIdHeader: 'request-id',
}
