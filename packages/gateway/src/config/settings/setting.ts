// A setting is one row in its section: its name in the file, its type with reader and writer, its default, and what it does in both
// languages. The types of the configuration, the fields that files may have, forms and the reference derive from the rows.
import { formatUsd, type Nanos } from '../../money/amount.ts'
import { addMistake } from '../../yaml/document.ts'
import { FILE_ONLY, type FieldRules, type Fields, quoteSource, type Reader, scalarText } from '../../yaml/fields.ts'
import { type Range, readBoolean, readDuration, readInteger, readSize, readUsd, readWord } from '../../yaml/scalars.ts'
import { formatDuration, formatSize } from '../../yaml/units.ts'

/** `objects`: a list of maps. `duration or off`: `30d`, or `off`. */
export type SettingType =
  | 'boolean'
  | 'integer'
  | 'text'
  | 'url'
  | 'path'
  | 'duration'
  | 'duration or off'
  | 'size'
  | 'usd'
  | 'percent'
  | 'word'
  | 'words'
  | 'texts'
  | 'objects'

/** `write`: as a file would have the value. `words`: of a type `word` or `words`. */
type Kind<T> = { type: SettingType; read: Reader<T>; write(value: T): unknown; words: readonly string[] }

const kind = <T>(type: SettingType, read: Reader<T>, write: (value: T) => unknown = (value) => value): Kind<T> => ({
  type,
  read,
  write,
  words: [],
})

export const boolean = kind('boolean', readBoolean)
export const usd: Kind<Nanos> = kind('usd', readUsd, formatUsd)
export const integer = (range: Range) => kind('integer', readInteger(range))
export const size = (read: Reader<number> | Range) =>
  kind('size', typeof read === 'function' ? read : readSize(read), formatSize)
export const duration = (read: Reader<number> | Range) =>
  kind('duration', typeof read === 'function' ? read : readDuration(read), formatDuration)
/** Texts of any form: `url`, `path`, and lists. */
export const written = <T>(type: 'text' | 'url' | 'path' | 'texts' | 'objects', read: Reader<T>) => kind(type, read)
export const word = <W extends string>(words: readonly W[]): Kind<W> => ({ ...kind('word', readWord(words)), words })
export const words = <W extends string>(known: readonly W[], read: Reader<readonly W[]>): Kind<readonly W[]> => ({
  ...kind('words', read),
  words: known,
})
const onOff = readWord(['on', 'off'])
export const onOrOff: Kind<boolean> = {
  type: 'word',
  read(value) {
    const text = onOff(value)
    return text === undefined ? undefined : text === 'on'
  },
  write: (value) => (value ? 'on' : 'off'),
  words: ['on', 'off'],
}

const readPercent: Reader<number> = (value) => {
  const text = scalarText(value, 'a percentage, such as 20%')
  if (text === undefined) return undefined
  const [, digits] = /^(\d{1,3})\s?%$/.exec(text) ?? []
  if (digits !== undefined && Number(digits) >= 1 && Number(digits) <= 100) return Number(digits)
  addMistake(value, `${quoteSource(value)} is not a percentage; write a whole number from 1% to 100%, such as 20%`)
  return undefined
}
export const percent = kind('percent', readPercent, (share) => `${share}%`)

const readKept =
  (read: Reader<number>): Reader<number | 'off'> =>
  (value) => {
    const text = scalarText(value, 'a duration such as 30d, or off')
    return text === undefined || text === 'off' ? text : read(value)
  }
export const durationOrOff = (range: Range): Kind<number | 'off'> =>
  kind('duration or off', readKept(readDuration(range)), (time) => (time === 'off' ? time : formatDuration(time)))

export type Setting<T> = Omit<Kind<NonNullable<T>>, 'read'> & {
  name: string
  read: Reader<T>
  fallback: T
  /** In English; `chinese`: in Chinese. */
  description: string
  chinese: string
  /** Only the file may have it: what is stored can be changed by people who do not run the machine. */
  isFileOnly: boolean
  isSecret: boolean
}

type Mark = 'file only' | 'secret'

/** What the setting does. */
type About = { en: string; zh: string; mark?: Mark }

/** `fallback`: what holds where nothing is written. */
export function setting<T>(name: string, kind: Kind<T>, fallback: undefined, about: About): Setting<T | undefined>
export function setting<T>(name: string, kind: Kind<T>, fallback: NoInfer<T>, about: About): Setting<T>
export function setting<T>(name: string, kind: Kind<T>, fallback: T, { en, zh, mark }: About) {
  const marks = { isFileOnly: mark === 'file only', isSecret: mark === 'secret' }
  return { ...kind, name, fallback, description: en, chinese: zh, ...marks }
}

export type Rows = Readonly<Record<string, Setting<unknown>>>
/** The part of the configuration that the rows give. */
export type ValuesOf<R extends Rows> = { [Name in keyof R]: R[Name] extends Setting<infer T> ? T : never }

export const defaultsOf = <R extends Rows>(rows: R): ValuesOf<R> =>
  Object.fromEntries(Object.entries(rows).map(([name, { fallback }]) => [name, fallback])) as ValuesOf<R>

export const rulesOf = (rows: Rows): FieldRules =>
  Object.fromEntries(Object.values(rows).map(({ name, isFileOnly }) => [name, isFileOnly ? FILE_ONLY : true]))

export const readRows = <R extends Rows>(fields: Fields, rows: R, defaults: ValuesOf<R> = defaultsOf(rows)) =>
  Object.fromEntries(
    Object.entries(rows).map(([key, { name, read }]) => [key, fields.optional(name, read, defaults[key])]),
  ) as ValuesOf<R>
