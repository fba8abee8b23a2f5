// What a command can fail with. Both are printed as one line on standard error, without a stack.
import type { Mistake } from '../config/types.ts'

/** The command line is right, but what it asks for cannot be done. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly exitCode: number = 1
  /** Of the configuration, each with its line: for programs that read the error as JSON. */
  readonly mistakes: readonly Mistake[] | undefined
  constructor(message: string, mistakes?: readonly Mistake[]) {
    super(message)
    this.mistakes = mistakes
  }
}

/** The command line itself is wrong, whatever the state of the gateway. */
export class UsageError extends CommandError {
  override name = 'UsageError'
  override readonly exitCode = 2
}
