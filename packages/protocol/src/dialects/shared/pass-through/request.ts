// What the requests of all text dialects have in common on their way through: how they are read, what is counted in
// them, and how the few edits become changes of their bytes.

import { isObject, type Json, RequestError } from '../../../canonical/reading.ts'
import type { CanonicalRequest, MediaPart, Part } from '../../../canonical/request.ts'
import type { Codec } from '../../../framing/codec.ts'
import { editElements, editedObject, type FieldEdits, setField } from '../../../framing/json/edit-fields.ts'
import { fieldNamed, type JsonField, type JsonScan, scanObject } from '../../../framing/json/json-scan.ts'
import { jsonText } from '../../../framing/json/json-text.ts'
import type { EndUserField, PassThroughEdits, PassThroughRequest } from '../../pass-through.ts'
import { attributionIn } from './attribution.ts'
import { checkNames, type KnownNames } from './known-names.ts'
import { boundOutput, outputFieldsIn } from './output-fields.ts'

/** A body with the places of its top-level fields. */
export type Scanned = { bytes: Uint8Array; scan: JsonScan; codec: Codec }

/** Both the parsed value and the positions of its fields in the bytes. Throws RequestError. */
export function readBody(
  bytes: Uint8Array,
  codec: Codec,
  names: KnownNames,
  maxValues?: number | undefined,
): { scan: JsonScan; body: Json } {
  const scan = scanBody(bytes, codec, names, maxValues)
  return { scan, body: parseBody(bytes, codec) }
}

/**
 * A parsed value takes up to a hundred times its bytes: `[]` is two of them, and compresses to less than one. So values are
 * counted before anything is parsed.
 */
export const DEFAULT_MAX_VALUES = 250_000

/** Everything that is checked before a body is parsed, or instead. Throws RequestError. */
export function scanBody(
  bytes: Uint8Array,
  codec: Codec,
  names: KnownNames,
  maxValues: number = DEFAULT_MAX_VALUES,
): JsonScan {
  // A reader that replaces what it cannot read sees another body than one that leaves it out.
  if (!codec.isUtf8(bytes)) throw new RequestError('bad_request', undefined, 'The body is not valid UTF-8.')
  const scan = scanObject(bytes, codec, names.watched, maxValues)
  if (scan.ok) {
    checkNames(bytes, scan, names, codec)
    return scan
  }
  if (scan.tooManyValues) {
    const message = `The body has more than ${maxValues} JSON values, which is the limit. Send fewer or larger values.`
    throw new RequestError('request_too_large', scan.field, message)
  }
  throw new RequestError('bad_request', scan.field, `The body ${scan.message} (byte ${scan.offset})`)
}

/** Throws RequestError. Nesting must have been limited before, by a scan. */
export function parseBody(bytes: Uint8Array, codec: Codec): Json {
  try {
    return codec.parse(bytes) as Json
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown
    const why = thrown.message
    throw new RequestError('bad_request', undefined, `The body is not valid JSON: ${why}`)
  }
}

/** `encodedBytes`: those that do not weigh as text. */
export type MediaCounts = { images: number; documents: number; audios: number; encodedBytes: number }

/** Text that was encoded, whatever it is called: a model reads every word of it. */
const TEXT_TYPE = /^text\/|[/+.-](?:json|xml|yaml|csv|javascript|typescript|sql|sh|toml)\b/i

/**
 * How many of the bytes of encoded media a model does not read as text. Images are counted one by one; pages and
 * audio have no known count, but larger data has more of them.
 */
