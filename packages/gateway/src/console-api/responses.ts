// Responses of the console API: JSON, with errors in the format of the chat dialect.

import type { BodyError } from '@trivium/http/bodies/body-error.ts'
import type { HttpRequest } from '@trivium/http/request.ts'
import { type HttpResponse, json, type ResponseHeaders } from '@trivium/http/response.ts'
import { REJECTION_CODES } from '../administration/rejections.ts'

/** A request to the console API, with the headers of its response. */
export type ConsoleCall = {
  http: HttpRequest
  headers: ResponseHeaders
}

/** Every error of the console's API, those of operations included: its code for programs, and its status. */
export const CONSOLE_ERRORS = {
  ...REJECTION_CODES,
  not_signed_in: 401,
  wrong_credentials: 401,
  wrong_code: 401,
  owners_only: 403,
  account_disabled: 403,
  foreign_page: 403,
  wrong_password: 403,
  registration_closed: 403,
  mail_not_configured: 404,
  request_timeout: 408,
  account_switched: 409,
  link_expired: 410,
  request_too_large: 413,
  unsupported_media_type: 415,
  too_many_accounts: 429,
  rate_limit_exceeded: 429,
  client_closed_request: 499,
  service_unavailable: 503,
} as const satisfies Record<string, number>

export type ConsoleErrorCode = keyof typeof CONSOLE_ERRORS

export type ConsoleError = {
  code: ConsoleErrorCode
  /** For people: what is wrong, and what to do. */
  message: string
  /** The field that is wrong. */
  param?: string
  /** Whole seconds. */
  retryAfter?: number
}

export function errorResponse({ headers }: ConsoleCall, error: ConsoleError): HttpResponse {
  const { code, message, param = null, retryAfter } = error
  const status = CONSOLE_ERRORS[code]
  if (retryAfter !== undefined) headers.set('retry-after', String(retryAfter))
  const type = status >= 500 ? 'api_error' : 'invalid_request_error'
  return json(status, headers, { error: { message, type, param, code } })
}

export function errorResponseFor(call: ConsoleCall, { reason, message }: BodyError): HttpResponse {
  // The rest of the body may still be on its way, perhaps forever.
  if (reason === 'request_too_large' || reason === 'request_timeout') call.headers.set('connection', 'close')
  return errorResponse(call, { code: reason, message })
}
