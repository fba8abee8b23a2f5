// Settings: every field of the sections that are no lists, with its default and its source. Each is stored by itself.
import { mapSecrets } from '../../config/secret-paths.ts'
import type { SettingType } from '../../config/settings/setting.ts'
import { SETTING_FIELDS } from '../../config/settings/table.ts'
import { overlaps, SETTING_SECTIONS } from '../../config/stored.ts'
import { fields, NOTHING, optional, unknown } from '../../request/schema/schema.ts'
import { REASON } from '../inputs/schemas.ts'
import { may, type OperationContext, operation } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { SETTINGS } from '../resources/configuration.ts'
import { changeConfiguration, isOwners, readState, type State, type Wanted } from './change.ts'
import { leavesOf } from './merge-patch.ts'
import { placeOf, rejectNames, type ShownSource, secretsById, shownSource, withoutSecrets } from './show.ts'

export type ShownSetting = {
  /** Its path, such as `server.limits.body`. */
  id: string
  type: SettingType | 'unknown'
  words: readonly string[]
  description: string
  /** As a file would have it; null: nothing. */
  default: unknown
  /** What is written; null where nothing is. */
  value: unknown
  source: Omit<ShownSource, 'from'> & { from: ShownSource['from'] | 'default' }
  read_only: boolean
  secret: boolean
  /** The role that may store it; null: it can only be set in the file. */
  needs: 'owner' | 'admin' | null
  /** Whether the caller may change it here. */
  may_change: boolean
  /** What is stored, where the file overrides it. */
  shadowed: { value: unknown; revision: number } | null
  invalid: readonly string[] | null
}

/** What differs for a setting that is written. */
type Written = Pick<ShownSetting, 'id' | 'value' | 'source' | 'read_only' | 'shadowed' | 'invalid'>

export const showSettings = operation({
  name: 'settings show',
  permission: 'see',
  route: {
    at: 'GET settings',
    summary: 'Shows all settings with their defaults, what is written, and where',
    output: SETTINGS,
  },
  input: NOTHING,
  run: async (context) => shown(context, await readState(context)),
})

export const changeSettings = operation({
  name: 'settings change',
  permission: 'configuration',
  route: {
    at: 'PATCH settings',
    summary: 'Changes stored settings; null removes one',
    output: SETTINGS,
    example: { body: { registration: { trial_credit: '5' }, console: { name: 'Our gateway' } } },
  },
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
    return shown(context, state)
  },
})

const shown = (context: OperationContext, state: State) => ({ id: 'settings', settings: allSettings(context, state) })

/** What the file or the environment sets is theirs. */
export function rejectReadOnly({ loaded }: State, id: string): void {
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

const NOWHERE = { from: 'default', file: null, line: null, variable: null, revision: null } as const

/** All that can be set, in the order of the table; then what is written and cannot be set. */
function allSettings({ actor }: OperationContext, state: State): ShownSetting[] {
  const written = writtenSettings(state)
  const isOwner = !('role' in actor) || actor.role === 'owner'
  const isAdmin = may(actor, 'configuration')
  const known = SETTING_FIELDS.flatMap((field): ShownSetting[] => {
    const { id, type, words, description, isFileOnly, isSecret } = field
    const needs = isFileOnly ? null : isOwners(id) ? 'owner' : 'admin'
    const mayStore = needs === 'owner' ? isOwner : needs === 'admin' && isAdmin
    const about = {
      type,
      words,
      description,
      default: field.defaultIn(state.loaded.defaults),
      secret: isSecret,
      needs,
    } as const
    const own = written.filter((each) => each.id === id)
    const none = { id, value: null, source: NOWHERE, read_only: false, shadowed: null, invalid: null }
    return (own.length === 0 ? [none] : own).map((each) => ({
      ...about,
      ...each,
      may_change: mayStore && !each.read_only,
    }))
  })
  const unknownOnes = written.filter(({ id }) => !SETTING_FIELDS.some((field) => field.id === id))
  const nothing = { type: 'unknown', words: [], description: '', default: null, secret: false, needs: 'admin' } as const
  return [...known, ...unknownOnes.map((each) => ({ ...nothing, ...each, may_change: isAdmin && !each.read_only }))]
}

/** By id. Settings at their defaults are not among them. */
function writtenSettings(state: State): Written[] {
  const { loaded, stored } = state
  const secrets = secretsById(state)
  const own = stored.entries.filter(({ kind }) => kind === 'setting')
  const show = (id: string, value: unknown) => withoutSecrets({ kind: 'setting', id, value }, secrets)
  const written = loaded.written()
  const inForce = [...loaded.origins].flatMap(([name, source]): Written[] => {
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
      ({ entry, mistakes }): Written => ({
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
