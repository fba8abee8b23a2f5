// A messages request as it passes through: what the journey has to know of it, and the few edits it may need.

import { isObject, type Json } from '../../../canonical/reading.ts'
import { editFields, type FieldEdits, setField } from '../../../framing/json/edit-fields.ts'
import { jsonText } from '../../../framing/json/json-text.ts'
import type { Pieces } from '../../../framing/splice.ts'
import type { PassThrough, PassThroughEdits } from '../../pass-through.ts'
import { openingOf } from '../../shared/pass-through/opening.ts'
import {
  endUsersIn,
  leaveOutTools,
  notText,
  openFieldEdits,
  readBody,
  readFacts,
  type Scanned,
  setWithin,
  withOutputBounds,
} from '../../shared/pass-through/request.ts'
import { decodeRequest } from '../request/decode-request.ts'
import { BOUNDS, NAMES } from './fields.ts'
import { billedAs, namedUrls, pricedFields, vendorObjects } from './vendor-fields.ts'

/** The smallest thinking budget that the vendor accepts. */
const LEAST_BUDGET = 1_024

/** A conversation that the vendor keeps for its customer, and who of its customers pays. */
function storingFields({ thread, billing_policy: payer }: Json): readonly string[] {
  if (!isGiven(thread)) return isGiven(payer) ? PAYER : NO_FIELDS
  return isGiven(payer) ? [...THREAD, ...PAYER] : THREAD
}

const NO_FIELDS: readonly string[] = []
const THREAD = ['thread']
const PAYER = ['billing_policy']
const isGiven = (value: unknown): boolean => value !== undefined && value !== null

/** Decoding finds the errors of the client. Throws RequestError. */
export const readRequest: PassThrough['readRequest'] = (bytes, codec, _path, maxValues) => {
  const { scan, body } = readBody(bytes, codec, NAMES, maxValues)
  const request = decodeRequest(body)
  const scanned = { bytes, scan, codec }
  const facts = readFacts(scanned, request, BOUNDS)
  return {
    ...facts,
    capField: 'max_tokens',
    textBytes: facts.textBytes - fetchedBytes(body),
    cacheKey: undefined,
    endUser: request.endUser,
    endUserFields: endUsersIn({ 'metadata.user_id': request.endUser }),
    opening: () => openingOf(request),
    priced: pricedFields(body),
    objects: vendorObjects(body),
    storing: storingFields(body),
    body,
    urls: namedUrls(body),
    edited: (edits) => edited(scanned, body, edits),
  }
}

/** Documents that a hosted tool brought into the conversation, which the canonical request leaves out. */
function fetchedBytes({ messages }: Json): number {
  let total = 0
  if (!Array.isArray(messages)) return total
  for (const message of messages)
    if (isObject(message) && Array.isArray(message.content))
      for (const block of message.content) if (isObject(block)) total += fetchedIn(block)
  return total
}

function fetchedIn({ content }: Json): number {
  if (!isObject(content) || !isObject(content.content) || !isObject(content.content.source)) return 0
  const { type, data, media_type: mime } = content.content.source
  return type === 'base64' && typeof data === 'string' ? notText(String(mime), data.length) : 0
}

function edited(scanned: Scanned, body: Json, edits: PassThroughEdits): Pieces {
  const { bytes, scan, codec } = scanned
  const into = openFieldEdits(edits)
  if (edits.model !== undefined && edits.model !== body.model) setField(into, 'model', jsonText(edits.model))
  if (edits.endUser !== undefined) setWithin(scanned, into, 'metadata', 'user_id', jsonText(edits.endUser))
  if (edits.maxOutput !== undefined) lowerCap(scanned, into, body, edits.maxOutput)
  leaveOutTools(scanned, into, body, edits, billedAs)
  return editFields(bytes, scan, withOutputBounds(scanned, into, edits), codec)
}

/** A cap must stay above the thinking budget, or the vendor rejects the request. */
function lowerCap(scanned: Scanned, into: FieldEdits, body: Json, cap: number): void {
  if (typeof body.max_tokens === 'number' && body.max_tokens <= cap) return
  setField(into, 'max_tokens', String(cap))
  const thinking = isObject(body.thinking) ? body.thinking : {}
  if (typeof thinking.budget_tokens !== 'number' || thinking.budget_tokens < cap) return
  if (cap <= LEAST_BUDGET) setField(into, 'thinking', '{"type":"disabled"}')
  else setWithin(scanned, into, 'thinking', 'budget_tokens', String(cap - 1))
}
