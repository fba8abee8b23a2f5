import { ERRORS, type ErrorCode, type ErrorInfo, type RenderedError } from '../../canonical/error.ts'
import { formatSse } from '../../framing/sse.ts'
import { errorHeaders } from '../shared/errors/error-headers.ts'
import { readUpstreamError, type UpstreamCode } from '../shared/errors/upstream-error.ts'

type Row = { code: string; type: string }

const ROWS = {
  bad_request: { code: 'InvalidParameter', type: 'BadRequest' },
  unsupported_parameter: { code: 'InvalidParameter', type: 'BadRequest' },
  context_length_exceeded: { code: 'InvalidParameter', type: 'BadRequest' },
  content_policy_violation: { code: 'InputTextSensitiveContentDetected', type: 'BadRequest' },
  previous_response_not_found: { code: 'InvalidParameter', type: 'BadRequest' },
  invalid_api_key: { code: 'AuthenticationError', type: 'Unauthorized' },
  api_key_expired: { code: 'AuthenticationError', type: 'Unauthorized' },
  insufficient_balance: { code: 'AccountOverdueError', type: 'Forbidden' },
  key_quota_exceeded: { code: 'QuotaExceeded', type: 'Forbidden' },
  account_quota_exceeded: { code: 'QuotaExceeded', type: 'Forbidden' },
  model_not_allowed: { code: 'AccessDenied', type: 'Forbidden' },
  account_disabled: { code: 'AccessDenied', type: 'Forbidden' },
  address_not_allowed: { code: 'AccessDenied', type: 'Forbidden' },
  invalid_signature: { code: 'AccessDenied', type: 'Forbidden' },
  unknown_url: { code: 'NotFound', type: 'NotFound' },
  model_not_found: { code: 'InvalidEndpointOrModel.NotFound', type: 'NotFound' },
  not_found: { code: 'NotFound.task_id', type: 'NotFound' },
  method_not_allowed: { code: 'InvalidParameter', type: 'MethodNotAllowed' },
  request_timeout: { code: 'RequestTimeout', type: 'RequestTimeout' },
  conflict: { code: 'OperationDenied.InvalidState', type: 'Forbidden' },
  idempotency_mismatch: { code: 'InvalidParameter', type: 'BadRequest' },
  request_too_large: { code: 'InvalidParameter', type: 'BadRequest' },
  unsupported_media_type: { code: 'InvalidParameter', type: 'BadRequest' },
  no_websocket: { code: 'InvalidParameter', type: 'BadRequest' },
  rate_limit_exceeded: { code: 'RateLimitExceeded', type: 'TooManyRequests' },
  client_closed_request: { code: 'RequestCanceled', type: 'BadRequest' },
  internal_error: { code: 'InternalServiceError', type: 'InternalServerError' },
  upstream_error: { code: 'InternalServiceError', type: 'InternalServerError' },
  upstream_no_image: { code: 'InternalServiceError', type: 'InternalServerError' },
  upstream_auth_error: { code: 'InternalServiceError', type: 'InternalServerError' },
  upstream_model_not_found: { code: 'InternalServiceError', type: 'InternalServerError' },
  upstream_unknown_url: { code: 'InternalServiceError', type: 'InternalServerError' },
  upstream_no_credit: { code: 'InternalServiceError', type: 'InternalServerError' },
  service_unavailable: { code: 'ServerOverloaded', type: 'ServiceUnavailable' },
  upstream_timeout: { code: 'InternalServiceError', type: 'InternalServerError' },
} satisfies Record<ErrorCode, Row>

/** The code of a task that failed by this error. */
export const errorCodeOf = (code: ErrorCode): string => ROWS[code].code

export function encodeError(error: ErrorInfo, requestId: string): RenderedError {
  return { status: ERRORS[error.code].status, body: body(error, requestId), headers: errorHeaders(error, requestId) }
}

/** Tasks are asked for, not streamed: this only keeps a begun answer of any kind from ending without its reason. */
export function encodeStreamError(error: ErrorInfo, requestId: string): string {
  return formatSse(JSON.stringify(body(error, requestId)))
}

/** All four are text: the clients of this dialect decode into strings. The request id stands in the message. */
function body(error: ErrorInfo, requestId: string) {
  const { code, type } = ROWS[error.code]
  const param = error.param ?? (error.code === 'model_not_found' ? 'model' : '')
  return { error: { code, message: `${error.message} Request id: ${requestId}`, param, type } }
}

// Codes grow suffixes (`RateLimitExceeded.EndpointRPMExceeded`): only their beginning is stable.
const BEGINNINGS: [beginning: string, code: UpstreamCode][] = [
  ['RateLimitExceeded', 'rate_limit_exceeded'],
  ['QuotaExceeded', 'upstream_no_credit'],
  ['AccountOverdue', 'upstream_no_credit'],
  ['AuthenticationError', 'upstream_auth_error'],
  ['AccessDenied', 'upstream_auth_error'],
  ['InvalidEndpointOrModel', 'upstream_model_not_found'],
  ['OperationDenied.InvalidState', 'conflict'],
  ['NotFound.', 'not_found'],
  ['ServerOverloaded', 'service_unavailable'],
]

const ROUGH_BEGINNINGS: [beginning: string, code: UpstreamCode][] = [
  ['InvalidParameter', 'bad_request'],
  ['MissingParameter', 'bad_request'],
  ['RequestTimeout', 'upstream_timeout'],
]

export function decodeError(status: number, body: unknown): ErrorInfo {
  return readUpstreamError(status, body, {
    sure: (word) =>
      word.includes('SensitiveContentDetected') ? 'content_policy_violation' : beginning(word, BEGINNINGS),
    rough: (word) => beginning(word, ROUGH_BEGINNINGS),
  })
}

function beginning(word: string, table: typeof BEGINNINGS): UpstreamCode | undefined {
  return table.find(([start]) => word.startsWith(start))?.[1]
}
