// Errors of commands. Both are printed as one line on standard error, without a stack.
import type { Mistake } from '../yaml/document.ts'

/** The command line is valid, but the command failed. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly exitCode: number = 1
  /** Mistakes in the configuration, each with its line, for JSON output. */
  readonly mistakes: readonly Mistake[] | undefined
  constructor(message: string, mistakes?: readonly Mistake[], options?: ErrorOptions) {
    super(message, options)
    this.mistakes = mistakes
  }
}

/** There is no database yet, and only a server creates one. */
export class NoDatabaseYet extends CommandError {
  override name = 'NoDatabaseYet'
}

/** The command line itself is invalid. */
export class UsageError extends CommandError {
  override name = 'UsageError'
  override readonly exitCode = 2
}
