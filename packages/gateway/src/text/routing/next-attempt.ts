// A failed attempt: what the next one is, if there may be one. Two more at most, a fifth of all traffic at most, only before any
// output, and only where the failed one was certainly not billed.

import type { Ticker } from '@trivium/http/ticker.ts'
import { RequestError } from '@trivium/protocol/canonical/reading.ts'
import { keyAllowsModel } from '../../access/authorize.ts'
import type { TextCandidate, TextOffer } from '../../access/catalogue.ts'
import { Failure } from '../../access/failure.ts'
import { formatRequestId } from '../../access/ids.ts'
import type { Log } from '../../observe/log.ts'
import type { UpstreamCalls } from '../../paid-call/upstream-call.ts'
import type { Node } from '../../storage/node/node.ts'
import { shown } from '../../upstreams/health/health.ts'
import { Attempt } from '../../upstreams/health/key-health.ts'
import type { RetryBudget } from '../../upstreams/health/retry-budget.ts'
import { modelCap } from '../billing/bounds.ts'
import { type Coverage, coverageOf, measure } from '../billing/coverage.ts'
import type { RoutedRequest } from '../request.ts'
import { type SettleDependencies, settleFailed } from '../settle.ts'
import type { TextCall } from '../text-call.ts'
import type { Outbound, TranslationDependencies } from '../translation/outbound.ts'
import { prepare } from '../translation/prepare.ts'
import type { FailedAttempt } from './failed-attempt.ts'
import { type CandidateDependencies, findCandidate, isFull } from './find-candidate.ts'
import { warningsFor } from './route.ts'

export type NextAttemptDependencies = CandidateDependencies &
  TranslationDependencies &
  SettleDependencies & {
    upstreamCalls: UpstreamCalls
    retryBudget: RetryBudget
    node: Pick<Node, 'identity' | 'mayDispatch'>
    ticker: Ticker
    log: Log
  }

const MOST_RETRIES = 2
/** Before another upstream is called, and before the same one is called again: spreads calls that failed together. */
const PAUSE_MS = 30
const PAUSE_FOR_SAME_MS = 300

/** What to send next. Where nothing may be sent, the call is settled and the failure thrown. */
export async function nextAttempt(
  call: TextCall,
  failed: FailedAttempt,
  deps: NextAttemptDependencies,
): Promise<Outbound> {
  const { attempt } = call
  if (failed.verdict.is === 'rejected') logRejectedKey(call, failed.verdict.reason, deps)
  attempt.health.record(failed.verdict, deps.ticker.exactNow())
  releaseSlots(call, attempt.health, deps)
  const next = mayRetry(call, failed) ? await findNext(call, failed, deps) : undefined
  if (!next) {
    await settleFailed(call, failed.outcome, deps)
    throw failed.failure
  }
  const { request, outbound, coverage, health } = next
  const entry = { upstream: attempt.candidate.upstream.id, model: attempt.offer.model.id, outcome: failed.reason }
  const { offer, candidate, warnings } = request
  if (coverage.lowering !== undefined) warnings.push(coverage.lowering)
  call.failedAttempts = [...(call.failedAttempts ?? []), entry]
  const { answerer, options, dialect } = outbound
  call.attempt = { offer, candidate, warnings, health, options, coverage, answerer, dialect }
  call.pending = { request, outbound }
  // Neither the hold nor the pause counts as silence of the upstream.
  call.upstreamCall.resetIdle()
  return outbound
}

const retriesOf = ({ failedAttempts }: TextCall): number => failedAttempts?.length ?? 0

function mayRetry(call: TextCall, { unbilled }: FailedAttempt): boolean {
  const isOver = call.client.isDisconnected || call.upstreamCall.reason !== undefined
  return unbilled && call.pending !== undefined && !isOver && retriesOf(call) < MOST_RETRIES
}

/** Other nodes may have declared this one dead, or be about to: then its holds are voided, and the funds may be spent. */
function isStillHeld({ owner }: TextCall, { node }: NextAttemptDependencies): boolean {
  const { slot, epoch } = node.identity()
  return node.mayDispatch() && slot === owner.slot && epoch === owner.epoch
}

type Next = { request: RoutedRequest; outbound: Outbound; coverage: Coverage; health: Attempt }

async function findNext(
  call: TextCall,
  failed: FailedAttempt,
  deps: NextAttemptDependencies,
): Promise<Next | undefined> {
  const { upstreamCall } = call
  const last = call.pending?.request
  if (!last) return undefined
  const isLast = retriesOf(call) === MOST_RETRIES - 1
  const tried = [...last.tried, last.candidate, ...(failed.noConnection ? othersAtSameAddress(last) : [])]
  // A request that cannot be expressed for one upstream may be for the next; the first counts as tried.
  for (;;) {
    const preferred = (isLast && elsewhere(last, tried, deps)) || candidateFor(last, tried, failed, deps)
    const found = affordable(last, failed, tried, preferred, deps)
    if (!found) return undefined
    const { offer, candidate } = found
    const warnings = warningsFor(offer, last.wanted, last.ownWarnings)
    const request: RoutedRequest = { ...last, offer, candidate, tried, warnings }
    const outbound = prepared(request, deps)
    tried.push(candidate)
    if (!outbound) continue
    // Before the hold and the pause: many requests that failed together would find the same slot free.
    deps.upstreamCalls.move(upstreamCall, candidate.upstream)
    const health = new Attempt(candidate.health, candidate.route.model, deps.ticker.now())
    const coverage = await coverageFor(call, request, outbound, deps)
    if (coverage) {
      const pause = candidate === last.candidate ? PAUSE_FOR_SAME_MS : PAUSE_MS
      await Bun.sleep(pause * (0.5 + deps.random()))
      if (!upstreamCall.reason && isStillHeld(call, deps)) return { request, outbound, coverage, health }
      releaseSlots(call, health, deps)
      return undefined
    }
    releaseSlots(call, health, deps)
  }
}

