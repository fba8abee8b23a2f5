// Read this first: the journey of a text request. Each step is a call by its name; a step that rejects the request throws a
// Failure.
//   authenticate -> admit -> read -> authorize -> (claim) -> route -> prepare -> reserve -> call -> respond -> settle

import type { HttpResponse } from '@trivium/http/response.ts'
import { authenticate } from '../access/authenticate.ts'
import { authorize } from '../access/authorize.ts'
import { codec } from '../bytes/codec.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { continueConversation } from '../conversations/continue.ts'
import type { Slot } from '../overload/admission.ts'
import { admit } from '../paid-call/admit.ts'
import { claim, confirmClaim, IDEMPOTENCY_KEY, type KeyClaim, releaseClaim } from '../paid-call/claim.ts'
import { recentRateLimit } from '../paid-call/rate-limit-errors.ts'
import { runPaidCall } from '../paid-call/run.ts'
import { showWarnings } from '../paid-call/writing/show-warnings.ts'
import type { ApiRequest } from '../request/api-request.ts'
import type { Caller } from '../storage/storage.ts'
import { type Planning, type Routed, releaseSlot, route } from './candidates/route.ts'
import { checkContext } from './context-limit.ts'
import type { TextDependencies } from './dependencies.ts'
import type { GatewayTool } from './gateway-tool.ts'
import { rejectLowFunds } from './low-funds.ts'
import { noteParsed, read } from './read.ts'
import { mayLackReasoning, recallReasoning } from './reasoning/recall-reasoning.ts'
import type { TextEndpoint, TextRequest } from './request.ts'
import { type HoldRejection, reconsider, reserve } from './reserve.ts'
import { call } from './responding/call.ts'
import { respond } from './responding/respond.ts'
import { type Settle, settle } from './settle.ts'
import type { TextCall } from './text-call.ts'
import { prepare } from './translation/prepare.ts'

export async function journey(
  incoming: ApiRequest,
  endpoint: TextEndpoint,
  deps: TextDependencies,
): Promise<HttpResponse> {
  const authenticating = authenticate(incoming, endpoint.dialect.id, deps)
  // Not awaited when the caller is known: a slot that admission control keeps for this request has to be claimed at once.
  const caller = authenticating instanceof Promise ? await authenticating : authenticating
  const catalogue = deps.catalogue()
  const checks = checksFor(incoming, endpoint, caller, catalogue, deps)
  const slot = await admit(incoming, caller, deps)
  let isStreaming = false
  let claimed: KeyClaim | undefined
  try {
    const own = await read(incoming, endpoint, slot, catalogue, checks.checkBody, deps)
    const warnings: string[] = []
    if (checks.idempotencyKey !== null) {
      // Also for a stored response: a caller that may no longer use the model does not get it.
      authorize(caller, own.parsed.model, 'text', catalogue)
      const keyed = { incoming, caller, endpoint: nameOf(endpoint), body: own.body, warnings, ...checks }
      const found = await claim(keyed, catalogue.config.retention, deps)
      if (found && 'status' in found) return replayed(found, incoming)
      claimed = found
    }
    let request = own.parsed.state ? await inConversation(own, incoming, caller, catalogue, slot, deps) : own
    let planning: Planning = { caller, keyChanges: 0, tooExpensive: [], warnings }
    for (;;) {
      const offer = authorize(planning.caller, request.parsed.model, 'text', catalogue)
      checkContext(request, offer)
      if (mayLackReasoning(request, offer))
        request = {
          ...request,
          recalled: await recallReasoning(request, offer, planning.caller, catalogue, slot, deps),
        }
      const found = await route(offer, request, planning, incoming, deps)
      // Tools of vendors are among what has a price of its own.
      const tool = request.parsed.priced.length === 0 ? undefined : offerTool(found, catalogue, deps)
      const routed = tool ? { ...found, request: tool.request } : found
      let reserved: TextCall | HoldRejection | undefined
      try {
        const outbound = prepare(routed.request, deps)
        reserved = await reserve(routed, outbound, { incoming, slot, claim: claimed }, deps)
      } finally {
        if (!reserved || 'rejected' in reserved) releaseSlot(routed, deps)
      }
      if ('rejected' in reserved) planning = await reconsider(reserved, planning, incoming, endpoint, deps)
      else {
        const textCall = reserved
        await begin(textCall, routed, deps)
        const charge: Settle = (observed, whole, before) => settle(textCall, observed, deps, whole, before)
        const work = () => tool?.respond(textCall) ?? respond(textCall, call(textCall, deps), charge, deps)
        const response = await runPaidCall(textCall, work, deps)
        isStreaming = textCall.isStream
        return response
      }
    }
  } catch (error) {
    if (claimed) await releaseClaim(claimed, deps)
    throw error
  } finally {
    if (!isStreaming) slot.release()
  }
}

