// Which fields of a request its dialect can translate, as a table; and the fields of a request that are in no table. Nothing is
// dropped silently: what a decoder does not read is found here, at every depth, and only when a request is translated.

import { isObject, type Json } from '../reading.ts'
import { MOST_WARNINGS } from '../warning.ts'

/**
 * `true`: read whole, whatever is in it. Lists are as their elements. A function chooses by the value; undefined: its kind as a
 * whole is reported or rejected elsewhere.
 */
export type Translated = true | TranslatedMembers | ((value: Json) => TranslatedMembers | undefined)
export type TranslatedMembers = { readonly [name: string]: Translated }

export type TranslatedFields = {
  members: TranslatedMembers
  /** The table's spelling of a name. Absent: there is one spelling. */
  plain?(name: string): string
}

/** All of these read whole. */
export const whole = <const Name extends string>(...names: readonly Name[]): Record<Name, true> =>
  Object.fromEntries(names.map((name) => [name, true])) as Record<Name, true>

/** By the member `type`, and by the usual type where there is none. */
export function byType(kinds: Readonly<Record<string, TranslatedMembers>>, usual?: string): Translated {
  return ({ type = usual }) => (typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined)
}

/** The paths of fields that are in no table, without positions: `messages.content.cache_control`. */
export function untranslatedFields(body: Json, { members, plain }: TranslatedFields): readonly string[] {
  const found = new Set<string>()
  addMissing(body, members, '', plain ?? asWritten, found)
  return [...found]
}

const asWritten = (name: string): string => name

function addMissing(
  value: unknown,
  translated: Translated,
  at: string,
  plain: (name: string) => string,
  found: Set<string>,
): void {
  if (translated === true) return
  if (Array.isArray(value)) {
    for (const element of value) addMissing(element, translated, at, plain, found)
    return
  }
  if (!isObject(value)) return
  const members = typeof translated === 'function' ? translated(value) : translated
  if (members === undefined) return
  for (const name in value) {
    const held = value[name]
    const known = plain(name)
    const inner = Object.hasOwn(members, known) ? members[known] : undefined
    // More than this many are never told of.
    if (inner === undefined && saysSomething(held) && found.size <= MOST_WARNINGS) found.add(at + name)
    else if (inner !== undefined && inner !== true && typeof held === 'object')
      addMissing(held, inner, `${at}${known}.`, plain, found)
  }
}

/** Null and empty lists are how SDKs send what nobody set. */
const saysSomething = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
