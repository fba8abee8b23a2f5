// Errors in the shape that the responses dialect has.
import type { StreamEvent } from '../dialect.ts'
import type { SandboxErrorInfo } from '../errors.ts'

const KINDS: Readonly<Record<number, { type: string; code: string | null }>> = {
  401: { type: 'invalid_request_error', code: 'invalid_api_key' },
  402: { type: 'insufficient_quota', code: 'insufficient_quota' },
  403: { type: 'permission_error', code: 'permission_denied' },
  404: { type: 'invalid_request_error', code: 'not_found' },
  413: { type: 'invalid_request_error', code: 'request_too_large' },
  429: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  500: { type: 'server_error', code: 'server_error' },
  503: { type: 'server_error', code: 'service_unavailable' },
}

export function errorBody({ status, message, param, code }: SandboxErrorInfo): { error: Record<string, unknown> } {
  const kind = KINDS[status] ?? { type: status < 500 ? 'invalid_request_error' : 'server_error', code: null }
  return { error: { message, type: kind.type, param: param ?? null, code: code ?? kind.code } }
}

export function errorEvent(info: SandboxErrorInfo, sent: number): StreamEvent {
  return { event: 'error', data: JSON.stringify({ type: 'error', sequence_number: sent, ...errorBody(info) }) }
}
