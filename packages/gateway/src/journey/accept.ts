// From a request that was read to one that is paid for: authorized, routed, prepared, and held in the ledger.
import type { Nanos } from '../money/amount.ts'
import { holdRate, toolsBound } from '../money/hold.ts'
import type { Hold } from '../money/ledger.ts'
import type { Rate } from '../money/price.ts'
import type { Identity } from '../storage/node.ts'
import type { OpenRequest } from '../storage/settle.ts'
import type { Caller } from '../storage/storage.ts'
import { Attempt } from '../upstreams/health/lane.ts'
import { authenticate } from './authenticate.ts'
import { authorize } from './authorize.ts'
import type { Catalogue, Offer } from './catalogue.ts'
import type { Failure } from './failure.ts'
import type { Incoming } from './journey.ts'
import { rateLimited, tokenLimitOf } from './limit-refusals.ts'
import { otherWay } from './other-way.ts'
import type { Asked, Outbound } from './outbound.ts'
import type { Parts } from './parts.ts'
import { prepare } from './prepare.ts'
import { refusalOf } from './refusal.ts'
import {
  amountsOf,
  type Bounds,
  boundsOf,
  coveredOutput,
  lesser,
  loweredCap,
  outputWithin,
  type Quote,
  tokensOf,
  unavailable,
} from './reserve.ts'
import { routeToWell } from './route.ts'
import type { Watch } from './watch.ts'

export type Arrived = Omit<Asked, 'caller' | 'wanted' | 'offer' | 'candidate' | 'tried' | 'warnings'>
export type Accepted = { asked: Asked; outbound: Outbound; quote: Quote; watch: Watch; attempt: Attempt }

/** So often in a row a key changes between being looked up and being used only if somebody means harm. */
const MOST_CHANGES = 3

const NONE: readonly Offer[] = []

/** What the caller is told where a fallback answers. */
export const answeredBy = ({ model }: Offer): string => `model;answered-by-${model.id}`

/** A key that has changed since it was looked up is looked up anew: what it may do, and at which price, is decided again. */
export async function accept(
  arrived: Arrived,
  first: Caller,
  catalogue: Catalogue,
  incoming: Incoming,
  owner: Identity,
): Promise<Accepted> {
  const { parts, id, headers, dialect, request, body, asArray, said } = arrived
  let caller = first
  let tooDear: readonly Offer[] = NONE
  for (let changes = 0; changes < MOST_CHANGES; ) {
    const wanted = authorize(caller, request.model, catalogue)
    const searching = { caller, body, dialect, request }
    // Whoever waits for the same model came first.
    const own = parts.room.isWaitedFor(wanted.model.id) ? undefined : routeToWell(wanted, searching, parts)
    const { offer, candidate } = own
      ? { offer: wanted, candidate: own }
      : await otherWay(wanted, searching, parts, incoming.http, tooDear)
    const isWanted = offer === wanted
    const warnings = isWanted ? [...said] : [...said, answeredBy(offer)]
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
    const planned = planHold(asked, outbound, owner)
    const watch = parts.watches.start(candidate.upstream)
    const attempt = new Attempt(candidate.lane, candidate.route.model, parts.ticker.now())
    const opened = await parts.settler.open(planned.hold)
    if (opened.outcome === 'open') {
      return { asked, outbound, quote: quoteFor(asked, outbound, planned, opened.request), watch, attempt }
    }
    letGo({ watch, attempt }, parts)
    if (!isWanted && (opened.outcome === 'no_balance' || opened.outcome === 'cap_reached')) {
      tooDear = [...tooDear, offer]
      continue
    }
    changes++
    if (opened.outcome !== 'key_changed') {
      const { minimum, minimumTokens } = planned.hold
      throw await refusalOf(opened, { caller, minimum, minimumTokens }, parts)
    }
    caller = await authenticate(incoming, dialect.id, parts, caller)
  }
  throw unavailable()
}

/** Of a caller who was refused a moment ago and would be again. `tokens`: the least that the request needs. */
export function turnedAway(caller: Caller, tokens: number | undefined, parts: Parts): Failure | undefined {
  const refusal = parts.turnedAway.find(caller, tokens)
  return refusal && rateLimited(caller, refusal, tokens ?? 0, parts.clock())
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

export function measure({ request, offer, parts }: Asked, { maxOutput, wishes }: Outbound): Measured {
  const statistics = parts.learned.of(offer.model.id)
  const sizing = maxOutput === undefined ? request : { ...request, maxOutput }
  const bounds = boundsOf(sizing, offer.model.limits.maxOutput, statistics)
  // Videos count with the documents, and have sound.
  const rate = holdRate(offer.rate, bounds.input, wishes, request.audios + request.documents > 0)
  const expectedInput = Math.ceil(request.textBytes * statistics.inputTokensPerByte)
  const { amount, minimum, input } = amountsOf(bounds, request.choices, rate, toolsBound(offer.rate, wishes))
  return { bounds, rate, amount, minimum, input, expectedInput }
}

/** How much output the hold covers as it stands now, and to what the caller's cap must be lowered for it. */
export function coverage(
  { open, tokenLimit }: Pick<Quote, 'open' | 'tokenLimit'>,
  { bounds, rate, input }: Measured,
  request: Asked['request'],
): { byMoney: number | undefined; covered: number | undefined; lowered: number | undefined } {
  const byMoney = coveredOutput(open.held, input, rate)
  const covered = lesser(byMoney, tokenLimit && outputWithin(open.heldTokens, bounds, request.choices))
  return { byMoney, covered, lowered: loweredCap(bounds, request, covered) }
}

/** The places at the upstream and its key are taken before the hold, or several would find the same one free meanwhile. */
type Places = Pick<Accepted, 'watch' | 'attempt'>

/** Nothing was asked of the upstream. */
export function letGo({ watch, attempt }: Places, { ticker }: Parts): void {
  watch.stop()
  attempt.end(ticker.now())
}

type Planned = { measured: Measured; hold: Hold }

/** The hold that the request needs. */
function planHold(asked: Asked, outbound: Outbound, { slot, epoch }: Identity): Planned {
  const { id, caller, request, wanted, candidate, parts } = asked
  const measured = measure(asked, outbound)
  const { bounds, amount, minimum, expectedInput } = measured
  const { tokens, minimumTokens } = tokensOf(bounds, request.choices, expectedInput)
  const refused = turnedAway(caller, minimumTokens, parts)
  if (refused) throw refused
  if (!parts.node.mayDispatch()) throw unavailable()
  const hold: Hold = {
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
  return { measured, hold }
}

/** The hold stands: what it covers, and what the caller is told if that is less than was asked for. */
function quoteFor(asked: Asked, { wishes }: Outbound, { measured }: Planned, open: OpenRequest): Quote {
  const { id, caller, request, wanted, offer, candidate, warnings } = asked
  const { bounds, rate, expectedInput } = measured
  const tokenLimit = tokenLimitOf(caller)
  const { byMoney, covered, lowered } = coverage({ open, tokenLimit }, measured, request)
  if (lowered !== undefined) {
    const lowering = `${request.capField};lowered-to-${covered === byMoney ? 'balance' : 'limit'}`
    asked.said = [...asked.said, lowering]
    warnings.push(lowering)
  }
  return {
    id,
    caller,
    open,
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
    warnings,
    // The receipt names the model that answered only where there is such a list.
    attempts: offer === wanted ? undefined : [],
  }
}
