// From a request that was read to one that is paid for: authorized, routed, prepared, and held in the ledger.

import { authenticate } from '../access/authenticate.ts'
import { authorize } from '../access/authorize.ts'
import { type Candidate, type Catalogue, type Offer, offerOf } from '../access/catalogue.ts'
import type { Failure } from '../access/failure.ts'
import { offerForUrls } from '../access/url-policy.ts'
import type { Nanos } from '../money/amount.ts'
import type { Hold } from '../money/ledger.ts'
import { holdRate, toolsBound } from '../money/prices/token-bound.ts'
import { NO_OPTIONS, type Rate } from '../money/prices/token-price.ts'
import { lowFundsFailure } from '../overload/low-funds-cache.ts'
import {
  amountsOf,
  type Bounds,
  boundsOf,
  coveredOutput,
  lesser,
  loweredCap,
  modelCap,
  outputWithin,
  type Quote,
  type Sizing,
  tokensOf,
  unavailable,
} from '../paid-call/hold.ts'
import { holdError } from '../paid-call/hold-errors.ts'
import { rateLimitError, tokenLimitOf } from '../paid-call/rate-limit-errors.ts'
import type { UpstreamCall } from '../paid-call/upstream-call.ts'
import type { Identity } from '../storage/node.ts'
import type { OpenRequest, Refused } from '../storage/settle.ts'
import type { Caller } from '../storage/storage.ts'
import { Attempt } from '../upstreams/health/key-health.ts'
import type { Dependencies } from './dependencies.ts'
import type { IncomingRequest } from './journey.ts'
import { routeToHealthy, type Searching } from './routing/route.ts'
import { waitOrFallBack } from './routing/wait-or-fall-back.ts'
import type { Asked, Outbound } from './translation/outbound.ts'
import { prepare } from './translation/prepare.ts'

export type Arrived = Omit<Asked, 'caller' | 'wanted' | 'offer' | 'candidate' | 'tried' | 'warnings'>
export type Accepted = { asked: Asked; outbound: Outbound; quote: Quote; watch: UpstreamCall; attempt: Attempt }

/** So often in a row a key changes between being looked up and being used only if somebody means harm. */
const MOST_CHANGES = 3

/** What the caller is told where a fallback answers. */
export const answeredBy = ({ model }: Offer): string => `model;answered-by-${model.id}`

/** A way for the request, with the hold that it needs and its places there: what is missing is the ledger's word. */
export type Plan = Places & { asked: Asked; outbound: Outbound; measured: Measured; hold: Hold }

/** What a plan is made from. `tooDear`: fallbacks that the caller cannot pay for. */
export type Planning = {
  arrived: Arrived
  catalogue: Catalogue
  incoming: IncomingRequest
  owner: Identity
  caller: Caller
  tooDear: readonly Offer[]
}

export const NONE_TOO_DEAR: readonly Offer[] = []

/** A promise only where nobody of the model is well and has room. */
export function plan(planning: Planning): Plan | Promise<Plan> {
  const { arrived, catalogue, caller } = planning
  const { parts, request } = arrived
  const wanted = offerForUrls(authorize(caller, request.model, catalogue), request, caller)
  const searching = { caller, body: arrived.body, dialect: arrived.dialect, request }
  // Whoever waits for the same model came first.
  const own = parts.upstreamSlots.hasQueue(wanted.model, caller.account)
    ? undefined
    : routeToHealthy(wanted, searching, parts)
  return own ? planWith(planning, wanted, wanted, own) : planOtherWay(planning, wanted, searching)
}

function planOtherWay(planning: Planning, wanted: Offer, searching: Searching): Promise<Plan> {
  const { arrived, incoming, tooDear } = planning
  const since = performance.now()
  return waitOrFallBack(wanted, searching, arrived.parts, incoming.http, tooDear, ({ offer, candidate }) =>
    planWith(planning, wanted, offer, candidate),
  ).finally(() => {
    incoming.record.queuedMs += performance.now() - since
  })
}

