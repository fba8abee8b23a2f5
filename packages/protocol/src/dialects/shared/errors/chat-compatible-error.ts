// The error body that chat, responses and images share: {"error":{"message","type","param","code"}}, all four always.

import { ERRORS, type ErrorCode, type ErrorInfo, type RenderedError } from '../../../canonical/error.ts'
import { errorHeaders } from './error-headers.ts'
import { type KnownPhrases, messageWith, NO_KEY } from './known-phrases.ts'
import { readUpstreamError, type UpstreamCode } from './upstream-error.ts'

type Row = { type: string; code: string | null; param?: string }

const ROWS = {
  bad_request: { type: 'invalid_request_error', code: null },
  unsupported_parameter: { type: 'invalid_request_error', code: 'unsupported_parameter' },
  context_length_exceeded: { type: 'invalid_request_error', code: 'context_length_exceeded' },
  content_policy_violation: { type: 'invalid_request_error', code: 'content_policy_violation' },
  previous_response_not_found: {
    type: 'invalid_request_error',
    code: 'previous_response_not_found',
    param: 'previous_response_id',
  },
  invalid_api_key: { type: 'invalid_request_error', code: 'invalid_api_key' },
  api_key_expired: { type: 'invalid_request_error', code: 'api_key_expired' },
  insufficient_balance: { type: 'insufficient_quota', code: 'insufficient_balance' },
  key_quota_exceeded: { type: 'insufficient_quota', code: 'key_quota_exceeded' },
  account_quota_exceeded: { type: 'insufficient_quota', code: 'account_quota_exceeded' },
  model_not_allowed: { type: 'invalid_request_error', code: 'model_not_allowed' },
  account_disabled: { type: 'invalid_request_error', code: 'account_disabled' },
  address_not_allowed: { type: 'invalid_request_error', code: 'address_not_allowed' },
  invalid_signature: { type: 'invalid_request_error', code: 'invalid_signature' },
  unknown_url: { type: 'invalid_request_error', code: 'unknown_url' },
  model_not_found: { type: 'invalid_request_error', code: 'model_not_found', param: 'model' },
  not_found: { type: 'invalid_request_error', code: 'not_found' },
  method_not_allowed: { type: 'invalid_request_error', code: 'method_not_allowed' },
  request_timeout: { type: 'invalid_request_error', code: 'request_timeout' },
  conflict: { type: 'invalid_request_error', code: 'conflict' },
  idempotency_mismatch: { type: 'invalid_request_error', code: 'idempotency_mismatch' },
  request_too_large: { type: 'invalid_request_error', code: 'request_too_large' },
  unsupported_media_type: { type: 'invalid_request_error', code: 'unsupported_media_type' },
  no_websocket: { type: 'invalid_request_error', code: 'no_websocket' },
  rate_limit_exceeded: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  client_closed_request: { type: 'invalid_request_error', code: 'client_closed_request' },
  internal_error: { type: 'server_error', code: 'internal_error' },
  upstream_error: { type: 'server_error', code: 'upstream_error' },
  upstream_no_image: { type: 'server_error', code: 'upstream_no_image' },
  upstream_auth_error: { type: 'server_error', code: 'upstream_auth_error' },
  upstream_model_not_found: { type: 'server_error', code: 'upstream_model_not_found' },
  upstream_unknown_url: { type: 'server_error', code: 'upstream_unknown_url' },
  upstream_no_credit: { type: 'server_error', code: 'upstream_no_credit' },
  service_unavailable: { type: 'server_error', code: 'service_unavailable' },
  upstream_timeout: { type: 'server_error', code: 'upstream_timeout' },
} satisfies Record<ErrorCode, Row>

const WRONG_KEY = { said: ['incorrect api key provided', NO_KEY], say: 'Incorrect API key provided.' }

const WORDS: KnownPhrases = {
  invalid_api_key: WRONG_KEY,
  api_key_expired: WRONG_KEY,
  context_length_exceeded: {
    said: ["this model's maximum context length is"],
    say: "This model's maximum context length is exceeded.",
  },
}

export type ChatCompatibleError = { message: string; type: string; param: string | null; code: string | null }

export function errorObject(error: ErrorInfo): ChatCompatibleError {
  const row: Row = ROWS[error.code]
  const [param, code] = [error.param ?? row.param ?? null, error.vendorCode ?? row.code]
  return { message: messageWith(WORDS, error), type: row.type, param, code }
}

