// The vendor's JSON reader is lenient, and its SDKs rely on it: both spellings of every field, one object where a list
// of one is meant, numbers as text.

import { asArray, isObject, type Json, RequestError } from '../../../canonical/reading.ts'

/**
 * The same object with its own fields spelled `likeThis`. One level only, and only where all names are the protocol's:
 * never for arguments, results, labels or the properties of a schema, whose names are the caller's.
 */
export function camel(from: Json): Json {
  if (!hasSnake(from)) return from
  const fields = Object.entries(from)
  const renamed = fields.filter(([name]) => isSnake(name)).map(([name, value]) => [camelName(name), value] as const)
  return Object.fromEntries([...renamed, ...fields.filter(([name]) => !isSnake(name))])
}

function hasSnake(from: Json): boolean {
  for (const name in from) if (isSnake(name)) return true
  return false
}

const isSnake = (name: string): boolean => name.lastIndexOf('_') > 0

export const camelName = (name: string): string =>
  isSnake(name) ? name.replace(/(?<=.)_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()) : name

/** `{"parts":{"text":"hi"}}` means a list of one. */
export function listOf(value: unknown, at: string): readonly unknown[] {
  if (value === undefined || value === null) return []
  return typeof value === 'object' && !Array.isArray(value) ? [value] : asArray(value, at)
}

/** The same object with these fields as numbers, where they are numbers written as text. */
export function withNumbers(from: Json, names: readonly string[]): Json {
  let changed: Record<string, unknown> | undefined
  for (const name of names) {
    const value = from[name]
    if (typeof value !== 'string' || !/^-?\d{1,15}(?:\.\d{1,15})?$/.test(value)) continue
    changed ??= { ...from }
    changed[name] = Number(value)
  }
  return changed ?? from
}

/** `SERVICE_TIER_FLEX`, `flex` -> `flex`. */
export const enumWord = (word: string, prefix: string): string => {
  const lower = word.toLowerCase()
  return lower.startsWith(prefix) ? lower.slice(prefix.length) : lower
}

/** Names of what the caller sent and no other dialect has, each once. */
export type UntranslatedFields = {
  add(path: string): void
  /** Without it the answer would be another one. */
  addEssential(path: string): void
  paths(): readonly string[]
  essential(): readonly string[]
}

export function openUntranslatedFields(): UntranslatedFields {
  const paths = new Set<string>()
  const essential = new Set<string>()
  return {
    add: (path) => void paths.add(path),
    addEssential(path) {
      paths.add(path)
      essential.add(path)
    },
    paths: () => [...paths],
    essential: () => [...essential],
  }
}

/** An error with its field as the client spelled it in the body; anything else unchanged. */
export function inCallersSpelling(thrown: unknown, body: unknown): unknown {
  if (!(thrown instanceof RequestError) || thrown.info.param === undefined) return thrown
  const { code, param, message } = thrown.info
  const written = asWritten(param, body)
  return written === param ? thrown : new RequestError(code, written, message.replaceAll(param, written))
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** `contents[0].parts[1].inlineData.data`. A field that is missing is spelled as those around it. */
function asWritten(path: string, body: unknown): string {
  let at = body
  let isSnake = false
  const steps = path.split('.').map((step) => {
    const [, name = '', places = ''] = /^([^[]*)(.*)$/.exec(step) ?? []
    const other = snake(name)
    const isOther = isObject(at) && !(name in at) && (other in at || isSnake)
    isSnake ||= isOther && other !== name
    at = within(isObject(at) ? at[isOther ? other : name] : undefined, places)
    return (isOther ? other : name) + places
  })
  return steps.join('.')
}

/** `[2][0]`; one object stands for a list of one. */
function within(value: unknown, places: string): unknown {
  let at = value
  for (const [, place] of places.matchAll(/\[(\d+)\]/g)) at = Array.isArray(at) ? at[Number(place)] : at
  return at
}
