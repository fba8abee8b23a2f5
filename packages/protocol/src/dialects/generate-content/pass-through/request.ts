// A generate-content request as it passes through: what the journey has to know of it, and the few edits it may need.

import { isObject, type Json, RequestError } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { editElements, editFields, type FieldEdits, setField } from '../../../framing/json/edit-fields.ts'
import { fieldNamed, type JsonField, type JsonScan, scanObject } from '../../../framing/json/json-scan.ts'
import { concat } from '../../../framing/relay.ts'
import type { Pieces } from '../../../framing/splice.ts'
import type { PathParameters } from '../../dialect.ts'
import type { PassThrough, PassThroughEdits, PassThroughRequest } from '../../pass-through.ts'
import { openingOf } from '../../shared/pass-through/opening.ts'
import {
  NO_END_USERS,
  openFieldEdits,
  readBody,
  readFacts,
  type Scanned,
  setWithin,
  storingFields,
  withOutputBounds,
} from '../../shared/pass-through/request.ts'
import { decodeRequest } from '../request/decode-request.ts'
import { camelName } from '../request/fields.ts'
import { BOUNDS, NAMES } from './fields.ts'
import { billedAs, namedUrls, pricedFields, spelled, vendorObjects } from './vendor-fields.ts'

export const readRequest: PassThrough['readRequest'] = (bytes, codec, addressed, maxValues) =>
  readParsed(parseRequest(bytes, codec, maxValues), addressed)

export type ParsedRequest = { scanned: Scanned; body: Json }

/** Throws RequestError. */
export function parseRequest(bytes: Uint8Array, codec: Codec, maxValues: number | undefined): ParsedRequest {
  const { scan, body } = readBody(bytes, codec, NAMES, maxValues)
  rejectAmbiguous(bytes, scan, codec)
  return { scanned: { bytes, scan, codec }, body }
}

/** Decoding finds the errors of the client. Throws RequestError. */
export function readParsed(
  { scanned, body }: ParsedRequest,
  addressed: PathParameters | undefined,
): PassThroughRequest {
  const request = decodeRequest(body, addressed)
  return {
    ...readFacts(scanned, request, BOUNDS),
    capField: 'generationConfig.maxOutputTokens',
    cacheKey: undefined,
    endUser: undefined,
    endUserFields: NO_END_USERS,
    opening: () => openingOf(request),
    priced: pricedFields(body),
    storing: storingFields(scanned),
    objects: vendorObjects(body),
    body,
    urls: namedUrls(body),
    edited: (edits) => edited(scanned, body, edits),
  }
}

/** Throws RequestError for a field that is there in two spellings. */
export function rejectAmbiguous(bytes: Uint8Array, scan: JsonScan, codec: Codec): void {
  rejectTwoSpellings(scan.fields, '')
  rejectTwoCaps(bytes, scan, codec)
}

/** It is unknown which of two spellings of a field the vendor reads, and the hold must cover what is requested. */
function rejectTwoSpellings(fields: readonly JsonField[], before: string): void {
  // The scan has rejected names that occur twice in the same spelling.
  if (!fields.some(({ name }) => camelName(name) !== name)) return
  const seen = new Set<string>()
  for (const { name } of fields) {
    const field = before + camelName(name)
    if (seen.has(field)) throw new RequestError('bad_request', field, `The body has the field ${field} twice`)
    seen.add(field)
  }
}

function rejectTwoCaps(bytes: Uint8Array, { fields }: JsonScan, codec: Codec): void {
  const config = fields.find(({ name }) => camelName(name) === 'generationConfig')
  if (config?.kind !== 'object') return
  const inner = scanObject(bytes.subarray(config.start, config.end), codec)
  if (!inner.ok) throw new RequestError('bad_request', config.name, `The ${config.name} of the body ${inner.message}`)
  rejectTwoSpellings(inner.fields, 'generationConfig.')
}

function edited(scanned: Scanned, body: Json, edits: PassThroughEdits): Pieces {
  const { bytes, scan, codec } = scanned
  const into = openFieldEdits(edits)
  // The path names the model; a body that names it too must not contradict.
  if (edits.model !== undefined && typeof body.model === 'string') {
    const prefix = body.model.startsWith('models/') && !edits.model.includes('/') ? 'models/' : ''
    setField(into, 'model', JSON.stringify(prefix + edits.model))
  }
  if (edits.maxOutput !== undefined) lowerCap(scanned, into, body, edits.maxOutput)
  const tools = fieldNamed(scan.fields, 'tools')
  if (edits.withoutTools !== undefined && edits.withoutTools.length > 0 && tools !== undefined) {
    const without = (entry: Uint8Array) => withoutMembers(entry, edits.withoutTools ?? [], codec)
    if (tools.kind === 'array')
      setField(
        into,
        'tools',
        editElements(bytes, tools, (_, entry) => without(entry)),
      )
    else setField(into, 'tools', without(bytes.subarray(tools.start, tools.end)) ?? '[]')
  }
  return editFields(bytes, scan, withOutputBounds(scanned, into, edits), codec)
}

/** One entry of `tools` can hold several: what is left of it, or undefined when that is nothing. */
function withoutMembers(entry: Uint8Array, words: readonly string[], codec: Codec): Uint8Array | undefined {
  const scan = scanObject(entry, codec)
  if (!scan.ok) return entry
  const names = scan.fields.map(({ name }) => name)
  const dropped = names.filter((name) => words.includes(billedAs(name) ?? ''))
  if (dropped.length === 0) return entry
  if (dropped.length === names.length) return undefined
  return concat(editFields(entry, scan, { set: [], remove: dropped }, codec))
}

function lowerCap(scanned: Scanned, into: FieldEdits, body: Json, cap: number): void {
  const [outer, config] = spelled(body, 'generationConfig')[0] ?? ['generationConfig', {}]
  const [name, own] = (isObject(config) ? spelled(config, 'maxOutputTokens')[0] : undefined) ?? [
    'maxOutputTokens',
    null,
  ]
  // Numbers may be written as text here.
  if (own === null || !(Number(own) <= cap)) setWithin(scanned, into, outer, name, String(cap))
}
