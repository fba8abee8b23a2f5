// `config export` and `config import`: from the store to a file, and back.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Assembled } from '../../../config/assemble.ts'
import { importedEntries } from '../../../config/exchange/import.ts'
import { formatMistakes } from '../../../config/format-mistakes.ts'
import type { StoredEntry } from '../../../config/stored.ts'
import { describeSystemError } from '../../../config/system-error.ts'
import {
  type exportConfiguration,
  exportedFrom,
  type importConfiguration,
} from '../../../operate/configuration/exchange.ts'
import type { DryRun } from '../../../operate/operation.ts'
import type { Arguments } from '../../args.ts'
import type { CommandContext } from '../../context.ts'
import { CommandError, UsageError } from '../../errors.ts'
import { commandsIn } from '../declare.ts'
import { REASON } from './entry-commands.ts'

type Exported = Awaited<ReturnType<typeof exportConfiguration.run>>
type Stored = Awaited<ReturnType<typeof importConfiguration.run>>

export const EXCHANGE_COMMANDS = commandsIn('Configuration and upstreams', [
  {
    name: 'config export',
    summary: 'print the configuration in effect as one file, with placeholders for secrets',
    withoutDatabase: async (_input, _config, context) =>
      exportedFrom(await loadConfiguration(context.environment().configFile, context)),
    show: (result) => (result as Exported).file,
  },
  {
    name: 'config import',
    positionals: [{ name: 'FILE', summary: 'a configuration file; its placeholders are read from this environment' }],
    options: { ...REASON, 'dry-run': 'check the entries without storing them' },
    example: 'config import trivium.yaml --dry-run',
    summary: 'store the entries of a file as one revision',
    mayRehearse: true,
    input: importInput,
    show: (result) => describeImport(result as Stored | DryRun),
  },
])

/** The file and these stored entries, with what this environment adds. */
export async function loadConfiguration(
  path: string | undefined,
  { assemble }: CommandContext,
  entries: readonly StoredEntry[] = [],
): Promise<Assembled> {
  const file = path === undefined ? undefined : { path, bytes: readBytes(path) }
  const result = await assemble(file, { revision: 0, entries })
  if (!result.config) throw new CommandError(formatMistakes(result.mistakes), result.mistakes)
  return result
}

function readBytes(path: string): Uint8Array {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${describeSystemError(error)}`)
  }
}

async function importInput({ positionals }: Arguments, context?: CommandContext): Promise<object> {
  if (!context) throw new Error('a file is read by the command line only')
  const file = resolve(positionals[0] ?? '')
  const { entries, leftOut } = importedEntries(await loadConfiguration(file, context))
  if (entries.length === 0) throw new UsageError(`${file} has no entries that can be stored`)
  if (leftOut.length > 0)
    process.stderr.write(`not stored, because only a configuration file can have it: ${leftOut.join(', ')}\n`)
  return { entries }
}

function describeImport(result: Stored | DryRun): string {
  if ('object' in result) {
    const { effects = [], ...entries } = (result.after ?? {}) as { effects?: string[] } & Entries
    const before = (result.before ?? {}) as Entries
    const changes = Object.entries(entries).map(([id, value]) => `${id}: ${changeText(before[id], value)}`)
    const told = ['the entries can be stored; nothing is written', ...changes]
    return [...told, ...effects.map((each) => `effect: ${each}`), ''].join('\n')
  }
  const { entries, revision, shadowed } = result
  const count = `${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}`
  const hidden = shadowed.length > 0 ? `overridden by the file or the environment: ${shadowed.join(', ')}\n` : ''
  return `${count} stored, revision ${revision}\n${hidden}`
}

type Entries = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Entries =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a stored entry would become, by its fields. Secrets are masked before this. */
function changeText(before: unknown, after: unknown): string {
  if (before === undefined || before === null) return `new, ${JSON.stringify(after)}`
  if (!isObject(before) || !isObject(after))
    return JSON.stringify(before) === JSON.stringify(after)
      ? 'as it is'
      : `${JSON.stringify(before)} -> ${JSON.stringify(after)}`
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = names.flatMap((name) => {
    const [was = null, is = null] = [before[name], after[name]].map((each) => each ?? null)
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [`${name} ${JSON.stringify(was)} -> ${JSON.stringify(is)}`]
  })
  return changed.length === 0 ? 'as it is' : changed.join(', ')
}
