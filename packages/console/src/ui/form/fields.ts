// The fields of a form as data: how what is there is shown in each, and how what is typed becomes the body of a request. Pure.

import type { ComponentProps, ReactElement, ReactNode } from 'react'
import type { Option } from './field.tsx'
import type { FormErrors } from './form-errors.ts'
import { type Patch, patchBetween, withPart } from './patches.ts'

/** By the names of fields: texts as they are typed, and whatever fields with an entry of their own keep. */
export type Values = Readonly<Record<string, unknown>>

export type Field<N extends string = string> = {
  /** Where it is in the body: `name`, or a part of an object in it, `timeouts.total`. With a plus: of the form alone. */
  name: N | `+${string}`
  label: string
  hint?: ReactNode | ((text: string, values: Values) => ReactNode) | undefined
  hideLabel?: boolean | undefined
  /** How it is entered: as one line of text, if absent. Lists are lines, or words; the names of several are its choices. */
  as?:
    | 'secret'
    | 'secrets'
    | 'password'
    | 'area'
    | 'lines'
    | 'words'
    | 'number'
    | 'amount'
    | 'switch'
    | readonly Option[]
    | undefined
  /** What is shown while nothing is written. */
  usual?: string | undefined
  /** What is said if nothing is entered. */
  missing?: string | undefined
  /** What is said if the API names this parameter, in place of its own words. */
  rejected?: string | undefined
  /** What is wrong with a text that is not empty. */
  wrong?: ((text: string, values: Values) => string | false | undefined) | undefined
  /** As it is sent. null: nothing is written. undefined: of a request, left out. */
  write?: ((text: string, values: Values) => unknown) | undefined
  isShown?: ((values: Values) => boolean) | undefined
  isDisabled?: ((values: Values) => boolean) | undefined
  /** Whether the label says that it may be left empty; by default, that of a new thing says so unless something must be entered. */
  optional?: boolean | undefined
  /** Other parameters whose errors stand here. */
  abouts?: readonly string[] | undefined
  /** Called when it is changed. Returns what becomes of other fields. */
  sets?: ((text: string) => Values | undefined) | undefined
  /** Stands below it. */
  below?: ((text: string, values: Values) => ReactNode) | undefined
  /** Beside the label, such as a link. */
  aside?: ReactNode
  own?: OwnEntry | undefined
  rows?: number | undefined
} & Pick<
  ComponentProps<'input'>,
  'placeholder' | 'maxLength' | 'autoComplete' | 'autoCapitalize' | 'autoFocus' | 'type'
>

export type Shown<V> = {
  value: V
  onChange(value: V): void
  values: Values
  /** By the parameters that the API names. */
  errors: Readonly<Record<string, string>>
}

type OwnEntry = {
  first: unknown
  wrong?(value: unknown): string | false | undefined
  write(value: unknown, values: Values): unknown
  /** Whether it shows what is wrong with this part of it. */
  shows?(param: string, value: unknown): boolean
  show(shown: Shown<unknown>): ReactNode
}

/** A field that no widget enters. */
export const ownField = <V, N extends string>(
  name: N,
  own: {
    first: V
    wrong?(value: V): string | false | undefined
    write(value: V, values: Values): unknown
    shows?(param: string, value: V): boolean
    show(shown: Shown<V>): ReactNode
  },
): Field<N> => ({ name, label: name, own: own as unknown as OwnEntry })

/** Fields in a frame, such as a row; or what stands between them. */
export type Entry<N extends string = string> =
  | Field<N>
  | { fields: readonly Entry<N>[]; frame(children: ReactNode): ReactNode; isShown?(values: Values): boolean }
  | ReactElement
  | false
  | undefined

export const isFrame = <N extends string>(entry: Entry<N>): entry is Extract<Entry<N>, { frame: unknown }> =>
  Object.hasOwn(Object(entry), 'frame')
export const isField = <N extends string>(entry: Entry<N>): entry is Field<N> => Object.hasOwn(Object(entry), 'name')

