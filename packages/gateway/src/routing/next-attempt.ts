// A failed attempt: what the next one is, if there may be one. Two more at most, a fifth of all traffic at most, only before any
// output, and only where the failed one was certainly not billed.

import { keyAllowsModel } from '../access/authorize.ts'
import type { Candidate, Offer } from '../catalogue/catalogue.ts'
import type { Upstream } from '../config/types.ts'
import type { AnyPrice } from '../money/prices/price.ts'
import { attemptFacts, endAttempt as noteEnd } from '../observe/upstream-attempt.ts'
import type { AttemptedCall } from '../paid-call/paid-request.ts'
import { shortMessage } from '../paid-call/receipts/receipt.ts'
import { formatRequestId } from '../request/ids.ts'
import { shown } from '../upstreams/health/health.ts'
import { Attempt } from '../upstreams/health/key-health.ts'
import type { LimitedUpstream } from '../upstreams/upstream-call.ts'
import type { RoutingDependencies } from './dependencies.ts'
import type { FailedAttempt } from './failed-attempt.ts'
import { findCandidate, isFull, isOn, reserve, type Unrouted } from './find-candidate.ts'

type Named = { id: string }

/** Where the failed attempt went. */
export type LastAttempt<P extends AnyPrice, M extends Named> = Unrouted & {
  /** The offer of the model that the caller named. */
  wanted: Offer<P, M>
  offer: Offer<P, M>
  candidate: Candidate<P>
}

/** What a kind of call does for its next attempt. */
export type Steps<P extends AnyPrice, M extends Named, T, C> = {
  /** undefined: the request cannot be expressed for this candidate. */
  prepare(offer: Offer<P, M>, candidate: Candidate<P>): T | undefined
  /** Extends the hold where the attempt can cost more. undefined: there are no funds for it. */
  cover(prepared: T): Promise<C | undefined>
  /** The upstream with the time limits of this kind of call. Absent: those of text. */
  limitsOf?(upstream: Upstream): LimitedUpstream
}

export type NextAttempt<T, C> = { prepared: T; coverage: C; health: Attempt }

const MOST_RETRIES = 2
/** Before another upstream is called, and before the same one is called again: spreads calls that failed together. */
const PAUSE_MS = 30
const PAUSE_FOR_SAME_MS = 300

/** The attempt has failed: what it says of the upstream is noted, and its slots are free. */
export function endAttempt(
  call: AttemptedCall,
  { verdict, failure, words, notSent }: FailedAttempt,
  deps: RoutingDependencies,
): void {
  const { health } = call.attempt
  noteEnd(call.record, failure.info.code, failure.info.message, words)
  // The credential that could not be had is logged once by what renews it.
  if (verdict.is === 'rejected' && !notSent) logRejectedKey(call, verdict.reason, deps)
  health.record(verdict, deps.ticker.exactNow())
  releaseSlots(call, health, deps)
}

const retriesOf = ({ failedAttempts }: AttemptedCall): number => failedAttempts?.length ?? 0

function mayRetry(call: AttemptedCall, { unbilled }: FailedAttempt): boolean {
  const isOver = call.client.isDisconnected || call.upstreamCall.reason !== undefined
  return unbilled && !isOver && retriesOf(call) < MOST_RETRIES
}

/** Other nodes may have declared this one dead, or be about to: then its holds are voided, and the funds may be spent. */
function isStillHeld({ owner }: AttemptedCall, { node }: RoutingDependencies): boolean {
  const { nodeId, epoch } = node.identity()
  return node.mayDispatch() && nodeId === owner.nodeId && epoch === owner.epoch
}

/** The next attempt, with its slots taken; the failed one is among those of the receipt. undefined: there may be none. */
export async function findNext<P extends AnyPrice, M extends Named, T, C>(
  call: AttemptedCall,
  failed: FailedAttempt,
  last: LastAttempt<P, M>,
  steps: Steps<P, M, T, C>,
  deps: RoutingDependencies,
): Promise<NextAttempt<T, C> | undefined> {
  if (!mayRetry(call, failed)) return undefined
  const { upstreamCall } = call
  const isLast = retriesOf(call) === MOST_RETRIES - 1
  const tried: Candidate[] = [...call.tried, last.candidate, ...(failed.noConnection ? othersAtSameAddress(last) : [])]
  // A request that cannot be expressed for one upstream may be for the next; the first counts as tried.
  for (;;) {
    const preferred = (isLast && elsewhere(last, tried, deps)) || candidateFor(last, tried, failed, deps)
    const found = affordable(last, failed, tried, preferred, deps)
    if (!found) return undefined
    const { offer, candidate } = found
    tried.push(candidate)
    const prepared = steps.prepare(offer, candidate)
    if (!prepared) continue
    // Before the hold and the pause: many requests that failed together would find the same slot free.
    const reservation = reserve(candidate, last, deps.ticker.now())
    deps.upstreamCalls.move(upstreamCall, steps.limitsOf?.(candidate.upstream) ?? candidate.upstream, reservation)
    const health = new Attempt(candidate.health, candidate.route.model, deps.ticker.now())
    let isTaken = false
    try {
      const coverage = await steps.cover(prepared)
      if (coverage === undefined) continue
      const pause = candidate === last.candidate ? PAUSE_FOR_SAME_MS : PAUSE_MS
      await Bun.sleep(pause * (0.5 + deps.random()))
      isTaken = !upstreamCall.reason && isStillHeld(call, deps)
      if (!isTaken) return undefined
      noteFailed(call, failed)
      call.tried = tried
      // Neither the hold nor the pause counts as silence of the upstream.
      upstreamCall.resetIdle()
      reservation?.sent()
      return { prepared, coverage, health }
    } finally {
      // Also if the funds for it could not be determined: its key would count one call too many forever.
      if (!isTaken) releaseSlots(call, health, deps)
    }
  }
}