function planWith({ arrived, caller, owner }: Planning, wanted: Offer, offer: Offer, candidate: Candidate): Plan {
  const { parts, id, headers, dialect, request, body, asArray, said } = arrived
  const warnings = offer === wanted ? [...said] : [...said, answeredBy(offer)]
  // Written out: a spread of objects costs far more, and this is made for every request.
  const asked: Asked = {
    parts,
    id,
    caller,
    headers,
    dialect,
    request,
    body,
    wanted,
    offer,
    candidate,
    tried: [],
    asArray,
    said,
    warnings,
  }
  const outbound = prepare(asked)
  const measured = measure(asked, outbound)
  const hold = holdFor(asked, measured, owner)
  const watch = parts.upstreamCalls.start(candidate.upstream, caller.account)
  const attempt = new Attempt(candidate.health, candidate.route.model, parts.ticker.now())
  return { asked, outbound, measured, hold, watch, attempt }
}

/** The ledger has granted what was planned. */
export function acceptedAs({ asked, outbound, measured, hold, watch, attempt }: Plan, open: OpenRequest): Accepted {
  return { asked, outbound, quote: quoteFor(asked, outbound, measured, hold, open), watch, attempt }
}

/**
 * The ledger has refused the first plan. A key that has changed since it was looked up is looked up anew: what it may do,
 * and at which price, is decided again.
 */
export async function acceptAfter(first: Refused, unpaid: Plan, planning: Planning): Promise<Accepted> {
  const { parts, dialect } = planning.arrived
  let { caller, tooDear } = planning
  let refused = first
  let refusedPlan = unpaid
  for (let changes = 0; ; ) {
    const { asked, hold } = refusedPlan
    letGo(refusedPlan, parts)
    const isTooDear = refused.outcome === 'no_balance' || refused.outcome === 'cap_reached'
    if (isTooDear && asked.offer !== asked.wanted) tooDear = [...tooDear, asked.offer]
    else if (refused.outcome === 'key_changed') {
      caller = await authenticate(planning.incoming, dialect.id, parts, caller)
      if (++changes === MOST_CHANGES) throw unavailable()
    } else {
      const { model, minimum, minimumTokens } = hold
      throw await holdError(refused, { caller, model, minimum, minimumTokens }, parts)
    }
    refusedPlan = await plan({ ...planning, caller, tooDear })
    const opened = await parts.settler.open(refusedPlan.hold)
    if (opened.outcome === 'open') return acceptedAs(refusedPlan, opened.request)
    refused = opened
  }
}

/** Of a caller who was refused a moment ago and would be again. `tokens`: the least that the request needs. */
export function turnedAway(caller: Caller, tokens: number | undefined, parts: Dependencies): Failure | undefined {
  const refusal = parts.rateLimitCache.find(caller, tokens)
  return refusal && rateLimitError(caller, refusal, tokens ?? 0, parts.clock())
}

/**
 * Throws if the caller's funds did not suffice a moment ago, and do not suffice for even the cheapest request at this model: before
 * the body is parsed, and where the model is in the path before it is read.
 */
export function rejectPoor(caller: Caller, model: string, catalogue: Catalogue, parts: Dependencies): void {
  const offer = offerOf(catalogue, caller.group, model)
  if (!offer) return
  const bounds = boundsOf(CHEAPEST, undefined, parts.statistics.of(offer.model.id))
  const { minimum } = amountsOf(bounds, CHEAPEST.choices, holdRate(offer.rate, bounds.input, NO_OPTIONS, false))
  const poor = parts.rateLimitCache.lowFunds.find(caller, offer.model.id, minimum)
  if (poor) throw lowFundsFailure(poor, minimum)
}

const CHEAPEST: Sizing = {
  ...{ textBytes: 0, images: 0, documents: 0, audios: 0, tools: 0, choices: 1, stream: false, maxOutput: 1 },
}

/** What a request may cost at most, at the price of its offer. */
export type Measured = {
  bounds: Bounds
  /** At which output is held. */
  rate: Rate
  amount: Nanos
  minimum: Nanos
  /** The part of both that is for the input. */
  input: Nanos
  expectedInput: number
}

