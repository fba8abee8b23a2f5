// A responses request as it passes through: what the journey has to know of it, and the few edits it may need.

import { isObject, type Json } from '../../../canonical/reading.ts'
import { editElements, editFields, type FieldEdits, setField } from '../../../framing/json/edit-fields.ts'
import { fieldNamed } from '../../../framing/json/json-scan.ts'
import type { Pieces } from '../../../framing/splice.ts'
import type { PassThrough, PassThroughEdits } from '../../pass-through.ts'
import { openingOf } from '../../shared/pass-through/opening.ts'
import {
  endUsersIn,
  forObjects,
  isId,
  leaveOutTools,
  objectsIn,
  openFieldEdits,
  readBody,
  readFacts,
  type Scanned,
  someObject,
  withOutputBounds,
} from '../../shared/pass-through/request.ts'
import { decodeRequest } from '../request/decode-request.ts'
import { isForeignReasoning, isReasoningReference } from '../request/stored-state.ts'
import { stateOf } from '../state/request-state.ts'
import { BOUNDS, NAMES } from './fields.ts'
import { billedAs, namedUrls, pricedFields, vendorObjects } from './vendor-fields.ts'

/** Decoding finds the errors of the client. Throws RequestError. */
export const readRequest: PassThrough['readRequest'] = (bytes, codec, addressed, maxValues) => {
  const { scan, body } = readBody(bytes, codec, NAMES, maxValues)
  const request = decodeRequest(body, addressed)
  const scanned = { bytes, scan, codec }
  const facts = readFacts(scanned, request, BOUNDS)
  return {
    ...facts,
    capField: 'max_output_tokens',
    textBytes: facts.textBytes - producedBytes(body),
    cacheKey: isId(body.prompt_cache_key) ? body.prompt_cache_key : undefined,
    endUser: [body.safety_identifier, body.user].find(isId),
    endUserFields: endUsersIn({ user: body.user, safety_identifier: body.safety_identifier }),
    opening: () => openingOf(request, body.include !== undefined),
    priced: pricedFields(body),
    objects: vendorObjects(body),
    body,
    urls: namedUrls(body),
    state: stateOf(scanned, body),
    reasoningReferences: someObject(body.input, isReasoningReference),
    foreignReasoning: someObject(body.input, isForeignReasoning),
    edited: (edits) => edited(scanned, body, edits),
  }
}

/** Images that hosted tools made or took earlier in the conversation, which the canonical request leaves out. */
function producedBytes(body: Json): number {
  let total = 0
  forObjects(body.input, (item) => {
    const shown = isObject(item.output) ? item.output.image_url : undefined
    if (item.type === 'image_generation_call' && typeof item.result === 'string') total += item.result.length
    if (item.type === 'computer_call_output' && typeof shown === 'string') total += shown.length
  })
  return total
}

function edited(scanned: Scanned, body: Json, edits: PassThroughEdits): Pieces {
  const { bytes, scan, codec } = scanned
  const into = openFieldEdits(edits)
  const put = (name: string, value: string | number) => setField(into, name, JSON.stringify(value))
  const cap = body.max_output_tokens
  if (edits.model !== undefined && edits.model !== body.model) put('model', edits.model)
  if (edits.maxOutput !== undefined && !(typeof cap === 'number' && cap <= edits.maxOutput))
    put('max_output_tokens', edits.maxOutput)
  if (edits.cacheKey !== undefined) put('prompt_cache_key', edits.cacheKey)
  const isOlder = isId(body.user) && !isId(body.safety_identifier)
  if (edits.endUser !== undefined) put(isOlder ? 'user' : 'safety_identifier', edits.endUser)
  leaveOutTools(scanned, into, body, edits, billedAs)
  if (edits.withoutReasoningReferences || edits.withoutForeignReasoning) leaveOutReasoning(scanned, into, body, edits)
  return editFields(bytes, scan, withOutputBounds(scanned, into, edits), codec)
}

/**
 * A vendor that stored the response rejects a call, known by its id, without the reasoning that led to it. Without the
 * id it takes the call as new.
 */
function leaveOutReasoning(
  { bytes, scan, codec }: Scanned,
  into: FieldEdits,
  body: Json,
  edits: PassThroughEdits,
): void {
  const input = fieldNamed(scan.fields, 'input')
  if (input?.kind !== 'array') return
  const items = new Map(objectsIn(body.input).map(([item, index]) => [index, item]))
  const kept = editElements(bytes, input, (index, element) => {
    const item = items.get(index)
    if (item === undefined || !isId(item.id)) return element
    if (edits.withoutReasoningReferences && isReasoningReference(item)) return undefined
    if (edits.withoutForeignReasoning && isForeignReasoning(item)) return undefined
    if (!TAKEN_WITHOUT_ID.has(item.type)) return element
    const { id: _, ...unnamed } = item
    return codec.encode(JSON.stringify(unnamed))
  })
  setField(into, 'input', kept)
}

const TAKEN_WITHOUT_ID: ReadonlySet<unknown> = new Set(['message', 'function_call', 'custom_tool_call', undefined])
