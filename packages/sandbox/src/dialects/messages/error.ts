// Errors of the messages dialect.

import type { SandboxErrorInfo } from '../../request/errors.ts'
import type { StreamEvent } from '../dialect.ts'

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

export function errorBody(info: SandboxErrorInfo): Record<string, unknown> {
  return { ...errorOf(info), request_id: 'req_sandbox' }
}

/** Within a stream it has no request id. */
export function errorEvent(info: SandboxErrorInfo): StreamEvent {
  return { event: 'error', data: JSON.stringify(errorOf(info)) }
}

/** The field is named in the message: this dialect has no field for it. */
function errorOf({ status, message, param }: SandboxErrorInfo): Record<string, unknown> {
  const type = TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  return { type: 'error', error: { type, message: param === undefined ? message : `${param}: ${message}` } }
}
