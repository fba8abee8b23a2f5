// Thrown by handlers of the console API; the dispatcher renders it.
import type { ApiError } from './errors.ts'

export class ApiRejection extends Error {
  override name = 'ApiRejection'
  readonly error: ApiError

  constructor(error: ApiError) {
    super(error.message)
    this.error = error
  }
}

/** A field that is missing or wrong. */
export const badRequest = (param: string, message: string): ApiRejection =>
  new ApiRejection({ code: 'bad_request', param, message })