export function measure(asked: Asked, { maxOutput, wishes }: Outbound): Measured {
  const { request, offer, parts } = asked
  const statistics = parts.statistics.of(offer.model.id)
  const sizing = maxOutput === undefined ? request : { ...request, maxOutput }
  const bounds = boundsOf(sizing, modelCap(asked), statistics)
  // Videos count with the documents, and have sound.
  const rate = holdRate(offer.rate, bounds.input, wishes, request.audios + request.documents > 0)
  const expectedInput = Math.ceil(request.textBytes * statistics.inputTokensPerByte)
  const { amount, minimum, input } = amountsOf(bounds, request.choices, rate, toolsBound(offer.rate, wishes))
  return { bounds, rate, amount, minimum, input, expectedInput }
}

/** How much output the hold covers as it stands now, to what the caller's cap must be lowered for it, and how that is told. */
export function coverage(
  { open, tokenLimit }: Pick<Quote, 'open' | 'tokenLimit'>,
  { bounds, rate, input }: Measured,
  request: Asked['request'],
): { covered: number | undefined; lowered: number | undefined; lowering: string | undefined } {
  const byMoney = coveredOutput(open.held, input, rate)
  const covered = lesser(byMoney, tokenLimit && outputWithin(open.heldTokens, bounds, request.choices))
  const lowered = loweredCap(bounds, request, covered)
  if (lowered === undefined) return { covered, lowered, lowering: undefined }
  return { covered, lowered, lowering: `${request.capField};lowered-to-${covered === byMoney ? 'balance' : 'limit'}` }
}

/** The places at the upstream and its key are taken before the hold, or several would find the same one free meanwhile. */
type Places = Pick<Accepted, 'watch' | 'attempt'>

/** Nothing was asked of the upstream. */
export function letGo({ watch, attempt }: Places, { ticker }: Dependencies): void {
  watch.stop()
  attempt.end(ticker.now())
}

/** The hold that the request needs. */
function holdFor(asked: Asked, measured: Measured, { slot, epoch }: Identity): Hold {
  const { id, caller, request, wanted, candidate, parts } = asked
  const { bounds, amount, minimum, expectedInput } = measured
  const { tokens, minimumTokens } = tokensOf(bounds, request.choices, expectedInput)
  const refused = turnedAway(caller, minimumTokens, parts)
  if (refused) throw refused
  const poor = asked.offer === wanted && parts.rateLimitCache.lowFunds.find(caller, wanted.model.id, minimum)
  if (poor) throw lowFundsFailure(poor, minimum)
  if (!parts.node.mayDispatch()) throw unavailable()
  return {
    verb: 'hold',
    id,
    slot,
    epoch,
    account: caller.account,
    key: caller.key,
    revision: caller.revision,
    extensible: request.stream,
    amount,
    minimum,
    tokens,
    minimumTokens,
    model: wanted.model.id,
    upstream: candidate.upstream.id,
  }
}

/** The hold stands: what it covers, and what the caller is told if that is less than was asked for. */
function quoteFor(
  asked: Asked,
  { wishes }: Outbound,
  measured: Measured,
  { slot, epoch }: Hold,
  open: OpenRequest,
): Quote {
  const { id, caller, request, wanted, offer, candidate, warnings } = asked
  const { bounds, rate, expectedInput } = measured
  const tokenLimit = tokenLimitOf(caller)
  const { covered, lowered, lowering } = coverage({ open, tokenLimit }, measured, request)
  if (lowering !== undefined) warnings.push(lowering)
  return {
    id,
    caller,
    open,
    owner: { slot, epoch },
    offer,
    candidate,
    rate: offer.rate,
    holdRate: rate,
    wishes,
    held: open.held,
    outputCap: bounds.outputCap,
    expectedInput,
    coveredOutput: covered,
    tokenLimit,
    loweredCap: lowered,
    lowering,
    warnings,
    // The receipt names the model that answered only where there is such a list.
    attempts: offer === wanted ? undefined : [],
  }
}
