// The error of a rejected request: thrown by any step, caught once in app.ts and rendered in the caller's dialect.
import type { BodyError } from '@trivium/http/bodies/body-error.ts'
import { type ErrorCode, type ErrorInfo, errorInfo } from '@trivium/protocol/canonical/error.ts'

export class Failure extends Error {
  override name = 'Failure'
  readonly info: ErrorInfo

  constructor(code: ErrorCode, message: string, more: Omit<ErrorInfo, 'code' | 'message'> = {}) {
    const info = errorInfo(code, message, more)
    super(info.message)
    this.info = info
  }
}

/** Of a body that could not be read. */
export function bodyFailure({ reason, message, retryAfter }: BodyError): Failure {
  return new Failure(reason, message, retryAfter === undefined ? {} : { retryAfter })
}
