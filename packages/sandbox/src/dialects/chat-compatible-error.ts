// Errors in the shape that the chat and the responses dialect share.
import type { SandboxErrorInfo } from '../request/errors.ts'

export type ErrorKinds = Readonly<Record<number, { type: string; code: string | null }>>

export const ERROR_KINDS: ErrorKinds = {
  401: { type: 'invalid_request_error', code: 'invalid_api_key' },
  402: { type: 'insufficient_quota', code: 'insufficient_quota' },
  403: { type: 'permission_error', code: 'permission_denied' },
  404: { type: 'invalid_request_error', code: 'not_found' },
  413: { type: 'invalid_request_error', code: 'request_too_large' },
  429: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  503: { type: 'server_error', code: 'service_unavailable' },
}

export function bodyOfError(
  { status, message, param, code, type }: SandboxErrorInfo,
  kinds: ErrorKinds,
): { error: Record<string, unknown> } {
  const kind = kinds[status] ?? { type: status < 500 ? 'invalid_request_error' : 'server_error', code: null }
  return { error: { message, type: type ?? kind.type, param: param ?? null, code: code ?? kind.code } }
}
