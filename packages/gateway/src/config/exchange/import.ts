// The entries of a configuration file, to be stored.
import type { Assembled } from '../assemble.ts'
import { isCredentialJson } from '../secret-paths.ts'
import { FILE_ONLY_AUTH } from '../sections/upstreams/upstream-auth.ts'
import { SETTING_FIELDS } from '../settings/table.ts'
import { overlaps, type StoredEntry, type WrittenEntry } from '../stored.ts'

export type Imported = {
  entries: Pick<StoredEntry, 'kind' | 'id' | 'value'>[]
  /** Fields that only a file can have, such as `upstreams[main].allow_private`. */
  leftOut: string[]
}

/** The sections reject them in stored entries. */
const FILE_ONLY_SETTINGS = SETTING_FIELDS.flatMap(({ id, isFileOnly }) => (isFileOnly ? [id] : []))

/** What the environment adds to a file is not part of it. */
export const importedEntries = ({ written }: Pick<Assembled, 'written'>): Imported =>
  storable([...written().values()].filter(({ origin }) => origin.from === 'file'))

/** What of these can be stored. */
export function storable(entries: readonly Omit<WrittenEntry, 'origin'>[]): Imported {
  const result: Imported = { entries: [], leftOut: [] }
  for (const entry of entries) addEntry(entry, result)
  return result
}

function addEntry({ kind, id, value }: Omit<WrittenEntry, 'origin'>, { entries, leftOut }: Imported): void {
  if (kind === 'setting' && FILE_ONLY_SETTINGS.some((each) => overlaps(id, each))) {
    leftOut.push(id)
  } else if (kind === 'upstream') {
    const { allow_private: allowPrivate, ...fields } = value as { allow_private?: unknown }
    if (String(allowPrivate) === 'true') leftOut.push(`upstreams[${id}].allow_private`)
    entries.push({ kind, id, value: withStorableAuth(fields, `upstreams[${id}].auth`, leftOut) })
  } else if (id === 'sign_in.providers' && Array.isArray(value)) {
    const isPrivate = value.some(({ allow_private }) => String(allow_private) === 'true')
    if (isPrivate) leftOut.push(`${id}.allow_private`)
    entries.push({ kind, id, value: value.map(({ allow_private, ...provider }) => provider) })
  } else {
    entries.push({ kind, id, value })
  }
}

/** Without what names programs, files and roles. */
function withStorableAuth(upstream: { auth?: unknown }, path: string, leftOut: string[]): object {
  const { auth } = upstream
  if (typeof auth !== 'object' || auth === null) return upstream
  const isLeftOut = ([name, value]: [string, unknown]) =>
    FILE_ONLY_AUTH.includes(name) || (name === 'credentials' && !isCredentialJson(String(value)))
  const fields = Object.entries(auth)
  leftOut.push(...fields.filter(isLeftOut).map(([name]) => `${path}.${name}`))
  return { ...upstream, auth: Object.fromEntries(fields.filter((field) => !isLeftOut(field))) }
}
