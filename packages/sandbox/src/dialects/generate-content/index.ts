import type { SandboxDialect } from '../dialect.ts'
import { errorBody, errorEvent } from './error.ts'
import { readCountRequest, readRequest } from './request.ts'

export const generateContent: SandboxDialect = {
  decode: readRequest,
  count: { decode: readCountRequest, body: (tokens) => ({ totalTokens: tokens }) },
  errorBody,
  errorEvent,
  garbage: { data: '{"candidates":[{"content":{"parts":[{"te' },
  huge: { before: '{"candidates":[{"content":{"parts":[{"text":"', after: '"}],"role":"model"},"index":0}]}' },
  requestIdHeader: 'x-request-id',
}
