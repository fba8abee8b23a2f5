// Reads the body under a byte limit, checks it by the rules of its dialect, and measures it.

import type { PassThroughRequest } from '@trivium/protocol/dialects/pass-through.ts'
import type { Codec } from '@trivium/protocol/framing/codec.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Slot } from '../overload/admission.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Failure, memoryFailure } from '../request/failure.ts'
import { readJson, UNPAID_RATIO } from '../request/read-json.ts'
import { BYTES_PER_VALUE, weighJson } from '../request/weigh-json.ts'
import type { TextCallDependencies } from './dependencies.ts'
import { rejectLowFunds } from './low-funds.ts'
import type { TextRequest } from './request.ts'
import type { TextCall } from './text-call.ts'

export function read(admitted: TextCall, deps: TextCallDependencies): TextRequest | Promise<TextRequest> {
  const { incoming, slot, catalogue, caller } = admitted
  const { bodyBytes } = catalogue.config.server.limits
  // The model, and so whether the request is free, is only known once the body is there.
  const ratio = deps.rateLimitCache.lowFunds.knows(caller) ? UNPAID_RATIO : undefined
  return readJson(incoming.http, bodyBytes, slot, deps, (body, own) => parse(body, own, admitted, deps), ratio)
}

function parse(
  body: Uint8Array,
  codec: Codec,
  { incoming, endpoint, slot, catalogue, caller, idempotencyKey }: TextCall,
  deps: TextCallDependencies,
): TextRequest {
  const { http, id, query } = incoming
  const { dialect, addressed, asArray = false } = endpoint
  const { config } = catalogue
  const { limits } = config.server
  // Not a repeated request, whose response may be stored.
  if (idempotencyKey === null) rejectLowFunds(caller, body, catalogue, deps)
  weighJson(body, codec, slot, limits)
  const asked = dialect.passThrough.readRequest(body, codec, addressed, limits.values)
  noteParsed(asked, body, slot, catalogue, incoming)
  const isDeferred = asked.state?.background === true
  const own = isDeferred ? foregroundOf(asked, catalogue) : body
  const parsed = isDeferred ? dialect.passThrough.readRequest(own, codec, addressed, limits.values) : asked
  const { reasoning } = config.retention
  return Object.freeze({
    id,
    headers: http.headers,
    query,
    dialect,
    parsed,
    body: own,
    background: isDeferred ? { isStreamed: asked.stream, body: own } : undefined,
    asArray,
    conversation: undefined,
    keepReasoningMs: reasoning === 'off' ? undefined : reasoning,
    recalled: undefined,
  })
}

/** What is generated in the background is found by its id alone, so it has to be stored. */
function foregroundOf({ state }: PassThroughRequest, { config }: Catalogue): Uint8Array {
  if (!state?.store)
    throw new Failure('bad_request', 'A background response has to be stored. Leave store out, or send true.', {
      param: 'store',
    })
  if (config.retention.responses === 'off')
    throw new Failure('bad_request', 'This gateway stores no responses, so none can be generated in the background.', {
      param: 'background',
    })
  return state.foreground()
}

export function noteParsed(
  { model, values }: { model: string; values: number },
  body: Uint8Array,
  slot: Slot,
  { config }: Catalogue,
  { record }: ApiRequest,
): void {
  record.model = model
  const bytes = body.length + values * BYTES_PER_VALUE
  if (!slot.weigh(bytes)) throw memoryFailure(bytes, config.server.limits.memoryBytes)
}
