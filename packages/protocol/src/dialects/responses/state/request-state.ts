// What a request says about the conversation that it belongs to, and the same request with the whole conversation in it, as an
// upstream that stores nothing needs it.

import { isObject, type Json, parsedJson } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { editFields, elementsOf, type FieldEdits, setField } from '../../../framing/json/edit-fields.ts'
import { fieldNamed } from '../../../framing/json/json-scan.ts'
import { jsonText } from '../../../framing/json/json-text.ts'
import { concat } from '../../../framing/relay.ts'
import type { PassThroughEdits, PassThroughRequest } from '../../pass-through.ts'
import { forObjects, isId, joinEdits, type Scanned } from '../../shared/pass-through/request.ts'
import { isReference, namesStored } from '../request/stored-state.ts'
import type { ConversationState } from './conversation-state.ts'

const ENCRYPTED_REASONING = 'reasoning.encrypted_content'

export function stateOf(scanned: Scanned, body: Json): ConversationState<PassThroughRequest> {
  const references: string[] = []
  forObjects(body.input, (item) => {
    if (namesStored(item) && typeof item.id === 'string') references.push(item.id)
  })
  return {
    previousResponse: isId(body.previous_response_id) ? body.previous_response_id : undefined,
    store: body.store !== false,
    background: body.background === true,
    references,
    include: includeOf(body),
    items: (stored) => concat(separated(ownItems(scanned, body, stored), scanned)),
    foreground: () => concat([...editFields(scanned.bytes, scanned.scan, foreground(), scanned.codec)]),
    expanded: (history, stored) => expanded(scanned, body, history, stored),
    unstored,
  }
}

function includeOf({ include: asked }: Json): string | undefined {
  const include = Array.isArray(asked) ? asked.filter((word) => typeof word === 'string') : []
  return include.includes(ENCRYPTED_REASONING) ? undefined : JSON.stringify([...include, ENCRYPTED_REASONING])
}

type Stored = ReadonlyMap<string, Uint8Array>

/** The items of the request, in JSON, with the items that it only names: each by itself, or all in one with their commas. */
function ownItems({ bytes, scan, codec }: Scanned, body: Json, stored: Stored): Uint8Array[] {
  const { input } = body
  if (typeof input === 'string') return [codec.encode(`{"type":"message","role":"user","content":${jsonText(input)}}`)]
  const field = fieldNamed(scan.fields, 'input')
  if (field?.kind !== 'array' || !Array.isArray(input) || input.length === 0) return []
  if (stored.size === 0) return [bytes.subarray(field.start + 1, field.end - 1)]
  return elementsOf(bytes, field.start, field.end).map(({ start, end }, index) => {
    const item: unknown = input[index]
    const named = isObject(item) && namesStored(item) && typeof item.id === 'string' ? stored.get(item.id) : undefined
    const isMeant = named !== undefined && isObject(item) && (isReference(item) || isSame(item, named, codec))
    return isMeant ? named : bytes.subarray(start, end)
  })
}

/** Some servers give one id again and again: reasoning is known by what it shows, too. */
function isSame({ summary }: Json, stored: Uint8Array, codec: Codec): boolean {
  const item = parsedJson(codec.decode(stored, 0, stored.length))
  return isObject(item) && JSON.stringify(item.summary ?? []) === JSON.stringify(summary ?? [])
}

function separated(items: readonly Uint8Array[], { codec }: Scanned): Uint8Array[] {
  const comma = codec.encode(',')
  return items.flatMap((item, index) => (index === 0 ? [item] : [comma, item]))
}

function expanded(scanned: Scanned, body: Json, history: readonly Uint8Array[], stored: Stored): Uint8Array {
  const { bytes, scan, codec } = scanned
  const edits: FieldEdits = { set: [], remove: UNSTORED.remove }
  const items = [...history.filter((part) => part.length > 0), ...ownItems(scanned, body, stored)]
  setField(edits, 'input', concat([codec.encode('['), ...separated(items, scanned), codec.encode(']')]))
  setField(edits, 'store', UNSTORED.set.store)
  return concat([...editFields(bytes, scan, edits, codec)])
}

function foreground(): FieldEdits {
  const edits: FieldEdits = { set: [], remove: ['background'] }
  setField(edits, 'stream', 'true')
  return edits
}

/** The gateway stores the response. */
const UNSTORED = { set: { store: 'false' }, remove: ['previous_response_id'] } satisfies PassThroughEdits

function unstored(request: PassThroughRequest): PassThroughRequest {
  const canonical = { ...request.canonical(), store: false }
  return {
    ...request,
    canonical: () => canonical,
    edited: (edits) => request.edited(joinEdits([UNSTORED, edits])),
  }
}
