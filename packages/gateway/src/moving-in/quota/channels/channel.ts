// A row of `channels`.
import type { Grade } from '../../findings.ts'
import { integerOf, objectOf, textOf } from '../../sources/fields.ts'
import type { SourceRow } from '../../sources/source-database.ts'

export type Channel = {
  id: number
  /** `channels 7`. */
  from: string
  name: string
  type: number
  isOn: boolean
  /** That can be used; of clouds, each is a credential. */
  keys: readonly string[]
  /** undefined: the program's own. */
  baseUrl: string | undefined
  models: readonly string[]
  groups: readonly string[]
  /** Names at the vendor, by the names that are asked for. */
  mapping: ReadonlyMap<string, string>
  /** Higher first. */
  priority: number
  /** Share among channels of the same priority. */
  weight: number
  /** The name of a deployment has no dots. */
  isDotless: boolean
  place: ChannelPlace
  edits: ChannelEdits
  proxy: string | undefined
  /** What is named in the report: the column, its grade and why. */
  notes: readonly ChannelNote[]
}
export type ChannelNote = readonly [column: string, grade: Grade, says: string]
export type ChannelPlace = {
  apiVersion?: string | undefined
  region?: string | undefined
  project?: string | undefined
  /** In place of the key. */
  credentials?: string | undefined
  /** What fills `{other}` of a URL. */
  other?: string | undefined
  /** The key is an API key of a cloud. */
  hasApiKey?: boolean
}
export type ChannelEdits = {
  set?: Readonly<Record<string, unknown>>
  drop?: readonly string[]
  headers?: Readonly<Record<string, string>>
  before?: string
}

export const listIn = (value: string | undefined): string[] => (value ?? '').split(',')
export const trimmed = (items: readonly string[]): string[] => [
  ...new Set(items.map((item) => item.trim()).filter((item) => item !== '')),
]

type Common = Pick<
  Channel,
  'id' | 'from' | 'name' | 'type' | 'isOn' | 'baseUrl' | 'models' | 'groups' | 'mapping' | 'priority'
>

/** What both programs have alike. */
export function commonChannel(row: SourceRow): { common: Common; notes: ChannelNote[] } {
  const text = (name: string) => textOf(row[name]) ?? ''
  const id = integerOf(row.id) ?? 0
  const models = listIn(text('models'))
  const notes: ChannelNote[] = []
  const unclean = models.some((model) => model !== model.trim() || model === '') && text('models') !== ''
  if (unclean) notes.push(['models', 'approximate', BLANKS])
  if (text('model_mapping').trim() !== '' && !objectOf(row.model_mapping)) {
    notes.push(['model_mapping', 'manual', 'This is not JSON. Set the names at the vendor on the routes.'])
  }
  const common = {
    id,
    from: `channels ${id}`,
    name: text('name'),
    type: integerOf(row.type) ?? 0,
    isOn: integerOf(row.status) === 1,
    baseUrl: text('base_url').trim().replace(/\/+$/, '') || undefined,
    models: trimmed(models),
    groups: trimmed(listIn(text('group'))),
    mapping: mappingIn(row),
    priority: integerOf(row.priority) ?? 0,
  }
  return { common, notes }
}

export const BLANKS = 'Names of models with blanks around them, and empty ones, are names without blanks here.'

/** A name that is mapped to a mapped one ends at the last of them. */
function mappingIn(row: SourceRow): ReadonlyMap<string, string> {
  const pairs = Object.entries(objectOf(row.model_mapping) ?? {})
  const mapping = new Map(pairs.flatMap(([name, to]) => (typeof to === 'string' ? [[name.trim(), to.trim()]] : [])))
  const last = (name: string, seen: readonly string[] = []): string => {
    const next = mapping.get(name)
    return next === undefined || next === name || seen.includes(next) ? name : last(next, [...seen, name])
  }
  return new Map([...mapping.keys()].map((name) => [name, last(name)]))
}

export const linesIn = (value: string | undefined): string[] => trimmed((value ?? '').split('\n'))
