// Prints results: `name: value` lines, or one line per list entry. With --json, JSON and nothing else.
import { FolderInUse } from '../storage/storage.ts'
import { CommandError } from './errors.ts'

/** A result with its own text for people, besides JSON for programs. */
export class Report {
  readonly result: unknown
  readonly text: string
  constructor(result: unknown, text: string) {
    this.result = result
    this.text = text
  }
}

/** Resolves when everything is written: a pipe accepts 64 KB at once, and exiting would lose the rest. */
export function printResult(result: unknown, json: boolean): Promise<void> {
  const own = result instanceof Report ? result : undefined
  const text = json ? `${JSON.stringify(own ? own.result : result)}\n` : (own?.text ?? describe(result))
  // The callback is also called when the reader has closed the pipe (`| head`), which is not an error.
  return new Promise((resolve) => process.stdout.write(text, () => resolve()))
}

/** One line on standard error, or one for each mistake in the configuration. */
export function printError(error: unknown, json: boolean): void {
  const known = error instanceof CommandError || error instanceof FolderInUse
  const text = error instanceof Error ? error.message : String(error)
  // Unexpected errors also get one line, not a stack.
  const message = known ? text : `trivium: ${text.split('\n')[0]}`
  const exitCode = error instanceof CommandError ? error.exitCode : 1
  const mistakes = error instanceof CommandError ? error.mistakes : undefined
  const shown = { error: { message, exit_code: exitCode, ...(mistakes ? { mistakes } : {}) } }
  process.stderr.write(`${json ? JSON.stringify(shown) : message}\n`)
}

export function describe(result: unknown): string {
  if (Array.isArray(result))
    return result.length === 0 ? '(none)\n' : result.map((entry) => `${oneLine(entry)}\n`).join('')
  if (typeof result !== 'object' || result === null) return `${result}\n`
  return Object.entries(result)
    .map(([name, value]) => `${name}: ${plain(value)}\n`)
    .join('')
}

function oneLine(entry: unknown): string {
  if (typeof entry !== 'object' || entry === null) return String(entry)
  return Object.entries(entry)
    .filter(([, value]) => Array.isArray(value) || typeof value !== 'object')
    .map(([name, value]) => `${name}=${plain(value)}`)
    .join('  ')
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '(none)' : value.map(plain).join('; ')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, each]) => `${name}=${plain(each)}`)
    .join(' ')
}
