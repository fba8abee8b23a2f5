import type { ErrorInfo } from '../../canonical/error.ts'
import { formatSse } from '../../framing/sse.ts'
import { errorObject } from '../shared/errors/chat-compatible-error.ts'

export { decodeError, encodeError } from '../shared/errors/chat-compatible-error.ts'

export function encodeStreamError(error: ErrorInfo, _requestId: string): string {
  return formatSse(JSON.stringify({ error: errorObject(error) }), 'error')
}
