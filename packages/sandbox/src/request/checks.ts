// Checks of a request's plain fields, and how the echo shows them.
import { badRequest } from './errors.ts'
import { isObject, type Json } from './fields.ts'

/** Returns what was expected instead, or undefined if the value is valid. */
export type Check = (value: unknown) => string | undefined

const integer =
  (low: number, high: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && Number(value) >= low && Number(value) <= high
      ? undefined
      : `an integer from ${low} to ${high}`

export const is = {
  integer,
  anyInteger: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  number:
    (low: number, high: number): Check =>
    (value) =>
      typeof value === 'number' && value >= low && value <= high ? undefined : `a number from ${low} to ${high}`,
  strings:
    (most: number): Check =>
    (value) =>
      Array.isArray(value) && value.length <= most && value.every((item) => typeof item === 'string')
        ? undefined
        : `an array of at most ${most} strings`,
  oneOf:
    (...words: string[]): Check =>
    (value) =>
      typeof value === 'string' && words.includes(value) ? undefined : `one of ${words.join(', ')}`,
  boolean: (value: unknown) => (typeof value === 'boolean' ? undefined : 'a boolean'),
  string: (value: unknown) => (typeof value === 'string' ? undefined : 'a string'),
  object: (value: unknown) => (isObject(value) ? undefined : 'an object'),
  array: (value: unknown) => (Array.isArray(value) ? undefined : 'an array'),
  anything: () => undefined,
}

export const MOST_TOKENS = 1_000_000_000

/** The fields of the body that none of the tables has. */
export function fieldsNotIn(body: Json, ...tables: Readonly<Record<string, Check>>[]): string[] {
  return Object.keys(body).filter((name) => !tables.some((table) => Object.hasOwn(table, name)))
}

/** `null` is allowed for every field and means absent. */
export function checkFields(body: Json, checks: Readonly<Record<string, Check>>, path = ''): void {
  for (const [name, check] of Object.entries(checks)) {
    const value = body[name]
    if (value === undefined || value === null) continue
    const expected = check(value)
    const at = `${path}${name}`
    if (expected !== undefined) throw badRequest(`Invalid value for '${at}': expected ${expected}.`, at)
  }
}

/** `name=value` for each field that was sent; `shown` may format a field differently. */
export function echoed(
  body: Json,
  names: Iterable<string>,
  shown: (name: string, value: unknown) => string | undefined = () => undefined,
): string[] {
  return [...names]
    .filter((name) => body[name] !== undefined)
    .map((name) => `${name}=${shown(name, body[name]) ?? JSON.stringify(body[name])}`)
}

/** Not verbatim: the echo would end at its own stop sequence. */
export function shownStops(value: unknown): string {
  return `[${[value]
    .flat()
    .map((stop) => `${String(stop).length} characters`)
    .join(', ')}]`
}
