import type { ErrorInfo } from '../../canonical/error.ts'
import { formatSse } from '../../framing/sse.ts'
import { errorObject } from '../shared/errors/chat-compatible-error.ts'

export { decodeError, encodeError } from '../shared/errors/chat-compatible-error.ts'

/** After it the stream closes without `[DONE]`, which clients take for success. */
export function encodeStreamError(error: ErrorInfo, _requestId: string): string {
  return formatSse(JSON.stringify({ error: errorObject(error) }))
}
