import { ERRORS, type ErrorInfo } from '../../canonical/error.ts'
import { formatSse } from '../../framing/sse.ts'
import { errorObject } from '../shared/errors/chat-compatible-error.ts'

export { decodeError, encodeError } from '../shared/errors/chat-compatible-error.ts'

/** What the stream has told so far: the response as last shown, and the number of the next event. */
export type BegunResponse = { response: Record<string, unknown>; nextSequenceNumber: number }

/**
 * `response.failed`, which agents look for, then an `error` event in both forms in use: SDKs throw only on the nested
 * one, and the published types have only the flat one.
 */
export function encodeStreamError(error: ErrorInfo, requestId: string, begun?: BegunResponse): string {
  const body = errorObject(error)
  const number = begun?.nextSequenceNumber ?? 0
  const failed = {
    type: 'response.failed',
    sequence_number: number,
    response: {
      id: `resp_${requestId}`,
      object: 'response',
      output: [],
      ...begun?.response,
      status: 'failed',
      error: { code: failureCode(error), message: error.message },
    },
  }
  const { type, code, message, param } = body
  const thrown = {
    type: 'error',
    sequence_number: number + 1,
    code,
    message,
    param,
    error: { type, code, message, param },
  }
  return formatSse(JSON.stringify(failed), failed.type) + formatSse(JSON.stringify(thrown), thrown.type)
}

/** A failed response knows fewer codes; agents take an unknown one for a passing failure and try again. */
export function failureCode(error: ErrorInfo): string {
  return ERRORS[error.code].fault === 'client' ? (errorObject(error).code ?? 'invalid_prompt') : 'server_error'
}
