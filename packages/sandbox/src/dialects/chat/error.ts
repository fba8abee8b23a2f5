// Errors in the shape that the chat dialect has.

import type { SandboxErrorInfo } from '../../request/errors.ts'
import { bodyOfError, ERROR_KINDS } from '../chat-compatible-error.ts'
import type { StreamEvent } from '../dialect.ts'

export const errorBody = (info: SandboxErrorInfo) => bodyOfError(info, ERROR_KINDS)

export function errorEvent(info: SandboxErrorInfo): StreamEvent {
  return { data: JSON.stringify(errorBody(info)) }
}
