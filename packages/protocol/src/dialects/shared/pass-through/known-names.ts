// Some upstreams read names of fields whatever their case, and the last one of a name wins: to them `Model` is a second
// `model`, which has not been priced. So a name that is a known one in another case is rejected, and so is a name that
// comes twice: at the top level and in the objects that a dialect lists, never in a schema or in what callers name themselves.

import { RequestError } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { elementsOf } from '../../../framing/json/edit-fields.ts'
import {
  isFirstMember,
  isTextAt,
  type JsonField,
  type JsonScan,
  MEMBER_NOTE,
  nameAt,
  type WatchedFields,
} from '../../../framing/json/json-scan.ts'

export type Names = {
  exact: ReadonlySet<string>
  /** Known names by how they are compared. */
  folded: ReadonlyMap<string, string>
  fold(name: string): string
}

/** Members of an object, or of each object in a list; `within`: of the objects under these members. */
export type MemberNames = { own: Names; within?: ReadonlyMap<string, Names> }

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

const snakeName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function namesIn(names: readonly string[], fold: Names['fold']): Names {
  return { exact: new Set(names), folded: new Map(names.map((name) => [fold(name), name])), fold }
}

/**
 * Both directions, so that every letter that some reader takes for another becomes the same: the Kelvin sign and `k`, the
 * long s and `s`, the dotless and the dotted i and `i`.
 */
export const foldCase = (name: string): string => name.toUpperCase().toLowerCase().replaceAll('\u0307', '')

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

/** Throws RequestError. */
export function checkNames(bytes: Uint8Array, { fields }: JsonScan, known: KnownNames, codec: Codec): void {
  for (const field of fields) {
    const { name } = field
    const other = known.fields.exact.has(name) ? undefined : otherCaseOf(known.fields, name)
    if (other !== undefined) throw new RequestError('bad_request', name, inOtherCase('', name, other))
    if (field.members.length === 0) continue
    const members = known.members.get(name)
    if (members !== undefined) checkMembers(bytes, field, members, codec)
  }
}

function checkMembers(bytes: Uint8Array, field: JsonField, { own, within }: MemberNames, codec: Codec): void {
  const ownDepth = field.kind === 'object' ? 1 : 2
  const outer = new CheckedNames(bytes, own, codec)
  let inner: CheckedNames | undefined
  /** Where names of inner objects stand; 0: nowhere. */
  let innerDepth = 0
  /** The member that was met last. */
  let parent: string | undefined
  const { members } = field
  for (let note = 0; note < members.length; note += MEMBER_NOTE) {
    const depth = -(members[note + 3] ?? 0)
    const keyStart = members[note] ?? 0
    const keyEnd = members[note + 1] ?? 0
    if (depth === ownDepth) {
      parent = outer.next(keyStart, keyEnd, field, undefined)
      const names = within === undefined || parent === undefined ? undefined : within.get(parent)
      innerDepth = 0
      if (names === undefined) continue
      if (inner?.names !== names) inner = new CheckedNames(bytes, names, codec)
      innerDepth = ownDepth + (bytes[members[note + 2] ?? 0] === OPEN_BRACKET ? 2 : 1)
    } else if (depth === innerDepth) inner?.next(keyStart, keyEnd, field, parent)
  }
}

const OPEN_BRACKET = 0x5b
/** Each name is compared with all before it. No protocol has a tool with half as many. */
const MOST_MEMBERS = 64

/**
 * The names of one object after the other. Those of a list tend to be alike: as long as an object has the names of the one
 * before it, in the same order, there is nothing to check anew.
 */
class CheckedNames {
  readonly names: Names
  readonly #bytes: Uint8Array
  readonly #codec: Codec
  /** The names of the object before, or of this one as far as they differ. */
  readonly #checked: string[] = []
  #count = 0

  constructor(bytes: Uint8Array, names: Names, codec: Codec) {
    this.#bytes = bytes
    this.names = names
    this.#codec = codec
  }

  /** The name at this place; undefined when it is no valid string, which the parser will find. Throws RequestError. */
  next(keyStart: number, keyEnd: number, field: JsonField, parent: string | undefined): string | undefined {
    const checked = this.#checked
    if (isFirstMember(this.#bytes, keyStart)) this.#count = 0
    const expected = checked[this.#count]
    if (expected !== undefined && isTextAt(this.#bytes, keyStart + 1, keyEnd - keyStart - 2, expected)) {
      this.#count++
      return expected
    }
    const name = nameAt(this.#bytes, keyStart, keyEnd, this.#codec)
    if (name === undefined) return undefined
    checked.length = this.#count++
    const problem = this.#problemOf(name)
    if (problem !== undefined) {
      const at = placeOf(this.#bytes, field, keyStart) + (parent === undefined ? '' : `${parent}.`)
      throw new RequestError('bad_request', at + name, problem(at))
    }
    checked.push(name)
    return name
  }

  #problemOf(name: string): ((at: string) => string) | undefined {
    if (this.#checked.includes(name)) return (at) => `The body has ${at}${name} twice`
    if (this.#checked.length === MOST_MEMBERS) return (at) => `${at}${name} is one member more than ${MOST_MEMBERS}`
    const known = this.names.exact.has(name) ? undefined : otherCaseOf(this.names, name)
    return known === undefined ? undefined : (at) => inOtherCase(at, name, known)
  }
}

/** `tools[3].`, or `stream_options.` */
function placeOf(bytes: Uint8Array, { name, start, end, kind }: JsonField, at: number): string {
  if (kind !== 'array') return `${name}.`
  const index = elementsOf(bytes, start, end).findIndex((element) => at < element.end)
  return `${name}[${index}].`
}

/** The known name that some reader would take this one for. */
export function otherCaseOf({ fold, folded }: Names, name: string): string | undefined {
  return name.length > LONGEST_FOLDED ? undefined : folded.get(fold(name))
}

const inOtherCase = (at: string, name: string, known: string): string =>
  `${at}${name} is not a known name, but some upstreams would read it as ${at}${known}. Write ${known}.`
