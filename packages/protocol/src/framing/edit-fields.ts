// Changes a few top-level fields of a JSON object in its bytes. Every byte that need not change stays: key order, white
// space, numbers as they were written, fields that nobody here knows.

import type { Codec } from './codec.ts'
import { type JsonField, scanObject } from './json-scan.ts'
import { concat } from './relay.ts'
import { type Splice, splice } from './splice.ts'

/** Where an object's fields are, as `scanObject` tells it. */
export type Fields = { fields: readonly JsonField[]; close: number }

export type FieldEdits = {
  /** Fields to replace, or to add behind the others: JSON, as text or bytes. */
  set: ReadonlyMap<string, string | Uint8Array>
  /** Fields to take out. What is also set is set. */
  remove?: ReadonlySet<string>
}

/** The object with these edits; the same array when nothing changes. */
export function editFields(bytes: Uint8Array, { fields, close }: Fields, edits: FieldEdits, codec: Codec): Uint8Array {
  const asBytes = (json: string | Uint8Array) => (typeof json === 'string' ? codec.encode(json) : json)
  const isRemoved = ({ name }: JsonField) => edits.remove?.has(name) === true && !edits.set.has(name)
  const splices: Splice[] = []
  /** Where the last field that stays ends. */
  let lastKept = -1
  /** Where the fields that are being taken out begin, with what belongs to them; -1: none are. */
  let hole = -1
  for (const field of fields) {
    if (edits.remove !== undefined && isRemoved(field)) {
      if (hole < 0) hole = field.keyStart
      continue
    }
    if (hole >= 0) splices.push({ start: hole, end: field.keyStart, bytes: NOTHING })
    hole = -1
    lastKept = field.end
    const value = edits.set.get(field.name)
    if (value !== undefined) splices.push({ start: field.start, end: field.end, bytes: asBytes(value) })
  }

  const added: Uint8Array[] = []
  /** Of what is added, the text that is not in `added` yet: usually all of it. */
  let text = ''
  for (const [name, value] of edits.set) {
    if (fields.some((field) => field.name === name)) continue
    const comma = added.length > 0 || text !== '' || lastKept >= 0 ? ',' : ''
    text += `${comma}${JSON.stringify(name)}:`
    if (typeof value === 'string') text += value
    else {
      added.push(codec.encode(text), value)
      text = ''
    }
  }
  if (text !== '') added.push(codec.encode(text))
  // A hole at the end takes the comma before it along; what is added stands in its place.
  const end = fields.at(-1)?.end ?? close
  const from = hole < 0 ? end : lastKept >= 0 ? lastKept : hole
  if (added.length > 0 || hole >= 0)
    splices.push({ start: from, end, bytes: added.length === 1 ? (added[0] ?? NOTHING) : concat(added) })
  return splice(bytes, splices)
}

/** The JSON object at `start` to `end` with these edits, in bytes of its own. Undefined when it is no object. */
export function editedObject(
  bytes: Uint8Array,
  { start, end }: { start: number; end: number },
  edits: FieldEdits,
  codec: Codec,
): Uint8Array | undefined {
  const inner = bytes.subarray(start, end)
  const scan = scanObject(inner, codec)
  return scan.ok ? editFields(inner, scan, edits, codec) : undefined
}

/**
 * A JSON array, already known to be valid, with some elements left out (undefined) or written anew. The bytes of those
 * that `decide` gives back as they are stay.
 */
export function editElements(
  bytes: Uint8Array,
  { start, end }: { start: number; end: number },
  decide: (index: number, element: Uint8Array) => Uint8Array | undefined,
): Uint8Array {
  const parts: Uint8Array[] = [OPEN]
  for (const [index, element] of elementsOf(bytes, start, end).entries()) {
    const kept = decide(index, bytes.subarray(element.start, element.end))
    if (kept === undefined) continue
    if (parts.length > 1) parts.push(COMMA)
    parts.push(kept)
  }
  parts.push(CLOSE)
  return concat(parts)
}

const NOTHING = new Uint8Array(0)
const OPEN = Uint8Array.of(0x5b)
const COMMA = Uint8Array.of(0x2c)
const CLOSE = Uint8Array.of(0x5d)

/** Where the elements of a valid JSON array are, with the white space around them. */
function elementsOf(bytes: Uint8Array, start: number, end: number): { start: number; end: number }[] {
  const elements: { start: number; end: number }[] = []
  let depth = 0
  let from = start + 1
  let isEmpty = true
  for (let at = start; at < end; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = closingQuote(bytes, at + 1)
    else if (byte === 0x5b || byte === 0x7b) depth++
    else if (byte === 0x5d || byte === 0x7d) depth--
    const isLast = depth === 0
    if (isLast || (depth === 1 && byte === 0x2c)) {
      if (!isLast || !isEmpty) elements.push({ start: from, end: at })
      from = at + 1
    }
    if (at > start && byte !== undefined && byte > 0x20) isEmpty = false
    if (isLast) break
  }
  return elements
}

const QUOTE = 0x22

function closingQuote(bytes: Uint8Array, at: number): number {
  while (bytes[at] !== QUOTE && at < bytes.length) at += bytes[at] === 0x5c ? 2 : 1
  return at
}
