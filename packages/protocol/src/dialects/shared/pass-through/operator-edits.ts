// What the operator of a route changes in every request that takes it: fields to set, to fill in and to leave out, and text around
// the system prompt. The same bytes are edited, whether they passed through or were translated.

import { isObject } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { editFields, type FieldEdits, setField } from '../../../framing/json/edit-fields.ts'
import { type JsonField, scanObject } from '../../../framing/json/json-scan.ts'
import { concat } from '../../../framing/relay.ts'
import type { PricedField } from '../../pass-through.ts'
import { mergesMembers, outputFieldsIn } from './output-fields.ts'
import { type Effect, effectOf, effectsOf, type FieldTable } from './priced-fields.ts'
import type { Scanned } from './request.ts'

/** By the name of the field, JSON text. `outer.inner` is a member of a top-level object. */
type Values = Readonly<Record<string, string>>

export type SystemText = { before?: string; after?: string }

export type OperatorEdits = {
  set?: Values
  default?: Values
  drop?: readonly string[]
  system?: SystemText
}

/** What of a dialect's requests an operator may change. */
export type EditableFields = {
  fields: FieldTable
  /** The members of objects that are changed member by member alone. */
  members?: Readonly<Record<string, FieldTable>>
  /** What only the caller or the gateway decides. */
  fixed: readonly string[]
  /** The names of the output cap. */
  caps: readonly string[]
  /** How names are compared. */
  fold(name: string): string
  addSystem(body: Scanned, into: FieldEdits, text: SystemText): void
}

export type EditedField =
  /** Another dialect may have it, or a vendor that adds to this one. */
  | { is: 'unknown' }
  | { is: 'fixed' }
  | { is: 'cap' }
  /** It bounds or multiplies the output beside the cap. */
  | { is: 'bound' }
  | { is: 'field'; priced: readonly Pick<PricedField, 'kind' | 'word' | 'most'>[]; mayHavePrice: boolean }

/** What a field is to the dialect. `value`: undefined where it is left out. */
export function judgeField(
  { fields, members = {}, fixed, caps, fold }: EditableFields,
  name: string,
  value: unknown,
  codec: Codec,
): EditedField {
  const isNamed = (one: string) => fold(one) === fold(name)
  if (caps.some(isNamed)) return { is: 'cap' }
  const [outer = name, inner] = name.split('.', 2)
  const known = namedIn(fields, outer, fold)
  const isFixed = (one: string) => isNamed(one) || (inner !== undefined && fold(one) === fold(outer))
  if (known !== undefined && inner === undefined && Object.hasOwn(members, known)) return { is: 'fixed' }
  if (fixed.some(isFixed)) return { is: 'fixed' }
  const own = known === undefined ? undefined : members[known]
  const table = own ?? fields
  const plain = own && inner !== undefined ? (namedIn(own, inner, fold) ?? inner) : (known ?? outer)
  if (value !== undefined && boundsOutput(own && inner !== undefined ? inner : name, value, codec))
    return { is: 'bound' }
  const effect = effectOf(effectsOf(table), plain)
  const isKnown = own && inner !== undefined ? Object.hasOwn(own, plain) : known !== undefined
  if (!effect) return isKnown ? PLAIN : { is: 'unknown' }
  // A part of what has a price cannot be judged alone.
  if (own === undefined && inner !== undefined) return { is: 'fixed' }
  const most = effect.most(value)
  const priced = effect
    .words(value)
    .map((word) => ({ kind: effect.kind, word, ...(most === undefined ? {} : { most }) }))
  return { is: 'field', priced, mayHavePrice: true }
}

const PLAIN: EditedField = { is: 'field', priced: [], mayHavePrice: false }

const namedIn = (table: Readonly<Record<string, Effect>>, name: string, fold: EditableFields['fold']) =>
  Object.keys(table).find((each) => fold(each) === fold(name))