export function notText(mime: string, bytes: number): number {
  if (/^image\//i.test(mime)) return bytes
  if (TEXT_TYPE.test(mime)) return 0
  return bytes - Math.ceil(bytes / (/^(?:audio|video)\//i.test(mime) ? 128 : 16))
}

/** What a request carries besides text. A video counts with the documents: both have many pages. */
export function countMedia(request: CanonicalRequest): MediaCounts {
  const counts: MediaCounts = { images: 0, documents: 0, audios: 0, encodedBytes: 0 }
  for (const turn of request.turns) countParts(turn.parts, counts)
  return counts
}

function countParts(parts: readonly Part[], counts: MediaCounts): void {
  for (const part of parts) {
    if (part.type === 'media') countPart(part, counts)
    else if (part.type === 'result') countParts(part.parts, counts)
    // The dialect leaves its bytes out itself.
    else if (part.type === 'foreign' && part.image) counts.images++
  }
}

function countPart({ media, source }: MediaPart, counts: MediaCounts): void {
  if (media === 'image') counts.images++
  else if (media === 'audio') counts.audios++
  else counts.documents++
  if (source.kind === 'inline') counts.encodedBytes += notText(source.mime, source.data.length)
}

/** What every dialect whose bodies are parsed whole takes from the scan and the canonical request. */
export function readFacts({ bytes, scan, codec }: Scanned, request: CanonicalRequest, ownBounds: ReadonlySet<string>) {
  const { encodedBytes, ...media } = countMedia(request)
  return {
    ...media,
    model: request.model,
    stream: request.stream,
    choices: request.sampling.choices ?? 1,
    maxOutput: request.sampling.maxOutput,
    outputFields: outputFieldsIn(scan.fields, ownBounds, { bytes, codec }),
    showUsage: true,
    textBytes: bytes.length - encodedBytes,
    tools: request.tools.length + request.hostedTools.length,
    values: scan.values,
    attribution: attributionIn(bytes, scan.fields, codec),
    canonical: () => request,
  } satisfies Partial<PassThroughRequest>
}

/** One after the other; of two that set the same field the later wins. */
export function joinEdits(edits: readonly PassThroughEdits[]): PassThroughEdits {
  const joined: PassThroughEdits = Object.assign({}, ...edits)
  const set = Object.assign({}, ...edits.map((edit) => edit.set))
  const remove = edits.flatMap((edit) => edit.remove ?? [])
  const withoutTools = edits.flatMap((edit) => edit.withoutTools ?? [])
  return { ...joined, set, remove, withoutTools }
}

/** The edits to top-level fields that every dialect makes alike; a dialect adds its own. */
export function openFieldEdits({ set, remove }: PassThroughEdits): FieldEdits {
  const edits: FieldEdits = { set: [], remove: remove ?? NO_NAMES }
  if (set !== undefined) for (const [name, json] of Object.entries(set)) setField(edits, name, json)
  return edits
}

const NO_NAMES: readonly string[] = []

/** The same edits, with those that keep every other field within what may be asked of output. */
export function withOutputBounds(
  scanned: { bytes: Uint8Array; scan: { fields: readonly JsonField[] }; codec: Codec },
  into: FieldEdits,
  { outputFields, maxOutput = Number.POSITIVE_INFINITY }: PassThroughEdits,
): FieldEdits {
  if (outputFields === undefined) return into
  const { fields, bounds } = outputFields
  return boundOutput(scanned, into, fields, { ...bounds, cap: Math.min(bounds.cap, maxOutput) })
}

/** The `tools` field without the tools that need one of these prices. */
export function leaveOutTools(
  { bytes, scan }: Scanned,
  into: FieldEdits,
  body: Json,
  { withoutTools = [] }: PassThroughEdits,
  billedAs: (tool: Json) => string | undefined,
): void {
  const tools = fieldNamed(scan.fields, 'tools')
  if (withoutTools.length === 0 || tools?.kind !== 'array') return
  const words = new Map(objectsIn(body.tools).map(([tool, index]) => [index, billedAs(tool)]))
  const isDropped = (index: number): boolean => withoutTools.includes(words.get(index) ?? '')
  const kept = editElements(bytes, tools, (index, entry) => (isDropped(index) ? undefined : entry))
  setField(into, 'tools', kept)
}

/** A field inside a top-level object, set without touching the object's other bytes. */
export function setWithin(
  { bytes, scan, codec }: Scanned,
  into: FieldEdits,
  outer: string,
  inner: string,
  json: string,
): void {
  const field = fieldNamed(scan.fields, outer)
  const edits = { set: [{ name: inner, json }], remove: NO_NAMES }
  const edited = field?.kind === 'object' ? editedObject(bytes, field, edits, codec) : undefined
  setField(into, outer, edited ?? `{${jsonText(inner)}:${json}}`)
}

/** Visits the objects in a list that may not even be a list. For long lists, where pairs would cost more than the visits. */
export function forObjects(value: unknown, visit: (item: Json, index: number) => void): void {
  if (!Array.isArray(value)) return
  for (let index = 0; index < value.length; index++) {
    const item: unknown = value[index]
    if (isObject(item)) visit(item, index)
  }
}

/** The same as a list of pairs, which has its cost: for what is rare. */
export function objectsIn(value: unknown): readonly [Json, number][] {
  if (!Array.isArray(value)) return NO_OBJECTS
  const found: [Json, number][] = []
  forObjects(value, (item, index) => void found.push([item, index]))
  return found
}

/** Whether an object in such a list is one of these. */
export const someObject = (value: unknown, isOne: (item: Json) => boolean): boolean =>
  Array.isArray(value) && value.some((item) => isObject(item) && isOne(item))

const NO_OBJECTS: readonly [Json, number][] = []

/** The top-level fields among these that name an end user. */
export function endUsersIn(values: Readonly<Record<string, unknown>>): readonly EndUserField[] {
  let found = NO_END_USERS
  for (const field in values) {
    const value = values[field]
    if (isId(value)) found = [...found, { field, value }]
  }
  return found
}

const NO_FIELDS: readonly string[] = []
const UNSTORED = ['false', 'null']

/** `store`, unless it is false, and the fields that only serve it. */
export function storingFields(
  { bytes, scan, codec }: { bytes: Uint8Array; scan: { fields: readonly JsonField[] }; codec: Codec },
  alongside: readonly string[] = NO_FIELDS,
): readonly string[] {
  const store = fieldNamed(scan.fields, 'store')
  if (store === undefined || UNSTORED.includes(codec.decode(bytes, store.start, store.end))) return NO_FIELDS
  return ['store', ...alongside.filter((name) => fieldNamed(scan.fields, name) !== undefined)]
}

export const NO_END_USERS: readonly EndUserField[] = []

export const isId = (value: unknown): value is string => typeof value === 'string' && value !== ''
