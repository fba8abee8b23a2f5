// Errors of the responses dialect.

import type { SandboxErrorInfo } from '../../request/errors.ts'
import { bodyOfError, ERROR_KINDS, type ErrorKinds } from '../chat-compatible-error.ts'
import type { StreamEvent } from '../dialect.ts'

const KINDS: ErrorKinds = { ...ERROR_KINDS, 500: { type: 'server_error', code: 'server_error' } }

export const errorBody = (info: SandboxErrorInfo) => bodyOfError(info, KINDS)

export function errorEvent(info: SandboxErrorInfo, sent: number): StreamEvent {
  return { event: 'error', data: JSON.stringify({ type: 'error', sequence_number: sent, ...errorBody(info) }) }
}
