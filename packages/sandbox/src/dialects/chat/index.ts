import type { SandboxDialect } from '../dialect.ts'
import { errorBody, errorEvent } from './error.ts'
import { readRequest } from './request.ts'

export const chat: SandboxDialect = {
  decode: readRequest,
  errorBody,
  errorEvent,
  garbage: { data: '{"id":"chatcmpl-garbage","choices":[{"index":0,"delta":{"con' },
  huge: {
    before: '{"id":"chatcmpl-huge","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"',
    after: '"},"finish_reason":null}]}',
  },
  requestIdHeader: 'x-request-id',
}
