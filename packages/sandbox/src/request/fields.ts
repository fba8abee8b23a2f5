// Shared by the decoders of all dialects: JSON of unknown shape, checks of plain fields, and how the echo shows them.
import { badRequest } from './errors.ts'

export type Json = { readonly [key: string]: unknown }

/** Returns what was expected instead, or undefined if the value is valid. */
export type Check = (value: unknown) => string | undefined

export const number =
  (low: number, high: number): Check =>
  (value) =>
    typeof value === 'number' && value >= low && value <= high ? undefined : `a number from ${low} to ${high}`
export const integer =
  (low: number, high: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && Number(value) >= low && Number(value) <= high
      ? undefined
      : `an integer from ${low} to ${high}`
export const boolean: Check = (value) => (typeof value === 'boolean' ? undefined : 'a boolean')
export const string: Check = (value) => (typeof value === 'string' ? undefined : 'a string')
export const object: Check = (value) => (isObject(value) ? undefined : 'an object')
export const array: Check = (value) => (Array.isArray(value) ? undefined : 'an array')
export const strings =
  (most: number): Check =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.every((item) => typeof item === 'string')
      ? undefined
      : `an array of at most ${most} strings`
export const oneOf =
  (...words: string[]): Check =>
  (value) =>
    typeof value === 'string' && words.includes(value) ? undefined : `one of ${words.join(', ')}`
export const anything: Check = () => undefined

export const MOST_TOKENS = 1_000_000_000
export const anyInteger = integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)

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

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function numberOr<Fallback>(value: unknown, fallback: Fallback): number | Fallback {
  return typeof value === 'number' ? value : fallback
}

export function textOr<Fallback>(value: unknown, fallback: Fallback): string | Fallback {
  return typeof value === 'string' ? value : fallback
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