export const fieldsIn = (entries: readonly Entry[]): Field[] =>
  entries.flatMap((entry) => (isFrame(entry) ? fieldsIn(entry.fields) : isField(entry) ? [entry] : []))

export function shownIn(entries: readonly Entry[], values: Values): Field[] {
  return entries.flatMap((entry) => {
    if (!isFrame(entry) && !isField(entry)) return []
    if (entry.isShown?.(values) === false) return []
    return isFrame(entry) ? shownIn(entry.fields, values) : [entry]
  })
}

export const textIn = (values: Values, name: string): string => {
  const value = values[name]
  return typeof value === 'string' ? value : ''
}

/** As it is shown at first. */
export function firstOf({ name, as, usual = '', rows, own }: Field, of: object): unknown {
  if (own) return own.first
  if (as === 'secret' || as === 'secrets') return ''
  const value = name.split('.').reduce<unknown>((part, each) => Reflect.get(Object(part), each), of)
  if (Array.isArray(value)) return value.join(as === 'words' && rows === undefined ? ', ' : '\n')
  return value === null || value === undefined ? usual : String(value)
}

/** As it is sent; undefined: nothing is entered. */
function written({ name, as, own, write }: Field, values: Values): unknown {
  if (own) return own.write(values[name], values)
  const text = textIn(values, name)
  if (as === 'password') return text
  if (write) return write(text.trim(), values)
  return entered(as, text.trim())
}

function entered(as: Field['as'], text: string): unknown {
  if (as === 'switch') return text === '' ? undefined : text === 'true'
  if (as === 'words') return listOf(wordsIn(text))
  if (as === 'lines' || as === 'secrets') return listOf(text.split('\n').flatMap((line) => line.trim() || []))
  if (text === '') return undefined
  return as === 'number' && /^\d+$/.test(text) ? Number(text) : text
}

const listOf = (texts: readonly string[]) => (texts.length === 0 ? undefined : texts)
export const wordsIn = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '')

const bodyOf = (fields: readonly Field[], values: Values): Patch =>
  fields.reduce((body, field) => withPart(body, field.name, written(field, values) ?? null), {})

/** What makes the one of the other, as a JSON merge patch. */
export function changesOf(fields: readonly Field[], from: Values, to: Values): Patch {
  const sent = fields.filter(({ name }) => !name.startsWith('+'))
  return patchBetween(bodyOf(sent, from), bodyOf(sent, to))
}

/** What makes something new, or asks for something: all that is entered. What was there and is emptied is sent as null. */
export function requestOf(fields: readonly Field[], from: Values, to: Values): Patch {
  const isEmptied = (field: Field) => !field.write && !field.own && (written(field, from) ?? null) !== null
  const isSent = (field: Field) => written(field, to) !== undefined || isEmptied(field)
  const sent = fields.filter((field) => !field.name.startsWith('+') && isSent(field))
  return bodyOf(sent, to)
}

export function mistakesIn(fields: readonly Field[], values: Values): FormErrors<string> {
  const found: FormErrors<string> = {}
  for (const { name, as, missing, wrong, own } of fields) {
    const text = as === 'password' ? textIn(values, name) : textIn(values, name).trim()
    const mistake = own ? own.wrong?.(values[name]) : text === '' ? missing : wrong?.(text, values)
    if (mistake) found[name] = mistake
  }
  return found
}

/** The field that an error is about: `timeouts.total`, or `keys[0]` of `keys`. Of several, the last. */
export function fieldOf(fields: readonly Field[], values: Values, param: string | null): Field | undefined {
  if (!param) return undefined
  const isAbout = (name: string) => param === name || param.startsWith(`${name}.`) || param.startsWith(`${name}[`)
  return fields.findLast(
    ({ name, abouts = [], own }) => own?.shows?.(param, values[name]) ?? [name, ...abouts].some(isAbout),
  )
}
