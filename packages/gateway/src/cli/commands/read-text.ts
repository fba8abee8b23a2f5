// Text that a command reads from a file or from standard input.
import { readFileSync, statSync } from 'node:fs'
import { describeSystemError } from '../../config/system-error.ts'
import { UsageError } from '../errors.ts'

const MOST_BYTES = 4 * 1024 * 1024

export function readTextFile(file: string): string {
  try {
    if (statSync(file).size > MOST_BYTES) throw new UsageError(`${file} has more than 4 MiB: split it`)
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`cannot read ${file}: ${describeSystemError(error)}`)
  }
}

/** `-`: standard input, so that a secret does not stand in the list of processes. */
export const readText = async (file: string): Promise<string> =>
  file === '-' ? await Bun.stdin.text() : readTextFile(file)
