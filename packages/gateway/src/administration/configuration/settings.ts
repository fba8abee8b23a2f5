// Settings: every field of the sections that are no lists, with its source. Each is stored by itself.
import { mapSecrets } from '../../config/secret-paths.ts'
import { overlaps, SETTING_SECTIONS } from '../../config/stored.ts'
import { fields, NOTHING, optional, unknown } from '../../request/schema/schema.ts'
import { REASON } from '../inputs/schemas.ts'
import { operation } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { changeConfiguration, readState, type State, type Wanted } from './change.ts'
import { leavesOf } from './merge-patch.ts'
import { placeOf, rejectNames, type ShownSource, secretsById, shownSource, withoutSecrets } from './show.ts'

export type ShownSetting = {
  /** Its path, such as `server.limits.body`. */
  id: string
  value: unknown
  source: ShownSource
  read_only: boolean
  /** What is stored, where the file overrides it. */
  shadowed: { value: unknown; revision: number } | null
  invalid: readonly string[] | null
}

export const showSettings = operation({
  name: 'settings show',
  permission: 'see',
  input: NOTHING,
  run: async (context) => shown(await readState(context)),
})

export const changeSettings = operation({
  name: 'settings change',
  permission: 'configuration',
  input: fields({
    ...Object.fromEntries(SETTING_SECTIONS.map((name) => [name, optional(unknown())])),
    reason: REASON,
  }),
  async run(context, { reason, ...patch }) {
    rejectNames(patch)
    const action = { name: 'settings change', object: 'settings', reason: reason as string | undefined }
    const state = await changeConfiguration(context, action, (state) => {
      const leaves = leavesOf(patch)
      for (const [id] of leaves) rejectReadOnly(state, id)
      return { changes: leaves.flatMap(([id, value]) => changesOf(state, id, value)) }
    })
    return shown(state)
  },
})

const shown = (state: State) => ({ id: 'settings', settings: shownSettings(state) })

/** What the file or the environment sets is theirs. */
function rejectReadOnly({ loaded }: State, id: string): void {
  const found = [...loaded.origins].find(
    ([name, { from }]) =>
      from !== 'stored' && name.startsWith('settings/') && overlaps(name.slice('settings/'.length), id),
  )
  if (found)
    throw rejected('read_only_entry', {
      entry: `setting '${found[0].slice('settings/'.length)}'`,
      place: placeOf(found[1]),
    })
}

/** Null removes the setting, and all below it. */
function changesOf({ stored }: State, id: string, value: unknown): Wanted[] {
  if (value !== null) return [{ kind: 'setting', id, after: value }]
  const gone = stored.entries.filter(
    (entry) => entry.kind === 'setting' && (entry.id === id || entry.id.startsWith(`${id}.`)),
  )
  return gone.map((entry) => ({ kind: 'setting', id: entry.id, after: undefined }))
}

/** By id. Settings at their defaults are not among them. */
function shownSettings(state: State): ShownSetting[] {
  const { loaded, stored } = state
  const secrets = secretsById(state)
  const own = stored.entries.filter(({ kind }) => kind === 'setting')
  const show = (id: string, value: unknown) => withoutSecrets({ kind: 'setting', id, value }, secrets)
  const written = loaded.written()
  const inForce = [...loaded.origins].flatMap(([name, source]): ShownSetting[] => {
    if (!name.startsWith('settings/')) return []
    const id = name.slice('settings/'.length)
    const isStored = source.from === 'stored'
    const entry = own.find((each) => (isStored ? each.id === id : overlaps(each.id, id)))
    const shadowed = entry && !isStored ? { value: show(entry.id, entry.value), revision: entry.revision } : null
    const value = isStored ? entry?.value : written.get(name)?.value
    return [
      {
        id,
        value: show(id, value) ?? null,
        source: shownSource(source),
        read_only: !isStored,
        shadowed,
        invalid: null,
      },
    ]
  })
  const invalid = loaded.invalid
    .filter(({ entry }) => entry.kind === 'setting')
    .map(
      ({ entry, mistakes }): ShownSetting => ({
        id: entry.id,
        value: mapSecrets(entry, () => null),
        source: shownSource({ from: 'stored', revision: entry.revision }),
        read_only: false,
        shadowed: null,
        invalid: mistakes.map(({ message }) => message),
      }),
    )
  return [...inForce, ...invalid].sort((one, other) => (one.id < other.id ? -1 : 1))
}
