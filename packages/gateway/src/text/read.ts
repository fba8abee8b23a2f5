// Reads the body under a byte limit, checks it by the rules of its dialect, and measures it.

import { codec } from '../bytes/codec.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Slot } from '../overload/admission.ts'
import type { Admitted } from '../paid-call/journey.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { memoryFailure } from '../request/failure.ts'
import { type ReadDependencies, readJson } from '../request/read-json.ts'
import { type LowFundsDependencies, rejectLowFunds } from './low-funds.ts'
import type { TextEndpoint, TextRequest } from './request.ts'

/** What a JSON value takes in memory once it has been parsed and translated, on average. */
const BYTES_PER_VALUE = 128

type Dependencies = ReadDependencies & LowFundsDependencies

export function read(admitted: Admitted<TextEndpoint>, deps: Dependencies): TextRequest | Promise<TextRequest> {
  const { incoming, slot, catalogue } = admitted
  const body = readJson(incoming.http, catalogue.config.server.limits.bodyBytes, slot, deps)
  return body instanceof Promise ? body.then((read) => parse(read, admitted, deps)) : parse(body, admitted, deps)
}

function parse(
  body: Uint8Array,
  { incoming, endpoint, slot, catalogue, caller, idempotencyKey }: Admitted<TextEndpoint>,
  deps: Dependencies,
): TextRequest {
  const { http, id, query } = incoming
  const { dialect, addressed, asArray = false } = endpoint
  const { config } = catalogue
  const { limits } = config.server
  // Not a repeated request, whose response may be stored.
  if (idempotencyKey === null) rejectLowFunds(caller, body, catalogue, deps)
  const parsed = dialect.passThrough.readRequest(body, codec, addressed, limits.values)
  noteParsed(parsed, body, slot, catalogue, incoming)
  const { reasoning } = config.retention
  return Object.freeze({
    id,
    headers: http.headers,
    query,
    dialect,
    parsed,
    body,
    asArray,
    conversation: undefined,
    keepReasoningMs: reasoning === 'off' ? undefined : reasoning,
    recalled: undefined,
  })
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