export function encodeError(error: ErrorInfo, requestId: string): RenderedError {
  return {
    status: ERRORS[error.code].status,
    body: { error: errorObject(error) },
    headers: { ...errorHeaders(error, requestId), ...rateHeaders(error) },
  }
}

/** A limit on calls at once has no headers of its own; `retry-after` says all. */
function rateHeaders({ limit }: ErrorInfo): Record<string, string> | undefined {
  if (limit === undefined || limit.of === 'concurrent') return undefined
  const headers: Record<string, string> = {
    [`x-ratelimit-limit-${limit.of}`]: String(limit.limit),
    [`x-ratelimit-remaining-${limit.of}`]: String(limit.remaining),
  }
  if (typeof limit.reset === 'object') headers[`x-ratelimit-reset-${limit.of}`] = duration(limit.reset.afterMs)
  return headers
}

/** `850ms`, `12s`, `1m0s`. */
function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.ceil(ms))}ms`
  const seconds = Math.ceil(ms / 1_000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}

// Words that mean the same whatever the status. Upstreams answer 400 for a wrong key and 429 for an empty account: both
// are about the operator's account, not the caller's.
const SURE = new Map<string, UpstreamCode>([
  ['context_length_exceeded', 'context_length_exceeded'],
  ['exceed_context_size_error', 'context_length_exceeded'],
  ['content_policy_violation', 'content_policy_violation'],
  ['content_filter', 'content_policy_violation'],
  ['moderation_blocked', 'content_policy_violation'],
  ['unsupported_parameter', 'unsupported_parameter'],
  ['unsupported_value', 'unsupported_parameter'],
  ['invalid_api_key', 'upstream_auth_error'],
  ['api_key_expired', 'upstream_auth_error'],
  ['account_deactivated', 'upstream_auth_error'],
  ['account_disabled', 'upstream_auth_error'],
  ['model_not_found', 'upstream_model_not_found'],
  ['unknown_url', 'upstream_unknown_url'],
  ['model_not_allowed', 'upstream_auth_error'],
  ['billing_not_active', 'upstream_no_credit'],
  ['billing_hard_limit_reached', 'upstream_no_credit'],
  ['insufficient_quota', 'upstream_no_credit'],
  ['insufficient_balance', 'upstream_no_credit'],
  ['credit_balance_exhausted', 'upstream_no_credit'],
  ['key_quota_exceeded', 'upstream_no_credit'],
  ['account_quota_exceeded', 'upstream_no_credit'],
])

const asBad = (word: string): [string, UpstreamCode] => [word, 'bad_request']

// Words that only say roughly what happened: used inside a stream, where no status tells it better.
const ROUGH = new Map<string, UpstreamCode>([
  ['invalid_request_error', 'bad_request'],
  ['invalid_prompt', 'bad_request'],
  ['image_generation_user_error', 'bad_request'],
  ...['invalid_image', 'invalid_image_format', 'invalid_base64_image', 'invalid_image_url', 'invalid_image_mode'].map(
    asBad,
  ),
  ...['image_too_large', 'image_too_small', 'image_parse_error', 'image_file_too_large', 'empty_image_file'].map(asBad),
  ...['unsupported_image_media_type', 'failed_to_download_image', 'image_file_not_found'].map(asBad),
  ['image_content_policy_violation', 'content_policy_violation'],
  ['bio_policy', 'content_policy_violation'],
  ['cyber_policy', 'content_policy_violation'],
  ['authentication_error', 'upstream_auth_error'],
  ['permission_error', 'upstream_auth_error'],
  ['not_found_error', 'upstream_unknown_url'],
  ['rate_limit_error', 'rate_limit_exceeded'],
  ['rate_limit_exceeded', 'rate_limit_exceeded'],
  ['tokens', 'rate_limit_exceeded'],
  ['requests', 'rate_limit_exceeded'],
  ['overloaded_error', 'service_unavailable'],
  ['server_is_overloaded', 'service_unavailable'],
  ['slow_down', 'service_unavailable'],
  ['service_unavailable', 'service_unavailable'],
  ['timeout', 'upstream_timeout'],
  ['timeout_error', 'upstream_timeout'],
  ['upstream_timeout', 'upstream_timeout'],
])

export function decodeError(status: number, body: unknown): ErrorInfo {
  return readUpstreamError(status, body, { sure: (word) => SURE.get(word), rough: (word) => ROUGH.get(word) })
}
