// A responses request as it passes through: what the journey has to know of it, and the few edits it may need.

import { isObject, type Json } from '../../../canonical/reading.ts'
import type { CanonicalRequest } from '../../../canonical/request.ts'
import type { Codec } from '../../../framing/codec.ts'
import { editElements, editFields, type FieldEdits, setField } from '../../../framing/json/edit-fields.ts'
import { fieldNamed, type JsonScan } from '../../../framing/json/json-scan.ts'
import type { Pieces } from '../../../framing/splice.ts'
import { openingOf } from '../../shared/pass-through/opening.ts'
import { outputFieldsIn } from '../../shared/pass-through/output-fields.ts'
import {
  countMedia,
  endUsersIn,
  isId,
  leaveOutTools,
  objectsIn,
  openFieldEdits,
  readBody,
  withOutputBounds,
} from '../../shared/pass-through/request.ts'
import type { PassThroughEdits, PassThroughRequest, PathParameters } from '../../text-dialect.ts'
import { isReasoningReference } from '../request/stored-state.ts'
import { NAMES } from './known-names.ts'
import { billedAs, namedUrls, pricedFields, vendorObjects } from './vendor-fields.ts'

const OWN_BOUNDS: ReadonlySet<string> = new Set(['max_output_tokens'])

/** `decode` also is what finds the caller's mistakes. Throws Mistake. */
export function readRequest(
  bytes: Uint8Array,
  codec: Codec,
  addressed: PathParameters | undefined,
  decode: (body: unknown, addressed: PathParameters | undefined) => CanonicalRequest,
  maxValues?: number | undefined,
): PassThroughRequest {
  const { scan, body } = readBody(bytes, codec, NAMES, maxValues)
  const request = decode(body, addressed)
  const { images, documents, audios, encodedBytes } = countMedia(request)
  return {
    model: request.model,
    stream: request.stream,
    choices: 1,
    maxOutput: request.sampling.maxOutput,
    capField: 'max_output_tokens',
    outputFields: outputFieldsIn(scan.fields, OWN_BOUNDS, { bytes, codec }),
    showUsage: true,
    textBytes: bytes.length - encodedBytes - producedBytes(body),
    images,
    documents,
    audios,
    tools: request.tools.length + request.hostedTools.length,
    values: scan.values,
    cacheKey: isId(body.prompt_cache_key) ? body.prompt_cache_key : undefined,
    endUser: [body.safety_identifier, body.user].find(isId),
    endUserFields: endUsersIn({ user: body.user, safety_identifier: body.safety_identifier }),
    opening: () => openingOf(request, body.include !== undefined),
    priced: pricedFields(body),
    objects: vendorObjects(body),
    urls: namedUrls(body),
    reasoningReferences: objectsIn(body.input).some(([item]) => isReasoningReference(item)),
    edited: (edits) => edited(bytes, scan, body, edits, codec),
    canonical: () => request,
  }
}

/** Images that hosted tools made or took earlier in the conversation, which the canonical request leaves out. */
function producedBytes(body: Json): number {
  let total = 0
  for (const [item] of objectsIn(body.input)) {
    const shown = isObject(item.output) ? item.output.image_url : undefined
    if (item.type === 'image_generation_call' && typeof item.result === 'string') total += item.result.length
    if (item.type === 'computer_call_output' && typeof shown === 'string') total += shown.length
  }
  return total
}

function edited(bytes: Uint8Array, scan: JsonScan, body: Json, edits: PassThroughEdits, codec: Codec): Pieces {
  const into = openFieldEdits(edits)
  const put = (name: string, value: string | number) => setField(into, name, JSON.stringify(value))
  const cap = body.max_output_tokens
  if (edits.model !== undefined && edits.model !== body.model) put('model', edits.model)
  if (edits.maxOutput !== undefined && !(typeof cap === 'number' && cap <= edits.maxOutput))
    put('max_output_tokens', edits.maxOutput)
  if (edits.cacheKey !== undefined) put('prompt_cache_key', edits.cacheKey)
  const isOlder = isId(body.user) && !isId(body.safety_identifier)
  if (edits.endUser !== undefined) put(isOlder ? 'user' : 'safety_identifier', edits.endUser)
  leaveOutTools({ bytes, scan }, into, body, edits, billedAs)
  if (edits.withoutReasoningReferences) leaveOutReasoningReferences({ bytes, scan, codec }, into, body)
  return editFields(bytes, scan, withOutputBounds({ bytes, scan, codec }, into, edits), codec)
}

/**
 * A vendor that stored the response rejects a call, known by its id, without the reasoning that led to it. Without the
 * id it takes the call as new.
 */
function leaveOutReasoningReferences(
  { bytes, scan, codec }: { bytes: Uint8Array; scan: JsonScan; codec: Codec },
  into: FieldEdits,
  body: Json,
): void {
  const input = fieldNamed(scan.fields, 'input')
  if (input?.kind !== 'array') return
  const items = new Map(objectsIn(body.input).map(([item, index]) => [index, item]))
  const kept = editElements(bytes, input, (index, element) => {
    const item = items.get(index)
    if (item === undefined || !isId(item.id)) return element
    if (isReasoningReference(item)) return undefined
    if (!TAKEN_WITHOUT_ID.has(item.type)) return element
    const { id: _, ...unnamed } = item
    return codec.encode(JSON.stringify(unnamed))
  })
  setField(into, 'input', kept)
}

const TAKEN_WITHOUT_ID: ReadonlySet<unknown> = new Set(['message', 'function_call', 'custom_tool_call', undefined])
