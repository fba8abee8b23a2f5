// Thrown by handlers of the console API; the dispatcher renders it.
import type { ConsoleError } from './responses.ts'

export class Rejection extends Error {
  override name = 'Rejection'
  readonly error: ConsoleError

  constructor(error: ConsoleError) {
    super(error.message)
    this.error = error
  }
}

/** A field that is missing or wrong. */
export const badRequest = (param: string, message: string): Rejection =>
  new Rejection({ code: 'bad_request', param, message })
