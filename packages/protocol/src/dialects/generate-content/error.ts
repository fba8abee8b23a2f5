import {
  ERRORS,
  type ErrorCode,
  type ErrorInfo,
  type FieldViolation,
  type RenderedError,
} from '../../canonical/error.ts'
import { maskSecrets } from '../../canonical/mask.ts'
import { formatSse } from '../../framing/sse.ts'
import { errorHeaders, secondsToWait } from '../shared/errors/error-headers.ts'
import { type KnownPhrases, messageWith, NO_KEY } from '../shared/errors/known-phrases.ts'
import { isObject, readFacts, readUpstreamError, type UpstreamCode } from '../shared/errors/upstream-error.ts'

/** `reason` is given where the status word alone leaves open what to do. */
type Row = { status: string; reason?: string }

const ROWS = {
  bad_request: { status: 'INVALID_ARGUMENT' },
  unsupported_parameter: { status: 'INVALID_ARGUMENT', reason: 'UNSUPPORTED_PARAMETER' },
  context_length_exceeded: { status: 'INVALID_ARGUMENT', reason: 'CONTEXT_LENGTH_EXCEEDED' },
  // A model that refuses while answering is a reply with finishReason SAFETY; here nothing was answered.
  content_policy_violation: { status: 'INVALID_ARGUMENT', reason: 'CONTENT_REFUSED' },
  previous_response_not_found: { status: 'INVALID_ARGUMENT' },
  invalid_api_key: { status: 'UNAUTHENTICATED', reason: 'API_KEY_INVALID' },
  api_key_expired: { status: 'UNAUTHENTICATED', reason: 'API_KEY_EXPIRED' },
  insufficient_balance: { status: 'FAILED_PRECONDITION', reason: 'INSUFFICIENT_BALANCE' },
  key_quota_exceeded: { status: 'FAILED_PRECONDITION', reason: 'KEY_QUOTA_EXCEEDED' },
  account_quota_exceeded: { status: 'FAILED_PRECONDITION', reason: 'ACCOUNT_QUOTA_EXCEEDED' },
  model_not_allowed: { status: 'PERMISSION_DENIED', reason: 'MODEL_NOT_ALLOWED' },
  account_disabled: { status: 'PERMISSION_DENIED', reason: 'ACCOUNT_DISABLED' },
  address_not_allowed: { status: 'PERMISSION_DENIED', reason: 'ADDRESS_NOT_ALLOWED' },
  invalid_signature: { status: 'PERMISSION_DENIED', reason: 'INVALID_SIGNATURE' },
  unknown_url: { status: 'NOT_FOUND', reason: 'UNKNOWN_URL' },
  model_not_found: { status: 'NOT_FOUND', reason: 'MODEL_NOT_FOUND' },
  not_found: { status: 'NOT_FOUND' },
  method_not_allowed: { status: 'UNIMPLEMENTED' },
  request_timeout: { status: 'DEADLINE_EXCEEDED' },
  conflict: { status: 'ABORTED' },
  idempotency_mismatch: { status: 'INVALID_ARGUMENT', reason: 'IDEMPOTENCY_MISMATCH' },
  request_too_large: { status: 'INVALID_ARGUMENT', reason: 'REQUEST_TOO_LARGE' },
  unsupported_media_type: { status: 'INVALID_ARGUMENT', reason: 'UNSUPPORTED_MEDIA_TYPE' },
  no_websocket: { status: 'UNIMPLEMENTED' },
  rate_limit_exceeded: { status: 'RESOURCE_EXHAUSTED' },
  client_closed_request: { status: 'CANCELLED' },
  internal_error: { status: 'INTERNAL' },
  upstream_error: { status: 'UNAVAILABLE', reason: 'UPSTREAM_ERROR' },
  upstream_no_image: { status: 'UNAVAILABLE', reason: 'UPSTREAM_NO_IMAGE' },
  upstream_auth_error: { status: 'UNAVAILABLE', reason: 'UPSTREAM_AUTH_ERROR' },
  upstream_model_not_found: { status: 'UNAVAILABLE', reason: 'UPSTREAM_MODEL_NOT_FOUND' },
  upstream_unknown_url: { status: 'UNAVAILABLE', reason: 'UPSTREAM_UNKNOWN_URL' },
  upstream_no_credit: { status: 'UNAVAILABLE', reason: 'UPSTREAM_NO_CREDIT' },
  service_unavailable: { status: 'UNAVAILABLE' },
  upstream_timeout: { status: 'DEADLINE_EXCEEDED', reason: 'UPSTREAM_TIMEOUT' },
} satisfies Record<ErrorCode, Row>

const WORDS: KnownPhrases = {
  invalid_api_key: { said: ['api key not valid', NO_KEY], say: 'API key not valid.' },
  api_key_expired: { said: ['api key expired'], say: 'API key expired.' },
  context_length_exceeded: {
    said: ['exceeds the maximum number of tokens'],
    say: 'The input token count exceeds the maximum number of tokens allowed.',
  },
}

