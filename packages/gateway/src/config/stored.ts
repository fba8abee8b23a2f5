// Entries of the configuration that are stored in the database, beside those of the file and of the environment.
import { isUnreadable } from '../storage/console/configuration.ts'
import {
  addMistake,
  addWarning,
  literalValue,
  type Mistake,
  type ReadContext,
  type YamlValue,
} from '../yaml/document.ts'

export type EntryKind = 'upstream' | 'model' | 'group' | 'setting'

/** `value`: what the file would have, as JSON, with secrets as plain text. The id of a setting is its path: `server.limits.body`. */
export type StoredEntry = { kind: EntryKind; id: string; value: unknown; revision: number }

/** `at`: the path of the secret in its entry, such as `keys.0`. */
export type Remark = { at: string; message: string }
/** An entry's value with its secrets in clear. */
type Expanded = { value: unknown; mistakes: Remark[]; warnings: Remark[] }
/** Only secrets of a stored entry refer to others: everything else is shown to people. */
export type Expand = (entry: StoredEntry) => Expanded

/** A stored entry that cannot be in force. */
export type InvalidEntry = { entry: StoredEntry; mistakes: readonly Mistake[] }

export type Origin =
  | { from: 'file'; file: string; line: number }
  | { from: 'environment'; variable: string }
  | { from: 'stored'; revision: number }
  | { from: 'built-in' }

/** An entry in force as a file would have it, with `${NAME}` expanded. */
export type WrittenEntry = Pick<StoredEntry, 'kind' | 'id' | 'value'> & { origin: Origin }

const LISTS = { upstream: 'upstreams', model: 'models', group: 'groups', setting: 'settings' } as const
export const ENTRY_KINDS = Object.keys(LISTS) as readonly EntryKind[]

/** `models/gpt-x` or `settings/registration.trial_credit`: the key of an entry among those of every kind. */
export const entryKey = ({ kind, id }: Pick<StoredEntry, 'kind' | 'id'>): string => `${LISTS[kind]}/${id}`

/** Sections of the file with settings; the others are lists of entries. */
export const SETTING_SECTIONS = [
  'server',
  'registration',
  'sandbox',
  'retention',
  'archive',
  'media',
  'attribution',
  'callbacks',
  'compatibility',
  'alerts',
  'notices',
  'mail',
  'console',
  'sign_in',
  'tools',
] as const

/** Stored entries in the form in which the sections read entries of a file. */
export type StoredValues = {
  upstreams: YamlValue[]
  models: YamlValue[]
  groups: YamlValue[]
  /** Each is a document with one setting. */
  settings: YamlValue[]
  entries: Map<ReadContext, StoredEntry>
}

export function storedValues(stored: readonly StoredEntry[], expand: Expand): StoredValues {
  const values: StoredValues = { upstreams: [], models: [], groups: [], settings: [], entries: new Map() }
  for (const entry of stored) {
    const { value: plain, mistakes, warnings } = expand(entry)
    const inClear = { ...entry, value: plain }
    const value = entry.kind === 'setting' ? settingValue(inClear) : listValue(inClear)
    const place = (at: string): YamlValue => ({
      ...value,
      path: entry.kind === 'setting' ? `stored ${at}` : `${value.path}.${at}`,
    })
    for (const { at, message } of mistakes) addMistake(place(at), message)
    for (const { at, message } of warnings) addWarning(place(at), message)
    values.entries.set(value.context, entry)
    // One that has a mistake already is not read.
    if (value.context.mistakes.length === 0) values[LISTS[entry.kind]].push(value)
  }
  rejectOverlaps(values)
  return values
}

function listValue({ kind, id, value }: StoredEntry): YamlValue {
  const path = `stored ${LISTS[kind]}[${id}]`
  if (isObject(value) && !isUnreadable(value)) return literalValue({ ...value, id }, '', path)
  const wrong = literalValue(null, '', path)
  addMistake(wrong, isUnreadable(value) ? UNREADABLE : 'expected fields')
  return wrong
}

const UNREADABLE = 'is not JSON: it was damaged, or edited in the database; delete it, and store it again'

function settingValue({ id, value }: StoredEntry): YamlValue {
  const names = id.split('.')
  const nested = names.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), value)
  const root = literalValue(nested, '', 'stored ')
  const place = { ...root, path: `stored ${id}` }
  if (!SETTING_SECTIONS.some((section) => section === names[0])) {
    addMistake(place, `is not a setting; settings begin with ${SETTING_SECTIONS.join(', ')}`)
  } else if (isUnreadable(value)) {
    addMistake(place, UNREADABLE)
  } else if (isObject(value)) {
    addMistake(place, 'has fields; each of them is a setting of its own')
  } else if (value === null || value === undefined) {
    addMistake(place, 'is empty; expected a value')
  }
  return root
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether one setting is the other, or a part of it: `sandbox` and `sandbox.faults`. */
export const overlaps = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`)

function rejectOverlaps({ settings, entries }: StoredValues): void {
  const idOf = ({ context }: YamlValue) => entries.get(context)?.id ?? ''
  settings.forEach((setting, index) => {
    const first = settings.slice(0, index).find((other) => overlaps(idOf(other), idOf(setting)))
    if (first) addMistake({ ...setting, path: `stored ${idOf(setting)}` }, `contradicts the setting ${idOf(first)}`)
  })
}
