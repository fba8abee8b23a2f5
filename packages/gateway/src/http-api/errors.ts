// Errors of the console API and the admin API: JSON in the format of the chat dialect.

import { type HttpResponse, json, type ResponseHeaders } from '@trivium/http/response.ts'
import { REJECTION_CODES } from '../operate/rejections.ts'
import { fields, listOf, nullable, string } from '../request/schema/schema.ts'

/** Every error of both, those of operations included: its code for programs, and its status. */
export const API_ERRORS = {
  ...REJECTION_CODES,
  not_signed_in: 401,
  wrong_credentials: 401,
  wrong_code: 401,
  invalid_admin_key: 401,
  owners_only: 403,
  account_disabled: 403,
  foreign_page: 403,
  wrong_password: 403,
  registration_closed: 403,
  password_sign_in_off: 403,
  address_not_allowed: 403,
  second_factor_needed: 403,
  mail_not_configured: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  account_switched: 409,
  idempotency_mismatch: 409,
  link_expired: 410,
  precondition_failed: 412,
  request_too_large: 413,
  unsupported_media_type: 415,
  too_many_accounts: 429,
  rate_limit_exceeded: 429,
  client_closed_request: 499,
  internal_error: 500,
  service_unavailable: 503,
} as const satisfies Record<string, number>

export type ApiErrorCode = keyof typeof API_ERRORS

export type ApiError = {
  code: ApiErrorCode
  /** For people: what is wrong, and what to do. */
  message: string
  /** The field that is wrong. */
  param?: string | undefined
  /** Whole seconds. */
  retryAfter?: number | undefined
  /** Everything that is wrong with the input. */
  details?: readonly ErrorDetail[]
}

export type ErrorDetail = { param: string | null; message: string }

const ERROR = { message: string(), type: string(), param: nullable(string()), code: string() }
const DETAILS = listOf(fields({ param: nullable(string()), message: string() }))
/** The body of every error, as in the chat dialect. */
export const CONSOLE_ERROR = fields({ error: fields(ERROR) })
export const ADMIN_ERROR = fields({ error: fields({ ...ERROR, details: DETAILS }) })

export function errorResponse(headers: ResponseHeaders, error: ApiError): HttpResponse {
  const { code, message, param = null, retryAfter, details } = error
  const status = API_ERRORS[code]
  if (retryAfter !== undefined) headers.set('retry-after', String(retryAfter))
  const type = status >= 500 ? 'api_error' : 'invalid_request_error'
  return json(status, headers, { error: { message, type, param, code, ...(details ? { details } : {}) } })
}
