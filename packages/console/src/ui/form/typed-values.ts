// What is typed into the fields of a form: how what is there is shown in each, and how what is typed becomes the body of a request. Pure.
import type { FormErrors } from './form-errors.ts'
import { type Patch, patchBetween, withPart } from './patches.ts'

/** By the names of fields: texts as they are typed, and whatever fields with an entry of their own keep. */
export type Values = Readonly<Record<string, unknown>>

/** What of a field decides what is shown in it at first, what is wrong with it, and what is sent. */
export type Typed = {
  name: string
  as?: string | readonly unknown[] | undefined
  usual?: string | undefined
  rows?: number | undefined
  missing?: string | undefined
  wrong?: ((text: string, values: Values) => string | false | undefined) | undefined
  write?: ((text: string, values: Values) => unknown) | undefined
  abouts?: readonly string[] | undefined
  own?: OwnValue | undefined
}

export type OwnValue = {
  first: unknown
  wrong?(value: unknown): string | false | undefined
  write(value: unknown, values: Values): unknown
  /** Whether it shows what is wrong with this part of it. */
  shows?(param: string, value: unknown): boolean
}

export const textIn = (values: Values, name: string): string => {
  const value = values[name]
  return typeof value === 'string' ? value : ''
}

/** As it is shown at first. */
export function firstOf({ name, as, usual = '', rows, own }: Typed, of: object): unknown {
  if (own) return own.first
  if (as === 'secret' || as === 'secrets') return ''
  const value = name.split('.').reduce<unknown>((part, each) => Reflect.get(Object(part), each), of)
  if (Array.isArray(value)) return value.join(as === 'words' && rows === undefined ? ', ' : '\n')
  return value === null || value === undefined ? usual : String(value)
}

/** As it is sent; undefined: nothing is entered. */
function written({ name, as, own, write }: Typed, values: Values): unknown {
  if (own) return own.write(values[name], values)
  const text = textIn(values, name)
  if (as === 'password') return text
  if (write) return write(text.trim(), values)
  return entered(as, text.trim())
}

function entered(as: Typed['as'], text: string): unknown {
  if (as === 'switch') return text === '' ? undefined : text === 'true'
  if (as === 'words') return listOf(wordsIn(text))
  if (as === 'lines' || as === 'secrets') return listOf(text.split('\n').flatMap((line) => line.trim() || []))
  if (text === '') return undefined
  return as === 'number' && /^\d+$/.test(text) ? Number(text) : text
}

const listOf = (texts: readonly string[]) => (texts.length === 0 ? undefined : texts)
export const wordsIn = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '')

const bodyOf = (fields: readonly Typed[], values: Values): Patch =>
  fields.reduce((body, field) => withPart(body, field.name, written(field, values) ?? null), {})

/** What makes the one of the other, as a JSON merge patch. */
export function changesOf(fields: readonly Typed[], from: Values, to: Values): Patch {
  const sent = fields.filter(({ name }) => !name.startsWith('+'))
  return patchBetween(bodyOf(sent, from), bodyOf(sent, to))
}

/** What makes something new, or asks for something: all that is entered. What was there and is emptied is sent as null. */
export function requestOf(fields: readonly Typed[], from: Values, to: Values): Patch {
  const isEmptied = (field: Typed) => !field.write && !field.own && (written(field, from) ?? null) !== null
  const isSent = (field: Typed) => written(field, to) !== undefined || isEmptied(field)
  const sent = fields.filter((field) => !field.name.startsWith('+') && isSent(field))
  return bodyOf(sent, to)
}

export function mistakesIn(fields: readonly Typed[], values: Values): FormErrors<string> {
  const found: FormErrors<string> = {}
  for (const { name, as, missing, wrong, own } of fields) {
    const text = as === 'password' ? textIn(values, name) : textIn(values, name).trim()
    const mistake = own ? own.wrong?.(values[name]) : text === '' ? missing : wrong?.(text, values)
    if (mistake) found[name] = mistake
  }
  return found
}

/** The field that an error is about: `timeouts.total`, or `keys[0]` of `keys`. Of several, the last. */
export function fieldOf<F extends Typed>(fields: readonly F[], values: Values, param: string | null): F | undefined {
  if (!param) return undefined
  const isAbout = (name: string) => param === name || param.startsWith(`${name}.`) || param.startsWith(`${name}[`)
  return fields.findLast(
    ({ name, abouts = [], own }) => own?.shows?.(param, values[name]) ?? [name, ...abouts].some(isAbout),
  )
}
