// What every dialect has. The text dialects have more; what is here is enough to fail in the caller's own words.

import type { ErrorInfo, RenderedError } from '../canonical/error.ts'

export type DialectId = 'chat' | 'responses' | 'messages' | 'generate-content' | 'images' | 'video-tasks'

export type ErrorDialect = {
  id: DialectId
  /** A whole answer, while nothing has been sent yet. */
  encodeError(error: ErrorInfo, requestId: string): RenderedError
  /** The last thing to write into a stream that has begun. After it: close, and no sign of success. */
  encodeStreamError(error: ErrorInfo, requestId: string): string
  /** An upstream's error, as this gateway's own. `status` is the HTTP status, or 200 for an error inside a stream. */
  decodeError(status: number, body: unknown): ErrorInfo
}