/** At the upstream and at its key: the next attempt may need the very same. */
function releaseSlots({ upstreamCall }: TextCall, health: Attempt, { ticker }: NextAttemptDependencies): void {
  health.end(ticker.now())
  upstreamCall.releaseSlot()
}

type Found = { offer: TextOffer; candidate: TextCandidate }

/** Another candidate of the same model, then of its fallbacks, then the same candidate once more. */
function candidateFor(
  last: RoutedRequest,
  tried: readonly TextCandidate[],
  { verdict }: FailedAttempt,
  deps: NextAttemptDependencies,
): Found | undefined {
  const { offer, candidate } = last
  const found = candidateAmong(last, tried, deps)
  if (found) return found
  const isFirst = tried.filter((one) => one === candidate).length === 1 && !candidate.upstream.embedded
  const isReady = candidate.health.isReady(candidate.route.model, deps.ticker.now())
  const mayRepeat = verdict.is === 'failure' && isFirst && isReady && !isFull(candidate, last.caller, deps)
  return mayRepeat ? { offer, candidate } : undefined
}

/** Where the retry budget is used up for candidates that failed lately, a healthy one is called instead. */
function affordable(
  last: RoutedRequest,
  failed: FailedAttempt,
  tried: readonly TextCandidate[],
  found: Found | undefined,
  deps: NextAttemptDependencies,
): Found | undefined {
  const { retryBudget } = deps
  // No upstream has received the request yet: the next one receives it for the first time, which is no retry.
  if (failed.noConnection && found?.candidate !== last.candidate) return found
  if (!found || retryBudget.take(found.candidate.health.isHealthy)) return found
  const doubtful = everyCandidate(last).filter(({ health }) => !health.isHealthy)
  const trusted = candidateAmong(last, [...tried, ...doubtful], deps)
  return trusted && retryBudget.take(true) ? trusted : undefined
}

const everyCandidate = ({ wanted }: RoutedRequest): readonly TextCandidate[] =>
  [wanted, ...wanted.fallbacks].flatMap(({ candidates }) => candidates)

/** A host that cannot be reached is so for its other keys as well, whichever entry of the configuration has them. */
function othersAtSameAddress(last: RoutedRequest): TextCandidate[] {
  const address = addressOf(last.candidate)
  return everyCandidate(last).filter((other) => other !== last.candidate && addressOf(other) === address)
}

const addressOf = ({ upstream }: TextCandidate): string => `${new URL(upstream.baseUrl).origin} ${upstream.proxy ?? ''}`

/** The last attempt prefers another upstream: where two keys of one failed, the third may fail as well. */
function elsewhere(
  last: RoutedRequest,
  tried: readonly TextCandidate[],
  deps: NextAttemptDependencies,
): Found | undefined {
  const upstreams = new Set(tried.map(({ upstream }) => upstream.id))
  const same = everyCandidate(last).filter(({ upstream }) => upstreams.has(upstream.id))
  return candidateAmong(last, [...tried, ...same], deps)
}

function candidateAmong(
  last: RoutedRequest,
  tried: readonly TextCandidate[],
  deps: NextAttemptDependencies,
): Found | undefined {
  const { wanted, caller } = last
  for (const offer of [wanted, ...wanted.fallbacks.filter(({ model }) => keyAllowsModel(caller, model.id))]) {
    const candidate = findCandidate(offer, last, deps, tried)
    if (candidate) return { offer, candidate }
  }
  return undefined
}

function prepared(request: RoutedRequest, deps: NextAttemptDependencies): Outbound | undefined {
  try {
    return prepare(request, deps)
  } catch (error) {
    if (error instanceof Failure || error instanceof RequestError) return undefined
    throw error
  }
}

/**
 * Another model has another price, and another dialect may allow more output of the same one: the hold is extended to what is
 * more expensive, or the cap is lowered to what is available. undefined: not even the least is.
 */
async function coverageFor(
  { attempt, hold, pending }: TextCall,
  request: RoutedRequest,
  outbound: Outbound,
  { statistics }: NextAttemptDependencies,
): Promise<Coverage | undefined> {
  const isSameLimit = pending && modelCap(pending.request, statistics) === modelCap(request, statistics)
  const isSameCap = pending?.outbound.maxOutput === outbound.maxOutput && isSameLimit
  const isSameOffer = request.offer === attempt.offer && Bun.deepEquals(attempt.options, outbound.options)
  if (isSameOffer && isSameCap) return attempt.coverage
  const measured = measure(request, outbound, statistics)
  const { amount, minimum } = measured
  const needed = request.request.stream ? minimum : amount
  if (needed > hold.held && (await hold.raise(needed, minimum)) === 'stop') return undefined
  return coverageOf(hold, measured, request)
}

/** Once, and not again for every request until the key is accepted. */
function logRejectedKey({ id, attempt }: TextCall, reason: string, { ticker, log }: NextAttemptDependencies): void {
  const { upstream, key, health } = attempt.candidate
  if (upstream.embedded || health.report(ticker.now()).state === 'rejected') return
  const fields = { request: formatRequestId(id), upstream: upstream.id, key: shown(key), reason }
  log.warn('upstream rejected the API key; key disabled for 5 minutes', fields)
}
