// Some upstreams read names of fields whatever their case, and the last one of a name wins: to them `Model` is a second
// `model`, which nobody here has priced. So a name that is a known one in another case is rejected, and so is a name that
// comes twice: at the top level and in the objects that a dialect lists, never in a schema or in what callers name themselves.

import { Mistake } from '../canonical/reading.ts'
import type { Codec } from '../framing/codec.ts'
import { elementsOf } from '../framing/edit-fields.ts'
import {
  isFirstMember,
  type JsonField,
  type JsonScan,
  MEMBER_NOTE,
  nameAt,
  type WatchedFields,
} from '../framing/json-scan.ts'

export type Names = {
  exact: ReadonlySet<string>
  /** Known names by how they are compared. */
  folded: ReadonlyMap<string, string>
  fold(name: string): string
}

/** Members of an object, or of each object in a list; `within`: of the objects under these members. */
export type MemberNames = { own: Names; within?: Readonly<Record<string, Names>> }

export type KnownNames = {
  fields: Names
  members: ReadonlyMap<string, MemberNames>
  watched: WatchedFields
}

type NameTable = Readonly<Record<string, unknown>>

/** The names of these tables, in one spelling. */
export const namesOf = (...tables: readonly NameTable[]): Names => namesIn(tables.flatMap(Object.keys), foldCase)

/** The names of these tables, each also spelled `like_this`. */
export function bothSpellings(...tables: readonly NameTable[]): Names {
  const names = tables.flatMap(Object.keys)
  return namesIn([...names.map(snakeName), ...names], (name) => foldCase(name).replace(/(?<=.)_/g, ''))
}

export const snakeName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function namesIn(names: readonly string[], fold: Names['fold']): Names {
  return { exact: new Set(names), folded: new Map(names.map((name) => [fold(name), name])), fold }
}

/**
 * Both directions, so that every letter that some reader takes for another becomes the same: the Kelvin sign and `k`, the
 * long s and `s`, the dotless and the dotted i and `i`.
 */
const foldCase = (name: string): string => name.toUpperCase().toLowerCase().replaceAll('\u0307', '')

/** A longer name is no known one in any case: folding makes none more than three times as short. */
const LONGEST_FOLDED = 128

/** `alsoWatched`: fields that a dialect looks into for reasons of its own. */
export function knownNames(
  fields: Names,
  members: Readonly<Record<string, MemberNames>>,
  alsoWatched: Readonly<Record<string, number>> = {},
): KnownNames {
  const watched = new Map(Object.entries(members).map(([field, { within }]) => [field, within ? OWN | INNER : OWN]))
  for (const [field, depths] of Object.entries(alsoWatched)) watched.set(field, depths)
  return { fields, members: new Map(Object.entries(members)), watched }
}

/** See `WatchedFields`. Below a member there may be an object, or a list of them. */
const OWN = 1 << 2
const INNER = (1 << 3) | (1 << 4)

/** Throws Mistake. */
export function checkNames(bytes: Uint8Array, { fields }: JsonScan, known: KnownNames, codec: Codec): void {
  for (const field of fields) {
    const { name } = field
    if (!known.fields.exact.has(name)) rejectOtherCase(known.fields, name, '')
    if (field.members.length === 0) continue
    const members = known.members.get(name)
    if (members !== undefined) checkMembers(bytes, field, members, codec)
  }
}

function checkMembers(bytes: Uint8Array, field: JsonField, { own, within }: MemberNames, codec: Codec): void {
  const ownDepth = field.kind === 'object' ? 1 : 2
  const outer = new Seen()
  const inner = new Seen()
  /** The member that was met last, and what is known of the objects below it. */
  let parent = ''
  let innerNames: Names | undefined
  let innerDepth = 0
  const { members } = field
  for (let note = 0; note < members.length; note += MEMBER_NOTE) {
    const depth = -(members[note + 3] ?? 0)
    const isOwn = depth === ownDepth
    if (!isOwn && (innerNames === undefined || depth !== innerDepth)) continue
    const keyStart = members[note] ?? 0
    const name = nameAt(bytes, keyStart, members[note + 1] ?? 0, codec)
    // The parser finds out what is wrong with it.
    if (name === undefined) continue
    const seen = isOwn ? outer : inner
    if (isFirstMember(bytes, keyStart)) seen.clear()
    const names = isOwn ? own : (innerNames ?? own)
    const isKnown = names.exact.has(name)
    if (!isKnown || seen.has(name)) {
      const at = `${placeOf(bytes, field, keyStart)}${isOwn ? '' : `${parent}.`}`
      if (seen.has(name)) throw new Mistake('bad_request', at + name, `The body has ${at}${name} twice`)
      rejectOtherCase(names, name, at)
    }
    seen.add(name)
    if (!isOwn || within === undefined) continue
    parent = name
    innerNames = Object.hasOwn(within, name) ? within[name] : undefined
    innerDepth = ownDepth + (bytes[members[note + 2] ?? 0] === OPEN_BRACKET ? 2 : 1)
  }
}

const OPEN_BRACKET = 0x5b

/** Names of one object. Most have a few; what has many must not take the square of that. */
class Seen {
  #few: string[] = []
  #many: Set<string> | undefined

  clear(): void {
    this.#few.length = 0
    this.#many = undefined
  }

  has(name: string): boolean {
    return this.#many?.has(name) ?? this.#few.includes(name)
  }

  add(name: string): void {
    if (this.#many !== undefined) this.#many.add(name)
    else if (this.#few.push(name) > 16) this.#many = new Set(this.#few)
  }
}

/** `tools[3].`, or `stream_options.` */
function placeOf(bytes: Uint8Array, { name, start, end, kind }: JsonField, at: number): string {
  if (kind !== 'array') return `${name}.`
  const index = elementsOf(bytes, start, end).findIndex((element) => at < element.end)
  return `${name}[${index}].`
}

function rejectOtherCase({ fold, folded }: Names, name: string, at: string): void {
  if (name.length > LONGEST_FOLDED) return
  const known = folded.get(fold(name))
  if (known === undefined) return
  const message = `${at}${name} is not a known name, but some upstreams would read it as ${at}${known}. Write ${known}.`
  throw new Mistake('bad_request', at + name, message)
}
