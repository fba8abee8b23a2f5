import { ERRORS, type ErrorCode, type ErrorInfo, type RenderedError } from '../../canonical/error.ts'
import { formatSse } from '../../framing/sse.ts'
import { errorHeaders } from '../shared/errors/error-headers.ts'
import { type KnownPhrases, messageWith, NO_KEY } from '../shared/errors/known-phrases.ts'
import { readUpstreamError, type UpstreamCode } from '../shared/errors/upstream-error.ts'

const TYPES = {
  bad_request: 'invalid_request_error',
  unsupported_parameter: 'invalid_request_error',
  context_length_exceeded: 'invalid_request_error',
  content_policy_violation: 'invalid_request_error',
  previous_response_not_found: 'invalid_request_error',
  invalid_api_key: 'authentication_error',
  api_key_expired: 'authentication_error',
  insufficient_balance: 'billing_error',
  key_quota_exceeded: 'billing_error',
  account_quota_exceeded: 'billing_error',
  model_not_allowed: 'permission_error',
  account_disabled: 'permission_error',
  address_not_allowed: 'permission_error',
  invalid_signature: 'permission_error',
  unknown_url: 'not_found_error',
  model_not_found: 'not_found_error',
  not_found: 'not_found_error',
  method_not_allowed: 'invalid_request_error',
  request_timeout: 'timeout_error',
  conflict: 'conflict_error',
  idempotency_mismatch: 'invalid_request_error',
  request_too_large: 'request_too_large',
  unsupported_media_type: 'invalid_request_error',
  no_websocket: 'invalid_request_error',
  rate_limit_exceeded: 'rate_limit_error',
  client_closed_request: 'invalid_request_error',
  internal_error: 'api_error',
  upstream_error: 'api_error',
  upstream_no_image: 'api_error',
  upstream_auth_error: 'api_error',
  upstream_model_not_found: 'api_error',
  upstream_unknown_url: 'api_error',
  upstream_no_credit: 'api_error',
  service_unavailable: 'overloaded_error',
  upstream_timeout: 'timeout_error',
} satisfies Record<ErrorCode, string>

const WRONG_KEY = { said: ['x-api-key', NO_KEY], say: 'invalid x-api-key:' }

const WORDS: KnownPhrases = {
  invalid_api_key: WRONG_KEY,
  api_key_expired: WRONG_KEY,
  // The second is the vendor's for a cap that does not fit behind the prompt: clients lower the cap, not the prompt.
  context_length_exceeded: { said: ['prompt is too long', 'exceed context limit'], say: 'prompt is too long:' },
}

export function encodeError(error: ErrorInfo, requestId: string): RenderedError {
  const overloaded = error.code === 'service_unavailable' && error.overloaded === true
  return {
    status: overloaded ? 529 : ERRORS[error.code].status,
    body: body(error, requestId),
    headers: { ...errorHeaders(error, requestId), ...rateHeaders(error) },
  }
}

function rateHeaders({ limit }: ErrorInfo): Record<string, string> | undefined {
  if (limit === undefined || limit.of === 'concurrent') return undefined
  const name = `anthropic-ratelimit-${limit.of}`
  const headers = { [`${name}-limit`]: String(limit.limit), [`${name}-remaining`]: String(limit.remaining) }
  // Whole seconds, as RFC 3339 has them everywhere; rounded up, so that a client that waits until then is not too early.
  if (typeof limit.reset === 'object') headers[`${name}-reset`] = wholeSecond(limit.reset.at)
  return headers
}

const wholeSecond = (at: number): string => new Date(Math.ceil(at / 1_000) * 1_000).toISOString().replace('.000Z', 'Z')

/** After it the stream closes without `message_stop`. */
export function encodeStreamError(error: ErrorInfo, requestId: string): string {
  return formatSse(JSON.stringify(body(error, requestId)), 'error')
}

function body(error: ErrorInfo, requestId: string) {
  return { type: 'error', error: { type: TYPES[error.code], message: messageWithField(error) }, request_id: requestId }
}

/** This dialect has no place for the offending field but the beginning of the message: `model: ...`. */
function messageWithField(error: ErrorInfo): string {
  const field = error.param ?? (error.code === 'model_not_found' ? 'model' : undefined)
  const message = messageWith(WORDS, error)
  return field === undefined || message.startsWith(field) ? message : `${field}: ${message}`
}

const SURE = new Map<string, UpstreamCode>([
  ['billing_error', 'upstream_no_credit'],
  ['overloaded_error', 'service_unavailable'],
  ['timeout_error', 'upstream_timeout'],
  ['request_too_large', 'request_too_large'],
])

const ROUGH = new Map<string, UpstreamCode>([
  ['invalid_request_error', 'bad_request'],
  ['authentication_error', 'upstream_auth_error'],
  ['permission_error', 'upstream_auth_error'],
  ['not_found_error', 'upstream_unknown_url'],
  ['rate_limit_error', 'rate_limit_exceeded'],
])

export function decodeError(status: number, body: unknown): ErrorInfo {
  const error = readUpstreamError(status, body, { sure: (word) => SURE.get(word), rough: (word) => ROUGH.get(word) })
  return status === 529 && error.code === 'service_unavailable' ? { ...error, overloaded: true } : error
}