export function encodeError(error: ErrorInfo, requestId: string): RenderedError {
  return { status: ERRORS[error.code].status, body: body(error), headers: errorHeaders(error, requestId) }
}

/** Exactly one data line: SDKs of this dialect lose the whole stream over an `event:` line or a comment. */
export function encodeStreamError(error: ErrorInfo, _requestId: string): string {
  return formatSse(JSON.stringify(body(error)))
}

/** The same for `alt=json`. The opening bracket goes out with the first element, so before it there is nothing. */
export function encodeArrayStreamError(error: ErrorInfo, elementsSent: boolean): string {
  return `${elementsSent ? ',\r\n' : '['}${JSON.stringify(body(error))}]`
}

/** `code` is a number even in a stream: as text the SDK takes the error for an empty chunk. */
function body(error: ErrorInfo) {
  const row: Row = ROWS[error.code]
  const details = detailsOf(error, row)
  const { status } = ERRORS[error.code]
  const message = messageWith(WORDS, error)
  return {
    error: { code: status, message, status: row.status, ...(details.length > 0 ? { details } : {}) },
  }
}

function detailsOf(error: ErrorInfo, row: Row): object[] {
  const details: object[] = []
  if (row.reason !== undefined) {
    details.push({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: row.reason, domain: 'trivium' })
  }
  if (error.param !== undefined || error.violations !== undefined) {
    const fieldViolations = error.violations ?? [{ field: error.param, description: error.message }]
    details.push({ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations })
  }
  // Without it a client knows that waiting is no use.
  if (
    (error.code === 'rate_limit_exceeded' && error.limit?.reset !== 'never') ||
    error.code === 'service_unavailable'
  ) {
    details.push({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${secondsToWait(error)}s` })
  }
  return details
}

// A wrong key and a missing billing account both arrive as 400: they are about the operator's account.
const SURE = new Map<string, UpstreamCode>([
  ['API_KEY_INVALID', 'upstream_auth_error'],
  ['API_KEY_EXPIRED', 'upstream_auth_error'],
  ['API_KEY_SERVICE_BLOCKED', 'upstream_auth_error'],
  ['FAILED_PRECONDITION', 'upstream_auth_error'],
  ['CONTEXT_LENGTH_EXCEEDED', 'context_length_exceeded'],
  ['CONTENT_REFUSED', 'content_policy_violation'],
  ['UNSUPPORTED_PARAMETER', 'unsupported_parameter'],
])

const ROUGH = new Map<string, UpstreamCode>([
  ['INVALID_ARGUMENT', 'bad_request'],
  ['OUT_OF_RANGE', 'bad_request'],
  ['UNAUTHENTICATED', 'upstream_auth_error'],
  ['PERMISSION_DENIED', 'upstream_auth_error'],
  ['NOT_FOUND', 'upstream_unknown_url'],
  ['RESOURCE_EXHAUSTED', 'rate_limit_exceeded'],
  ['UNAVAILABLE', 'service_unavailable'],
  ['DEADLINE_EXCEEDED', 'upstream_timeout'],
])

export function decodeError(status: number, body: unknown): ErrorInfo {
  const details = readFacts(body).details.filter(isObject)
  const reason = details.map((detail) => SURE.get(String(detail.reason))).find((code) => code !== undefined)
  const error = readUpstreamError(status, body, {
    sure: (word) => reason ?? SURE.get(word),
    rough: (word) => ROUGH.get(word),
  })
  const violations = ERRORS[error.code].status === 400 ? violationsIn(details) : []
  const param = violations[0]?.field
  const retryAfter = retryDelay(details)
  return {
    ...error,
    ...(param === undefined ? {} : { param }),
    ...(violations.length === 0 ? {} : { violations }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  }
}

const MOST_VIOLATIONS = 16

function violationsIn(details: Record<string, unknown>[]): FieldViolation[] {
  const lists = details.map(({ fieldViolations }) => (Array.isArray(fieldViolations) ? fieldViolations : []))
  return lists.flat().filter(isObject).slice(0, MOST_VIOLATIONS).map(violationOf)
}

function violationOf({ field, description }: Record<string, unknown>): FieldViolation {
  return {
    ...(typeof field === 'string' ? { field: maskSecrets(field).slice(0, 200) } : {}),
    ...(typeof description === 'string' ? { description: maskSecrets(description).slice(0, 1_000) } : {}),
  }
}

/** `"34.4s"` -> 35. */
function retryDelay(details: Record<string, unknown>[]): number | undefined {
  for (const { retryDelay: delay } of details) {
    if (typeof delay === 'string' && /^\d{1,9}(?:\.\d{1,9})?s$/.test(delay))
      return Math.ceil(Number(delay.slice(0, -1)))
  }
  return undefined
}
