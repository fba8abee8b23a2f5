// The error of a rejected request: thrown by any step, caught once in app.ts and rendered in the caller's dialect.
import { type BodyError, NO_MEMORY } from '@trivium/http/bodies/body-error.ts'
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

/** The failure of a request whose body could not be read. */
export function bodyFailure({ reason, message, retryAfter }: BodyError): Failure {
  return new Failure(reason, message, retryAfter === undefined ? {} : { retryAfter })
}

/** The failure of a request that needs so many bytes. Beyond the limit of memory it can never be served, and a retry would not help. */
export function memoryFailure(bytes: number, limit: number): Failure {
  if (bytes <= limit) return bodyFailure(NO_MEMORY)
  return new Failure('request_too_large', `This request needs more than the ${limit} bytes of memory of this gateway.`)
}
