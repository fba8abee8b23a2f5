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

export async function read(
  { incoming, endpoint, slot, catalogue, caller, idempotencyKey }: Admitted<TextEndpoint>,
  deps: ReadDependencies & LowFundsDependencies,
): Promise<TextRequest> {
  const { http, id, query } = incoming
  const { dialect, addressed, asArray = false } = endpoint
  const { config } = catalogue
  const { limits } = config.server
  const body = await readJson(http, limits.bodyBytes, slot, deps)
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
