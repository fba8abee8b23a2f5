// Changes a few top-level fields of a JSON object in its bytes. Every byte that need not change stays: key order, white
// space, numbers as they were written, unknown fields.

import type { Codec } from '../codec.ts'
import { concat } from '../relay.ts'
import { type Pieces, type Splice, splicedPieces } from '../splice.ts'
import { fieldNamed, type JsonField, scanObject } from './json-scan.ts'
import { jsonText } from './json-text.ts'

/** Where an object's fields are, as `scanObject` found them. */
export type Fields = { fields: readonly JsonField[]; close: number }

/** Plain lists that are searched: hardly a request needs more than two edits. */
export type FieldEdits = {
  /** Fields to replace, or to add behind the others, each once: JSON, as text or bytes. */
  set: FieldValue[]
  /** Names of fields to take out. What is also set is set. */
  remove: readonly string[]
}
export type FieldValue = { name: string; json: string | Uint8Array }

/** The later of two values for the same field holds. */
export function setField(edits: FieldEdits, name: string, json: string | Uint8Array): void {
  const known = valueNamed(edits.set, name)
  if (known === undefined) edits.set.push({ name, json })
  else known.json = json
}

function valueNamed(values: readonly FieldValue[], name: string): FieldValue | undefined {
  for (const value of values) if (value.name === name) return value
  return undefined
}

/** The object with these edits, around what stays of its bytes; the same array alone when nothing changes. */
export function editFields(
  bytes: Uint8Array,
  { fields, close }: Fields,
  { set, remove }: FieldEdits,
  codec: Codec,
): Pieces {
  if (set.length === 0 && remove.length === 0) return [bytes]
  const splices: Splice[] = []
  /** Where the last field that stays ends. */
  let lastKept = -1
  /** Where the fields that are being taken out begin, with what belongs to them; -1: none are. */
  let hole = -1
  for (const field of fields) {
    const value = valueNamed(set, field.name)
    if (value === undefined && remove.length > 0 && remove.includes(field.name)) {
      if (hole < 0) hole = field.keyStart
      continue
    }
    if (hole >= 0) splices.push({ start: hole, end: field.keyStart, bytes: NOTHING })
    hole = -1
    lastKept = field.end
    if (value !== undefined) splices.push({ start: field.start, end: field.end, bytes: bytesOf(value.json, codec) })
  }
  const added = addedFields(set, fields, lastKept >= 0, codec)
  // A hole at the end takes the comma before it along; what is added stands in its place.
  const end = fields[fields.length - 1]?.end ?? close
  const from = hole < 0 ? end : lastKept >= 0 ? lastKept : hole
  if (added.length > 0 || hole >= 0) splices.push({ start: from, end, bytes: added })
  return splicedPieces(bytes, splices, codec)
}

const bytesOf = (json: string | Uint8Array, codec: Codec): Uint8Array =>
  typeof json === 'string' ? codec.encode(json) : json

/** Those of the values that have no field yet, as they are to stand behind the others. `follows`: there are others. */
function addedFields(
  set: readonly FieldValue[],
  fields: readonly JsonField[],
  follows: boolean,
  codec: Codec,
): Uint8Array {
  const parts: Uint8Array[] = []
  /** What is not in `parts` yet: usually all of it. */
  let text = ''
  for (const { name, json } of set) {
    if (fieldNamed(fields, name) !== undefined) continue
    text += `${follows ? ',' : ''}${jsonText(name)}:`
    follows = true
    if (typeof json === 'string') text += json
    else {
      parts.push(codec.encode(text), json)
      text = ''
    }
  }
  if (parts.length === 0) return text === '' ? NOTHING : codec.encode(text)
  if (text !== '') parts.push(codec.encode(text))
  return concat(parts)
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
  return scan.ok ? concat(editFields(inner, scan, edits, codec)) : undefined
}

/**
 * A JSON array, already known to be valid, with some elements dropped (undefined) or written anew. The bytes of those
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

/** Where the elements of a valid JSON array are, with the white space around them. Of one that is cut: the whole ones. */
export function elementsOf(bytes: Uint8Array, start: number, end: number): { start: number; end: number }[] {
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

const BACKSLASH = 0x5c

function closingQuote(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(QUOTE, from); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    let before = at
    while (before > from && bytes[before - 1] === BACKSLASH) before--
    if ((at - before) % 2 === 0) return at
  }
  return bytes.length
}
