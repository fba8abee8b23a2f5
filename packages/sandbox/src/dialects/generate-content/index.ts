import type { SandboxDialect } from '../dialect.ts'
import { errorBody, errorEvent } from './error.ts'
import { readRequest } from './request.ts'

export const generateContent: SandboxDialect = {
  decode: readRequest,
  errorBody,
  errorEvent,
  garbage: { data: '{"candidates":[{"content":{"parts":[{"te' },
  huge: { before: '{"candidates":[{"content":{"parts":[{"text":"', after: '"}],"role":"model"},"index":0}]}' },
  requestIdHeader: 'x-request-id',
}