function boundsOutput(name: string, value: unknown, codec: Codec): boolean {
  const nested = name.split('.').reduceRight<unknown>((inner, each) => ({ [each]: inner }), value)
  const bytes = codec.encode(JSON.stringify(nested))
  const scan = scanObject(bytes, codec)
  if (!scan.ok || !isObject(nested)) return true
  const merges = Object.entries(nested).some(([each, inner]) => mergesMembers(each, inner))
  return merges || outputFieldsIn(scan.fields, NO_NAMES, { bytes, codec }).length > 0
}

const NO_NAMES: ReadonlySet<string> = new Set()

type Change = { path: readonly string[]; how: 'set' | 'default' | 'drop'; json: string }

/** The body of a request with these edits, in bytes of its own. */
export function applyOperatorEdits(
  bytes: Uint8Array,
  edits: OperatorEdits,
  { fold, addSystem }: EditableFields,
  codec: Codec,
): Uint8Array {
  const { system } = edits
  const also = system && ((scanned: Scanned, into: FieldEdits) => addSystem(scanned, into, system))
  return changed(bytes, changesOf(edits), fold, codec, also)
}

const changesOf = ({ set = {}, default: filled = {}, drop = [] }: OperatorEdits): Change[] => [
  ...Object.entries(set).map(([name, json]): Change => ({ path: name.split('.'), how: 'set', json })),
  ...Object.entries(filled).map(([name, json]): Change => ({ path: name.split('.'), how: 'default', json })),
  ...drop.map((name): Change => ({ path: name.split('.'), how: 'drop', json: '' })),
]

function changed(
  bytes: Uint8Array,
  changes: readonly Change[],
  fold: EditableFields['fold'],
  codec: Codec,
  also?: (scanned: Scanned, into: FieldEdits) => void,
): Uint8Array {
  const scan = scanObject(bytes, codec)
  if (!scan.ok) throw new Error('what is sent to an upstream is no JSON object')
  const removed: string[] = []
  const into: FieldEdits = { set: [], remove: removed }
  const outer = new Set(changes.map(({ path }) => fold(path[0] ?? '')))
  for (const folded of outer) {
    const all = changes.filter(({ path }) => fold(path[0] ?? '') === folded)
    // In a dialect with two spellings, a vendor may read either.
    const [field, ...others] = scan.fields.filter(({ name }) => fold(name) === folded)
    const name = field?.name ?? all[0]?.path[0] ?? ''
    const [whole] = all.filter(({ path }) => path.length === 1)
    if (whole?.how === 'drop') {
      if (field) removed.push(name, ...others.map((each) => each.name))
    } else if (whole && (whole.how === 'set' || !isGiven(field))) {
      setField(into, name, whole.json)
      removed.push(...others.map((each) => each.name))
    }
    const inner = all.flatMap((each) => (each.path.length > 1 ? [{ ...each, path: each.path.slice(1) }] : []))
    if (whole || inner.length === 0) continue
    if (field?.kind === 'object') {
      setField(into, name, changed(bytes.subarray(field.start, field.end), inner, fold, codec))
    } else if (!isGiven(field) && inner.some(({ how }) => how !== 'drop')) {
      setField(into, name, changed(codec.encode('{}'), inner, fold, codec))
    }
  }
  also?.({ bytes, scan, codec }, into)
  return concat(editFields(bytes, scan, into, codec))
}

const isGiven = (field: JsonField | undefined): boolean => field !== undefined && field.kind !== 'null'

/** Text of the operator around text of the caller. */
export const aroundText = ({ before, after }: SystemText, own: string | undefined): string =>
  [before, own, after].filter((text) => text !== undefined && text !== '').join('\n\n')

/** The same in a list of parts. */
export function aroundParts<Part>({ before, after }: SystemText, own: readonly Part[], partOf: (text: string) => Part) {
  return [...(before === undefined ? [] : [partOf(before)]), ...own, ...(after === undefined ? [] : [partOf(after)])]
}