function noteFailed(call: AttemptedCall, { reason, failure: { info } }: FailedAttempt): void {
  const { candidate, offer } = call.attempt
  const facts = attemptFacts(call.record)
  const message = shortMessage(info.message)
  const entry = {
    upstream: candidate.upstream.id,
    model: offer.model.id,
    outcome: reason,
    upstream_model: candidate.route.model,
    error: info.code,
    // Where the client gets the upstream's own words, they are kept once.
    ...(facts.vendor_message?.startsWith(message) ? {} : { message }),
    ...facts,
  }
  call.failedAttempts = [...(call.failedAttempts ?? []), entry]
}

/** At the upstream and at its key: the next attempt may need the very same. */
function releaseSlots({ upstreamCall }: AttemptedCall, health: Attempt, { ticker }: RoutingDependencies): void {
  health.end(ticker.now())
  upstreamCall.releaseSlot()
}

type Found<P extends AnyPrice, M extends Named> = { offer: Offer<P, M>; candidate: Candidate<P> }

/** Another candidate of the same model, then of its fallbacks, then the same candidate once more. */
function candidateFor<P extends AnyPrice, M extends Named>(
  last: LastAttempt<P, M>,
  tried: readonly Candidate[],
  { verdict }: FailedAttempt,
  deps: RoutingDependencies,
): Found<P, M> | undefined {
  const { offer, candidate } = last
  const found = candidateAmong(last, tried, deps)
  if (found) return found
  const isFirst = tried.filter((one) => one === candidate).length === 1 && !candidate.upstream.embedded
  const isReady = isOn(candidate) && candidate.health.isReady(candidate.route.model, deps.ticker.now())
  const mayRepeat = verdict.is === 'failure' && isFirst && isReady && !isFull(candidate, last, deps)
  return mayRepeat ? { offer, candidate } : undefined
}

/** Where the retry budget is used up for candidates that failed lately, a healthy one is called instead. */
function affordable<P extends AnyPrice, M extends Named>(
  last: LastAttempt<P, M>,
  failed: FailedAttempt,
  tried: readonly Candidate[],
  found: Found<P, M> | undefined,
  deps: RoutingDependencies,
): Found<P, M> | undefined {
  const { retryBudget } = deps
  // No upstream has received the request yet: the next one receives it for the first time, which is no retry.
  if ((failed.noConnection || failed.notSent) && found?.candidate !== last.candidate) return found
  if (!found || retryBudget.take(found.candidate.health.isHealthy)) return found
  const doubtful = everyCandidate(last).filter(({ health }) => !health.isHealthy)
  const trusted = candidateAmong(last, [...tried, ...doubtful], deps)
  return trusted && retryBudget.take(true) ? trusted : undefined
}

const everyCandidate = <P extends AnyPrice, M extends Named>({ wanted }: LastAttempt<P, M>): readonly Candidate<P>[] =>
  [wanted, ...wanted.fallbacks].flatMap(({ candidates }) => candidates)

/** A host that cannot be reached is so for its other keys as well, whichever entry of the configuration has them. */
function othersAtSameAddress<P extends AnyPrice, M extends Named>(last: LastAttempt<P, M>): Candidate<P>[] {
  const address = addressOf(last.candidate)
  return everyCandidate(last).filter((other) => other !== last.candidate && addressOf(other) === address)
}

const addressOf = ({ upstream }: Candidate): string => `${new URL(upstream.baseUrl).origin} ${upstream.proxy ?? ''}`

/** The last attempt prefers another upstream: where two keys of one failed, the third may fail as well. */
function elsewhere<P extends AnyPrice, M extends Named>(
  last: LastAttempt<P, M>,
  tried: readonly Candidate[],
  deps: RoutingDependencies,
): Found<P, M> | undefined {
  const upstreams = new Set(tried.map(({ upstream }) => upstream.id))
  const same = everyCandidate(last).filter(({ upstream }) => upstreams.has(upstream.id))
  return candidateAmong(last, [...tried, ...same], deps)
}

function candidateAmong<P extends AnyPrice, M extends Named>(
  last: LastAttempt<P, M>,
  tried: readonly Candidate[],
  deps: RoutingDependencies,
): Found<P, M> | undefined {
  const { wanted, caller } = last
  for (const offer of [wanted, ...wanted.fallbacks.filter(({ model }) => keyAllowsModel(caller, model.id))]) {
    const candidate = findCandidate(offer, last, deps, tried)
    if (candidate) return { offer, candidate }
  }
  return undefined
}

/** Once, and not again forevery request until the key is accepted. */
function logRejectedKey({ id, attempt }: AttemptedCall, reason: string, { ticker, log }: RoutingDependencies): void {
  const { upstream, key, health } = attempt.candidate
  if (upstream.embedded || health.report(ticker.now()).state === 'rejected') return
  const fields = { request: formatRequestId(id), upstream: upstream.id, key: upstream.auth ? key : shown(key), reason }
  if (upstream.auth) log.warn('upstream rejected the credential; it is disabled for 5 minutes', fields)
  else log.warn('upstream rejected the API key; key disabled for 5 minutes', fields)
}
