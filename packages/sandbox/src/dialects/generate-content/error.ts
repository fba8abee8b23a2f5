// Errors of the generate-content dialect.

import type { SandboxErrorInfo } from '../../request/errors.ts'
import type { StreamEvent } from '../dialect.ts'

const STATUSES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

export function errorBody(info: SandboxErrorInfo): { error: Record<string, unknown> } {
  const { status: code, message } = info
  const status = STATUSES[code] ?? (code < 500 ? 'INVALID_ARGUMENT' : 'UNAVAILABLE')
  const details = detailsOf(info)
  return { error: { code, message, status, ...(details.length > 0 ? { details } : {}) } }
}

export function errorEvent(info: SandboxErrorInfo): StreamEvent {
  return { data: JSON.stringify(errorBody(info)) }
}

function detailsOf({ status, message, param }: SandboxErrorInfo): unknown[] {
  if (status === 429) return [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1s' }]
  if (param === undefined || status !== 400) return []
  const fieldViolations = [{ field: param, description: message }]
  return [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }]
}
