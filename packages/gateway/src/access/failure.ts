// The one way a step of the journey says no: thrown, caught once at the journey's edge, rendered in the caller's dialect.
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
