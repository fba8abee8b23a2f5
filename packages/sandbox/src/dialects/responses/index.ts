import type { SandboxDialect } from '../dialect.ts'
import { errorBody, errorEvent } from './error.ts'
import { readCountRequest, readRequest } from './request.ts'

export const responses: SandboxDialect = {
  decode: readRequest,
  count: { decode: readCountRequest, body: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }) },
  errorBody,
  errorEvent,
  garbage: { event: 'response.output_text.delta', data: '{"type":"response.output_text.delta","sequence_nu' },
  huge: {
    event: 'response.in_progress',
    before:
      '{"type":"response.in_progress","sequence_number":1,"response":{"object":"response","status":"in_progress","output":[],"padding":"',
    after: '"}}',
  },
  requestIdHeader: 'x-request-id',
}
