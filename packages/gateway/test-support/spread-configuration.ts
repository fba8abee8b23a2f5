// A configuration, spread over a file, the environment and the store.
import { stringify } from 'yaml'
import { mapSecrets } from '../src/config/secret-paths.ts'
import { SETTING_FIELDS } from '../src/config/settings/table.ts'
import type { EntryKind, StoredEntry } from '../src/config/stored.ts'
import { hasFileOnlyAuth } from './generate-clouds.ts'

export type Fields = { [name: string]: unknown }
export type Entry = { kind: EntryKind; id: string; value: unknown }
export type Generated = {
  /** As one file would have them. */
  entries: Entry[]
  source: string
  env: Record<string, string>
  stored: StoredEntry[]
}

/** Fields that cannot be stored. */
export const isFileOnly = ({ kind, id, value }: Entry): boolean =>
  (kind === 'upstream' && ('allow_private' in (value as object) || hasFileOnlyAuth(value as Fields))) ||
  (id === 'sign_in.providers' && (value as object[]).some((each) => 'allow_private' in each)) ||
  (kind === 'setting' && SETTING_FIELDS.some((field) => field.id === id && field.isFileOnly))

export function spread(entries: readonly Entry[], random: () => number): Omit<Generated, 'entries'> {
  const env: Record<string, string> = {}
  const names = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'ARK_API_KEY']
  for (const name of names) if (random() < 0.25) env[name] = `key-of-${name}-${Math.floor(random() * 1e6)}`
  const share = random()
  const isStored = entries.map((entry) => !isFileOnly(entry) && random() < share)
  const stored = entries.flatMap((entry, index): StoredEntry[] =>
    isStored[index] ? [{ ...entry, revision: index + 1 }] : [],
  )
  const file: Fields = {}
  entries.forEach((entry, index) => {
    if (isStored[index]) return
    // Some secrets of files are in the environment; all other text is written so that it is not expanded.
    const referring = mapSecrets(entry, (value, path) => {
      if (random() < 0.5) return value
      const name = `VARIABLE_${index}_${path.replaceAll('.', '_')}`
      env[name] = String(value)
      return new String(`\${${name}}`)
    })
    const value = escaped(referring)
    if (entry.kind === 'setting') setAt(file, entry.id.split('.'), value)
    else
      file[`${entry.kind}s`] = [...((file[`${entry.kind}s`] as object[]) ?? []), { id: entry.id, ...(value as object) }]
    // What the file has wins, whatever is stored.
    if (random() < 0.2)
      stored.push({ kind: entry.kind, id: entry.id, value: entry.kind === 'setting' ? 'nonsense' : {}, revision: 1 })
  })
  if (random() < 0.3)
    stored.push({ kind: 'model', id: 'invalid', value: { routes: [{ upstream: 'nowhere' }] }, revision: 2 })
  return { source: stringify(file), env, stored }
}

/** Keeps references, which are objects, and objects that are used twice. */
function escaped(value: unknown, seen = new Map<unknown, unknown>()): unknown {
  if (value instanceof String) return String(value)
  if (typeof value === 'string') return value.replaceAll('${', () => '$${')
  if (typeof value !== 'object' || value === null) return value
  const known = seen.get(value)
  if (known !== undefined) return known
  const copy = Array.isArray(value)
    ? value.map((each) => escaped(each, seen))
    : Object.fromEntries(Object.entries(value).map(([name, each]) => [name, escaped(each, seen)]))
  seen.set(value, copy)
  return copy
}

export function setAt(fields: Fields, [name = '', ...rest]: string[], value: unknown): void {
  if (rest.length > 0) fields[name] ??= {}
  if (rest.length > 0) setAt(fields[name] as Fields, rest, value)
  else fields[name] = value
}
