// `config export` and `config import`: from the store to a file, and back.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  type exportConfiguration,
  exportedFrom,
  type importConfiguration,
} from '../../../administration/configuration/exchange.ts'
import type { DryRun } from '../../../administration/operation.ts'
import type { Assembled } from '../../../config/assemble.ts'
import { importedEntries } from '../../../config/exchange/import.ts'
import { formatMistakes } from '../../../config/format-mistakes.ts'
import type { StoredEntry } from '../../../config/stored.ts'
import { describeSystemError } from '../../../config/system-error.ts'
import type { Arguments } from '../../args.ts'
import type { StoreCommand } from '../../command.ts'
import type { CommandContext } from '../../context.ts'
import { CommandError, UsageError } from '../../errors.ts'

const SECTION = 'Configuration and upstreams'

type Exported = Awaited<ReturnType<typeof exportConfiguration.run>>
type Stored = Awaited<ReturnType<typeof importConfiguration.run>>

export const EXCHANGE_COMMANDS: readonly StoreCommand[] = [
  {
    name: 'config export',
    section: SECTION,
    positionals: [],
    options: [],
    example: 'config export',
    summary: 'print the configuration in effect as one file, with placeholders for secrets',
    input: () => ({}),
    withoutDatabase: async (_input, _config, context) =>
      exportedFrom(loadConfiguration(context.environment().configFile, context)),
    show: (result) => (result as Exported).file,
  },
  {
    name: 'config import',
    section: SECTION,
    positionals: [{ name: 'FILE', summary: 'a configuration file; its placeholders are read from this environment' }],
    options: [
      { name: 'reason', value: 'TEXT', summary: 'why, for the revision and the audit log' },
      { name: 'dry-run', summary: 'check the entries without storing them' },
    ],
    example: 'config import trivium.yaml --dry-run',
    summary: 'store the entries of a file as one revision',
    mayRehearse: true,
    input: importInput,
    show: (result) => describeImport(result as Stored | DryRun),
  },
]

/** The file and these stored entries, with what this environment adds. */
export function loadConfiguration(
  path: string | undefined,
  { assemble }: CommandContext,
  entries: readonly StoredEntry[] = [],
): Assembled {
  const file = path === undefined ? undefined : { path, bytes: readBytes(path) }
  const result = assemble(file, { revision: 0, entries })
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

function importInput({ positionals, values }: Arguments, context?: CommandContext): object {
  if (!context) throw new Error('a file is read by the command line only')
  const file = resolve(positionals[0] ?? '')
  const { entries, leftOut } = importedEntries(loadConfiguration(file, context))
  if (entries.length === 0) throw new UsageError(`${file} has no entries that can be stored`)
  if (leftOut.length > 0)
    process.stderr.write(`not stored, because only a configuration file can have it: ${leftOut.join(', ')}\n`)
  const reason = values.reason === undefined ? {} : { reason: values.reason }
  return { entries, ...reason }
}

function describeImport(result: Stored | DryRun): string {
  if ('object' in result) {
    const { effects = [] } = (result.after ?? {}) as { effects?: string[] }
    return ['the entries can be stored; nothing is written', ...effects.map((each) => `effect: ${each}`), ''].join('\n')
  }
  const { entries, revision, shadowed } = result
  const count = `${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}`
  const hidden = shadowed.length > 0 ? `overridden by the file or the environment: ${shadowed.join(', ')}\n` : ''
  return `${count} stored, revision ${revision}\n${hidden}`
}
