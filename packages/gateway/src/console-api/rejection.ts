// Thrown by handlers of the console API; the dispatcher renders it.
import type { ConsoleError } from './responses.ts'

export class ConsoleRejection extends Error {
  override name = 'ConsoleRejection'
  readonly error: ConsoleError

  constructor(error: ConsoleError) {
    super(error.message)
    this.error = error
  }
}

/** A field that is missing or wrong. */
export const badRequest = (param: string, message: string): ConsoleRejection =>
  new ConsoleRejection({ code: 'bad_request', param, message })
