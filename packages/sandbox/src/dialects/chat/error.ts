// Errors of the chat dialect.

import type { SandboxErrorInfo } from '../../request/errors.ts'
import { bodyOfError, ERROR_KINDS } from '../chat-compatible-error.ts'
import type { StreamEvent } from '../dialect.ts'

export const errorBody = (info: SandboxErrorInfo) => bodyOfError(info, ERROR_KINDS)

export function errorEvent(info: SandboxErrorInfo): StreamEvent {
  return { data: JSON.stringify(errorBody(info)) }
}