/** The request with all that it continues, and with what stores its response. */
async function inConversation(
  own: TextRequest,
  incoming: ApiRequest,
  caller: Caller,
  catalogue: Catalogue,
  slot: Slot,
  deps: TextDependencies,
): Promise<TextRequest> {
  const { state } = own.parsed
  const conversation =
    state && (await continueConversation(own.id, state, caller, catalogue, { slot, bytes: own.body.length }, deps))
  if (!state || !conversation) return own
  const { body } = conversation
  if (!body) return { ...own, parsed: state.unstored(own.parsed), conversation }
  const parsed = own.dialect.passThrough.readRequest(body, codec, undefined, catalogue.config.server.limits.values)
  noteParsed(parsed, body, slot, catalogue, incoming)
  return { ...own, parsed, body, conversation }
}

/** The slots of a request that is rejected are released. */
function offerTool(routed: Routed, catalogue: Catalogue, deps: TextDependencies): GatewayTool | undefined {
  try {
    return deps.offerGatewayTool(routed.request, catalogue)
  } catch (error) {
    releaseSlot(routed, deps)
    throw error
  }
}

/** What can be rejected before the request is admitted or parsed. Repeated requests are not: their response may be stored. */
function checksFor(
  { http }: ApiRequest,
  { dialect, addressed }: TextEndpoint,
  caller: Caller,
  catalogue: Catalogue,
  deps: TextDependencies,
) {
  dialect.version?.check(http.headers)
  const idempotencyKey = http.headers.get(IDEMPOTENCY_KEY)
  const rateLimited = recentRateLimit(caller, undefined, deps)
  if (idempotencyKey !== null) return { idempotencyKey, rateLimited, checkBody: () => {} }
  if (rateLimited) throw rateLimited
  const checkFunds = (model: string | Uint8Array) => rejectLowFunds(caller, model, catalogue, deps)
  if (addressed) checkFunds(addressed.model)
  return { idempotencyKey, rateLimited, checkBody: checkFunds }
}

/** Part of the fingerprint of a repeated request: what decides, beside the body, the response and its form. */
const nameOf = ({ dialect, addressed, asArray = false }: TextEndpoint): string =>
  JSON.stringify([dialect.id, addressed?.model, addressed?.stream, asArray])

function replayed(stored: HttpResponse, { record }: ApiRequest): HttpResponse {
  record.outcome = 'replayed'
  return stored
}

/** The hold is granted: the request may be sent. */
async function begin(textCall: TextCall, routed: Routed, deps: TextDependencies): Promise<void> {
  const { slot, claim, hold, upstreamCall } = textCall
  slot.paid()
  if (claim) await confirmClaim(claim, hold, () => releaseSlot(routed, deps))
  deps.retryBudget.addRequest()
  showWarnings(textCall.attempt.warnings, textCall.headers)
  // Once: all attempts share the limit on the total time.
  upstreamCall.sent()
}
