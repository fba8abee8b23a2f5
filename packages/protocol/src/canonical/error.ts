// Every way a request can fail, once. Dialects only render these; nothing else invents a status.
import { shortText } from './utf8.ts'

/** `retry`: whether the same call may succeed later. `fault`: the side that must act. */
export const ERRORS = {
  bad_request: { status: 400, retry: false, fault: 'client' },
  unsupported_parameter: { status: 400, retry: false, fault: 'client' },
  context_length_exceeded: { status: 400, retry: false, fault: 'client' },
  content_policy_violation: { status: 400, retry: false, fault: 'client' },
  previous_response_not_found: { status: 400, retry: false, fault: 'client' },
  invalid_api_key: { status: 401, retry: false, fault: 'client' },
  api_key_expired: { status: 401, retry: false, fault: 'client' },
  insufficient_balance: { status: 402, retry: false, fault: 'client' },
  key_quota_exceeded: { status: 402, retry: false, fault: 'client' },
  account_quota_exceeded: { status: 402, retry: false, fault: 'client' },
  model_not_allowed: { status: 403, retry: false, fault: 'client' },
  account_disabled: { status: 403, retry: false, fault: 'client' },
  address_not_allowed: { status: 403, retry: false, fault: 'client' },
  invalid_signature: { status: 403, retry: false, fault: 'client' },
  unknown_url: { status: 404, retry: false, fault: 'client' },
  model_not_found: { status: 404, retry: false, fault: 'client' },
  not_found: { status: 404, retry: false, fault: 'client' },
  method_not_allowed: { status: 405, retry: false, fault: 'client' },
  request_timeout: { status: 408, retry: true, fault: 'client' },
  conflict: { status: 409, retry: true, fault: 'client' },
  idempotency_mismatch: { status: 422, retry: false, fault: 'client' },
  request_too_large: { status: 413, retry: false, fault: 'client' },
  unsupported_media_type: { status: 415, retry: false, fault: 'client' },
  no_websocket: { status: 426, retry: false, fault: 'client' },
  rate_limit_exceeded: { status: 429, retry: true, fault: 'client' },
  client_closed_request: { status: 499, retry: false, fault: 'client' },
  internal_error: { status: 500, retry: true, fault: 'gateway' },
  upstream_error: { status: 502, retry: true, fault: 'upstream' },
  upstream_no_image: { status: 502, retry: true, fault: 'upstream' },
  upstream_auth_error: { status: 502, retry: false, fault: 'gateway' },
  upstream_model_not_found: { status: 502, retry: false, fault: 'gateway' },
  upstream_unknown_url: { status: 502, retry: false, fault: 'gateway' },
  upstream_no_credit: { status: 502, retry: false, fault: 'gateway' },
  service_unavailable: { status: 503, retry: true, fault: 'gateway' },
  upstream_timeout: { status: 504, retry: true, fault: 'upstream' },
} as const satisfies Record<string, { status: number; retry: boolean; fault: 'client' | 'upstream' | 'gateway' }>

export type ErrorCode = keyof typeof ERRORS

export type ErrorInfo = {
  code: ErrorCode
  message: string
  /** The offending field, as a path the caller can find: `messages[2].content`. */
  param?: string
  /** Whole seconds after which trying again makes sense. */
  retryAfter?: number
  /** The limit that a `rate_limit_exceeded` caller has reached, where it is one of this gateway's own. */
  limit?: ReachedLimit
  /** The methods a path takes, for `method_not_allowed`. */
  allow?: string
  /** A messages upstream said 529: callers of the same dialect get the status their SDK has a class for. */
  overloaded?: true
  /** The upstream said in the same breath what was used: it may be billed. */
  billed?: true
  /** The vendor's own code for what is wrong, for callers of the dialect that it is from. */
  vendorCode?: string
  /** The fields that are wrong, each in the vendor's words. Only generate-content has a place for them. */
  violations?: readonly FieldViolation[]
  /** For our log only, already masked. Dialects never render it. */
  detail?: string
}

export type FieldViolation = { field?: string; description?: string }

const MESSAGE_BYTES = 8 * 1024

/** Messages and paths repeat what a caller wrote, which may be megabytes that came compressed. */
export function errorInfo(code: ErrorCode, message: string, more: Omit<ErrorInfo, 'code' | 'message'> = {}): ErrorInfo {
  const info: ErrorInfo = { code, message: shortText(message, MESSAGE_BYTES), ...more }
  if (info.param !== undefined) info.param = shortText(info.param)
  return info
}

export type ReachedLimit = {
  of: 'requests' | 'tokens' | 'concurrent'
  limit: number
  remaining: number
  /** When there is room again. undefined: when others end. `never`: this request alone is more than the limit. */
  reset: { afterMs: number /** Milliseconds since 1970. */; at: number } | 'never' | undefined
}

/** What a dialect turns an ErrorInfo into. */
export type RenderedError = { status: number; body: unknown; headers: Record<string, string> }
