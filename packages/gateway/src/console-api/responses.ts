// How the console's paths answer: JSON, and errors in one shape that is also the chat-compatible one.

import type { BodyError } from '@trivium/http/bodies/body-error.ts'
import type { HttpRequest } from '@trivium/http/request.ts'
import { type HttpResponse, json, type ResponseHeaders } from '@trivium/http/response.ts'

/** A call as the app hands it over: the headers for its answer are prepared. */
export type ConsoleCall = {
  http: HttpRequest
  headers: ResponseHeaders
}

export type ConsoleError = {
  status: number
  /** For programs. */
  code: string
  /** For people: what is wrong, and what to do. */
  message: string
  /** The field that is wrong. */
  param?: string
  /** Whole seconds. */
  retryAfter?: number
}

export function errorResponse({ headers }: ConsoleCall, refusal: ConsoleError): HttpResponse {
  const { status, code, message, param = null, retryAfter } = refusal
  if (retryAfter !== undefined) headers.set('retry-after', String(retryAfter))
  const type = status >= 500 ? 'api_error' : 'invalid_request_error'
  return json(status, headers, { error: { message, type, param, code } })
}

export function errorResponseFor(call: ConsoleCall, { status, reason, message }: BodyError): HttpResponse {
  // The rest of the body may still be on its way, perhaps forever.
  if (reason === 'request_too_large' || reason === 'request_timeout') call.headers.set('connection', 'close')
  return errorResponse(call, { status, code: reason, message })
}
