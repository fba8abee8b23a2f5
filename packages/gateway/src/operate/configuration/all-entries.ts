// Every entry of the configuration in one list: where it comes from, and whether it is in force.
import { ENTRY_KINDS, type EntryKind, entryKey } from '../../config/stored.ts'
import { fields, optional, word } from '../../request/schema/schema.ts'
import { pageFieldsBy, readPage } from '../inputs/page.ts'
import { operation } from '../operation.ts'
import { ENTRY } from '../resources/configuration.ts'
import { readState, type State } from './change.ts'
import { ENTRY_ID, pagesOf } from './entries.ts'
import { type ShownSource, shownSource } from './show.ts'

type Listed = {
  id: string
  kind: EntryKind
  name: string
  source: ShownSource
  state: 'in force' | 'invalid'
  mistakes: readonly string[]
  shadowed_revision: number | null
}

export const listEntries = operation({
  name: 'config entries',
  permission: 'see',
  route: {
    at: 'GET configuration/entries',
    summary: 'Lists all entries and written settings with their source',
    output: ENTRY,
    list: true,
  },
  input: fields({
    kind: optional(word(...ENTRY_KINDS)),
    from: optional(word('file', 'environment', 'stored', 'built-in')),
    /** `shadowing`: it overrides a stored entry. */
    state: optional(word('in force', 'invalid', 'shadowing')),
    ...pageFieldsBy(ENTRY_ID),
  }),
  /** By key. */
  async run(context, { kind, from, state, ...page }) {
    const all = entriesIn(await readState(context)).filter(
      (entry) =>
        (kind === undefined || entry.kind === kind) &&
        (from === undefined || entry.source.from === from) &&
        (state === undefined || (state === 'shadowing' ? entry.shadowed_revision !== null : entry.state === state)),
    )
    return await readPage<Listed, string>(
      page,
      pagesOf(all),
      ({ id }) => id,
      (id) => id,
    )
  },
})

function entriesIn({ loaded, stored }: State): Listed[] {
  const shadowed = new Map(loaded.shadowed.map((entry) => [entryKey(entry), entry.revision]))
  const inForce = [...loaded.origins].map(([key, origin]): Listed => {
    const slash = key.indexOf('/')
    const kind = ENTRY_KINDS.find((each) => entryKey({ kind: each, id: '' }) === key.slice(0, slash + 1)) ?? 'setting'
    return {
      id: key,
      kind,
      name: key.slice(slash + 1),
      source: shownSource(origin),
      state: 'in force',
      mistakes: [],
      shadowed_revision: shadowed.get(key) ?? null,
    }
  })
  const invalid = loaded.invalid.map(
    ({ entry, mistakes }): Listed => ({
      id: entryKey(entry),
      kind: entry.kind,
      name: entry.id,
      source: shownSource({ from: 'stored', revision: entry.revision }),
      state: 'invalid',
      mistakes: mistakes.map(({ message }) => message),
      shadowed_revision: null,
    }),
  )
  const known = new Set(stored.entries.map(entryKey))
  return [...inForce, ...invalid.filter(({ id }) => known.has(id))].sort((one, other) => (one.id < other.id ? -1 : 1))
}
