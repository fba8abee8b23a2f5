// Entries as operators see them: what is written, where, and whether it is in force. Secrets are never shown.
import { mapSecrets, markOf } from '../../config/secret-paths.ts'
import type { Origin } from '../../config/stored.ts'
import type { EntryKind, SealedEntry, StoredSecret } from '../../storage/storage.ts'
import { isoTime } from '../inputs/fields.ts'
import { type OperationContext, seesCosts } from '../operation.ts'
import { rejected } from '../rejections.ts'
import type { State } from './change.ts'
import { NOUNS, type NounKind } from './entry-nouns.ts'
import { isObject } from './merge-patch.ts'
import { isNamed } from './secrets.ts'

/** `id` and `added_at`: null for a secret that is not stored. */
export type ShownSecret = { id: string | null; last_four: string; added_at: string | null }

/** Nulls where a source has no such field. */
export type ShownSource = {
  from: Origin['from']
  file: string | null
  line: number | null
  variable: string | null
  revision: number | null
}
export const shownSource = (origin: Origin): ShownSource => ({
  file: null,
  line: null,
  variable: null,
  revision: null,
  ...origin,
})

export type Shown = Record<string, unknown> & {
  id: string
  source: ShownSource
  read_only: boolean
  /** The stored entry that an entry of the file or the environment hides. */
  shadowed: Record<string, unknown> | null
  /** Why the entry is not in force. */
  invalid: readonly string[] | null
}

export const originOf = ({ loaded }: State, kind: NounKind, id: string): Origin | undefined =>
  loaded.origins.get(`${NOUNS[kind].section}/${id}`)

/** Where an entry has to be changed. */
export function placeOf(origin: Origin): string {
  switch (origin.from) {
    case 'file':
      return `line ${origin.line} of ${origin.file}`
    case 'environment':
      return `the environment variable ${origin.variable}`
    case 'stored':
      return `revision ${origin.revision}`
    default:
      return 'the program itself'
  }
}

/** By id. */
export function shownEntries(context: OperationContext, kind: NounKind, state: State): Shown[] {
  const { section, fields } = NOUNS[kind]
  const { loaded, stored } = state
  const ofKind = stored.entries.filter((entry) => entry.kind === kind)
  const known = new Map(stored.secrets.map((secret) => [secret.id, secret]))
  const show = (id: string, value: unknown) => shownValue(context, { kind, id, value }, fields, known)
  const written = loaded.written()
  const inForce = [...loaded.origins].flatMap(([name, source]): Shown[] => {
    if (!name.startsWith(`${section}/`)) return []
    const id = name.slice(section.length + 1)
    const own = ofKind.find((entry) => entry.id === id)
    const isStored = source.from === 'stored'
    const value = isStored ? own?.value : written.get(name)?.value
    const shadowed = own && !isStored ? { ...show(id, own.value), revision: own.revision } : null
    return [{ id, ...show(id, value), source: shownSource(source), read_only: !isStored, shadowed, invalid: null }]
  })
  const invalid = loaded.invalid
    .filter(({ entry }) => entry.kind === kind && !inForce.some(({ id }) => id === entry.id))
    .map(({ entry, mistakes }): Shown => {
      const value = ofKind.find(({ id }) => id === entry.id)?.value
      const source = shownSource({ from: 'stored', revision: entry.revision })
      const messages = mistakes.map(({ message }) => message)
      return { id: entry.id, ...show(entry.id, value), source, read_only: false, shadowed: null, invalid: messages }
    })
  return [...inForce, ...invalid].sort((one, other) => (one.id < other.id ? -1 : 1))
}

function shownValue(
  context: OperationContext,
  entry: { kind: EntryKind; id: string; value: unknown },
  fields: readonly string[],
  secrets: ReadonlyMap<string, StoredSecret>,
): Record<string, unknown> {
  const value = withoutSecrets(entry, secrets)
  const written = isObject(value) ? value : {}
  const seen = entry.kind === 'model' ? withoutCosts(context, written) : written
  return Object.fromEntries(fields.map((name) => [name, seen[name] ?? null]))
}

export const withoutSecrets = (
  entry: { kind: EntryKind; id: string; value: unknown },
  secrets: ReadonlyMap<string, StoredSecret>,
): unknown => mapSecrets(entry, (secret, path) => shownSecret(secret, path, secrets))

function shownSecret(secret: unknown, path: string, secrets: ReadonlyMap<string, StoredSecret>): ShownSecret {
  if (!isNamed(secret)) return { id: null, last_four: markOf(String(secret), path), added_at: null }
  const row = secrets.get(secret.$secret)
  return { id: secret.$secret, last_four: row?.lastFour ?? '', added_at: row ? isoTime(row.createdAt) : null }
}

/** What the operator pays is not for everyone who sees the catalogue. */
export function withoutCosts(
  { actor }: OperationContext,
  model: Record<string, unknown> | Readonly<Record<string, unknown>>,
) {
  if (seesCosts(actor)) return model
  const { routes } = model
  if (!Array.isArray(routes)) return model
  return { ...model, routes: routes.map((route: unknown) => (isObject(route) ? withoutCost(route) : route)) }
}

function withoutCost({ cost: _, ...route }: Readonly<Record<string, unknown>>) {
  return route
}

/** Stored secrets are named by the gateway alone: a name in an input could send a secret elsewhere. */
export function rejectNames(value: unknown, field = ''): void {
  if (typeof value !== 'object' || value === null) return
  if (Object.hasOwn(value, '$secret')) throw rejected('malformed', { field, must: 'be the secret itself' })
  for (const [name, part] of Object.entries(value)) rejectNames(part, field === '' ? name : `${field}.${name}`)
}

export const secretsById = ({ stored }: State): ReadonlyMap<string, StoredSecret> =>
  new Map(stored.secrets.map((secret) => [secret.id, secret]))

export type { SealedEntry }
