// The configuration as a file, and the entries of a file as one revision.
import type { Assembled } from '../../config/assemble.ts'
import { exportConfig } from '../../config/exchange/export.ts'
import type { Imported } from '../../config/exchange/import.ts'
import { readConfigText } from '../../config/exchange/read-text.ts'
import { ENTRY_KINDS, type EntryKind, entryKey } from '../../config/stored.ts'
import { fields, list, mapOf, optional, rule, text, unknown, word } from '../../request/schema/schema.ts'
import { REASON } from '../inputs/schemas.ts'
import { limitWork } from '../limit-work.ts'
import { type OperationContext, operation } from '../operation.ts'
import { OperationRejected, rejected } from '../rejections.ts'
import { EXPORTED, IMPORTED } from '../resources/configuration.ts'
import { changeConfiguration, readState } from './change.ts'
import { ENTRY_ID } from './entries.ts'
import { rejectNames } from './show.ts'

/** Everything in force, wherever it comes from, with a placeholder for each secret. */
export const exportConfiguration = operation({
  name: 'config export',
  permission: 'configuration',
  route: {
    at: 'GET configuration/export',
    summary: 'Writes everything in force as the text of a configuration file, with placeholders for secrets',
    output: EXPORTED,
  },
  input: fields({}),
  async run(context) {
    const { loaded } = await readState(context)
    return exportedFrom(loaded)
  },
})

export function exportedFrom(loaded: Parameters<typeof exportConfig>[0] & { invalid: readonly { entry: Entry }[] }) {
  const { text, secrets } = exportConfig(loaded)
  return {
    id: 'configuration',
    file: text,
    variables: secrets,
    /** Invalid entries, which are not in force. */
    left_out: loaded.invalid.map(({ entry }) => entryKey(entry)),
  }
}

type Entry = Parameters<typeof entryKey>[0]

/** Stored entries that are not in force, each with the reason. */
export const unusedEntries = operation({
  name: 'config unused',
  permission: 'see',
  input: fields({}),
  async run(context) {
    return unusedIn((await readState(context)).loaded)
  },
})

export const unusedIn = ({ shadowed, invalid }: Pick<Assembled, 'shadowed' | 'invalid'>): string[] => [
  ...shadowed.map((entry) => `stored ${entryKey(entry)} is overridden by the file or the environment`),
  ...invalid.map(({ entry, mistakes }) => `stored ${entryKey(entry)} is left out: ${mistakes[0]?.message ?? ''}`),
]

const MOST_ENTRIES = 5_000
/** Reading a file keeps the event loop busy: longer ones are imported by the command, in a process of its own. */
const LONGEST_FILE = 128 * 1024
const VARIABLES = rule(
  mapOf(text({ min: 0, max: 4_096 })),
  (variables) => Object.keys(variables).length <= 200,
  'have at most 200 names',
)

/** Reading and checking a large file keeps the processor busy for a second. */
const limitImports = limitWork(1, 'too_many_changes')

/** Entries that file or environment override are stored, too: they are in force when they are removed there. */
export const importConfiguration = operation({
  name: 'config import',
  permission: 'configuration',
  route: {
    at: 'POST configuration/import',
    summary: 'Stores entries, or those of the text of a file, as one revision',
    output: IMPORTED,
    status: 201,
    example: { body: { entries: [{ kind: 'setting', id: 'console.name', value: 'Our gateway' }] } },
  },
  input: fields({
    entries: optional(list(fields({ kind: word(...ENTRY_KINDS), id: ENTRY_ID, value: unknown() }), MOST_ENTRIES)),
    /** The text of a configuration file, instead of entries; `variables`: what `${NAME}` in it stands for. */
    file: optional(text({ max: LONGEST_FILE })),
    variables: optional(VARIABLES),
    reason: REASON,
  }),
  run: (context, given) => limitImports(context.actor, () => importGiven(context, given)),
})

async function importGiven(context: OperationContext, { reason, ...given }: Given & { reason?: string }) {
  const { entries, leftOut } = importedFrom(given)
  for (const { value } of entries) rejectNames(value, 'entries')
  const changes = entries.map(({ kind, id, value }) => ({ kind, id, after: value }))
  const entryKeys = entries.map(entryKey)
  const action = { name: 'config import', object: 'configuration', reason }
  const { stored, loaded } = await changeConfiguration(context, action, () => ({ changes }))
  const shadowed = loaded.shadowed.map(entryKey).filter((key) => entryKeys.includes(key))
  return { id: 'configuration', entries: entryKeys, revision: stored.revision, shadowed, left_out: leftOut }
}

type Given = {
  entries?: readonly { kind: EntryKind; id: string; value: unknown }[]
  file?: string
  variables?: Readonly<Record<string, string>>
}

function importedFrom({ entries, file, variables = {} }: Given): Imported {
  if (entries !== undefined && file !== undefined) throw rejected('exclusive', { field: 'entries', other: 'file' })
  if (file === undefined) {
    if (entries === undefined) throw rejected('malformed', { field: 'entries', must: 'be given', or: 'file' })
    return { entries: [...entries], leftOut: [] }
  }
  const { imported, mistakes } = readConfigText(file, variables)
  const all = mistakes.map((mistake) => ({
    reason: 'configuration_mistake' as const,
    details: { field: 'file', mistake },
  }))
  const [first] = all
  if (first) throw new OperationRejected(first, all)
  if (!imported || imported.entries.length === 0)
    throw rejected('configuration_mistake', { field: 'file', mistake: 'it has no entries that can be stored' })
  return imported
}
