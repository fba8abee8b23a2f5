// A chat request, reply and stream whose bytes pass through, since client and upstream both speak this dialect.

import type { Codec } from '../../framing/codec.ts'
import { type FieldEdits, setField } from '../../framing/json/edit-fields.ts'
import { decodeString, fieldNamed } from '../../framing/json/json-scan.ts'
import { jsonText } from '../../framing/json/json-text.ts'
import type { Pieces } from '../../framing/splice.ts'
import type { PathParameters } from '../dialect.ts'
import type { PassThrough, PassThroughEdits, PassThroughRequest } from '../pass-through.ts'
import { attributionIn } from '../shared/pass-through/attribution.ts'
import { outputFieldsIn } from '../shared/pass-through/output-fields.ts'
import {
  endUsersIn,
  NO_END_USERS,
  openFieldEdits,
  parseBody,
  storingFields,
  withOutputBounds,
} from '../shared/pass-through/request.ts'
import { calledMessages, scannedCalledMessages, withReasoningContent } from './pass-through/called-messages.ts'
import { BOUNDS } from './pass-through/fields.ts'
import { openMeter, problemOf } from './pass-through/meter.ts'
import { openingIn } from './pass-through/opening.ts'
import { readChatReply, renameModel } from './pass-through/reply.ts'
import { type ChatEdits, type ChatFacts, editChatRequest, readChatRequest } from './pass-through/request.ts'
import { namedUrls, pricedFields, vendorObjects, withoutTools } from './pass-through/vendor-fields.ts'
import { decodeRequest } from './request/decode-request.ts'
import { serviceOf } from './request/services.ts'
import type { ChatCapField } from './wire.ts'

export { vendorObjects }

export const passThrough: PassThrough = {
  readRequest,
  readReply(bytes, codec, renameTo) {
    const reply = readChatReply(bytes, codec, renameTo !== undefined)
    if (!reply.ok) return { ok: false, error: problemOf(reply.problem === 'error', reply.body, reply.message) }
    const body = renameTo && reply.model ? renameModel(bytes, reply.model, renameTo, codec) : bytes
    return { ok: true, usage: reply.usage, finish: reply.finish, outputBytes: reply.outputBytes, body }
  },
  openMeter,
  serviceEdits(service, stream) {
    const edits: PassThroughEdits = service ? { service } : {}
    if (!stream) return edits
    // A service that always reports usage rejects the question, also the client's own; the client gets the usage all the same.
    if (service?.streamUsage === 'always') edits.remove = ['stream_options']
    else edits.includeUsage = true
    return edits
  },
}

function readRequest(
  bytes: Uint8Array,
  codec: Codec,
  _addressed: PathParameters | undefined,
  maxValues?: number | undefined,
): PassThroughRequest {
  const facts = readChatRequest(bytes, codec, maxValues)
  const { user, safetyIdentifier, decoded } = facts
  const cacheKey = fieldNamed(facts.fields, 'prompt_cache_key')
  let request = decoded?.request
  return {
    model: facts.model,
    stream: facts.stream,
    choices: facts.n,
    maxOutput: facts.maxOutput,
    images: facts.images,
    documents: facts.documents,
    audios: facts.audios,
    tools: facts.tools,
    values: facts.values,
    capField: facts.capField ?? 'max_tokens',
    outputFields: outputFieldsIn(facts.fields, BOUNDS, { bytes, codec }),
    showUsage: facts.includeUsage,
    textBytes: facts.textBytes,
    cacheKey: cacheKey?.kind === 'string' ? decodeString(bytes, cacheKey.start, cacheKey.end, codec) : undefined,
    endUser: safetyIdentifier ?? user,
    endUserFields:
      user === undefined && safetyIdentifier === undefined
        ? NO_END_USERS
        : endUsersIn({ user, safety_identifier: safetyIdentifier }),
    attribution: attributionIn(bytes, facts.fields, codec),
    opening: () => openingIn(bytes, facts.fields, codec),
    priced: pricedFields(bytes, facts, codec),
    // The vendor's API has metadata only for completions that it stores.
    storing: storingFields({ bytes, scan: facts, codec }, ['metadata']),
    urls: namedUrls(bytes, facts, codec),
    objects: decoded ? vendorObjects(decoded.body) : NO_OBJECTS,
    body: decoded?.body,
    calledMessages: () => (decoded ? calledMessages(decoded.body) : scannedCalledMessages(bytes, facts.fields, codec)),
    edited: (edits) => edited(bytes, facts, edits, codec),
    canonical() {
      request ??= decodeRequest(parseBody(bytes, codec))
      return request
    },
  }
}

const NO_OBJECTS: readonly string[] = []

function edited(bytes: Uint8Array, facts: ChatFacts, edits: PassThroughEdits, codec: Codec): Pieces {
  const { model, maxOutput, service } = edits
  let fields = openFieldEdits(edits)
  if (edits.cacheKey !== undefined) setField(fields, 'prompt_cache_key', jsonText(edits.cacheKey))
  if (edits.endUser !== undefined) {
    const isOlder = facts.user !== undefined && facts.safetyIdentifier === undefined
    const guess = isOlder ? 'user' : 'safety_identifier'
    setField(fields, service?.endUser ?? guess, jsonText(edits.endUser))
  }
  if (edits.withoutTools !== undefined && edits.withoutTools.length > 0) {
    const tools = withoutTools(bytes, facts.fields, edits.withoutTools, codec)
    if (tools !== undefined) setField(fields, 'tools', tools)
  }
  const messages = edits.reasoning && fieldNamed(facts.fields, 'messages')
  if (messages && edits.reasoning)
    setField(fields, 'messages', withReasoningContent(bytes, messages, edits.reasoning, codec))
  fields = withOutputBounds({ bytes, scan: facts, codec }, fields, edits)
  if (service?.cap === 'max_tokens') fields = withOlderCap(facts, fields, maxOutput)
  const changes: ChatEdits = { fields }
  if (model !== undefined) changes.model = model
  if (edits.includeUsage && facts.stream) changes.includeUsage = true
  if (maxOutput !== undefined) {
    changes.maxOutput = maxOutput
    changes.capField = service?.cap ?? capFor(edits.baseModel ?? model ?? facts.model)
  }
  return editChatRequest(bytes, facts, changes, codec)
}

/** A service that knows only the older name ignores the newer one, and the answer could cost any sum. */
function withOlderCap(facts: ChatFacts, edits: FieldEdits, lowered: number | undefined): FieldEdits {
  if (facts.capField !== 'max_completion_tokens' || facts.maxOutput === undefined) return edits
  const hasOlder = fieldNamed(facts.fields, 'max_tokens')?.kind === 'number'
  if (!hasOlder) setField(edits, 'max_tokens', String(Math.min(facts.maxOutput, lowered ?? facts.maxOutput)))
  return { set: edits.set, remove: [...edits.remove, 'max_completion_tokens'] }
}

/** The name that every service knows, except for the models that reject it: those that take a developer's instructions. */
function capFor(model: string): ChatCapField {
  return serviceOf(model).instructions === 'developer' ? 'max_completion_tokens' : 'max_tokens'
}
