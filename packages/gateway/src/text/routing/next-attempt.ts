// An attempt has brought nothing: what the next one is, if there may be one. Two more at most, a fifth of all traffic at
// most, only before any output, and only where nothing can have been billed.
import { RequestError } from '@trivium/protocol/canonical/reading.ts'
import { keyAllowsModel } from '../../access/authorize.ts'
import type { Candidate, Offer } from '../../access/catalogue.ts'
import { Failure } from '../../access/failure.ts'
import { formatRequestId } from '../../access/ids.ts'
import { conclude, type Exchange, NOTHING_SEEN } from '../../paid-call/exchange.ts'
import { modelCap } from '../../paid-call/hold.ts'
import { shown } from '../../upstreams/health/health.ts'
import { Attempt } from '../../upstreams/health/key-health.ts'
import { answeredBy, coverage, measure } from '../accept.ts'
import type { Asked, Outbound } from '../translation/outbound.ts'
import { prepare } from '../translation/prepare.ts'
import type { FailedAttempt } from './failed-attempt.ts'
import { isFull, route } from './route.ts'

const MOST_MORE = 2
/** Before another upstream is asked, and before the same one is asked again: callers that failed together come apart. */
const PAUSE_MS = 30
const PAUSE_FOR_SAME_MS = 300

/** What to send next, or the end of the exchange: concluded, and the failure thrown. */
export async function nextAttempt(exchange: Exchange, miss: FailedAttempt): Promise<Outbound> {
  const { attempt, parts, quote } = exchange
  if (miss.verdict.is === 'rejected') tellRejected(exchange, miss.verdict.reason)
  attempt.record(miss.verdict, parts.ticker.exactNow())
  leave(exchange)
  const next = mayGoOn(exchange, miss) ? await findNext(exchange, miss) : undefined
  if (!next) {
    await conclude(exchange, miss.ending, NOTHING_SEEN)
    throw miss.failure
  }
  const { asked, outbound } = next
  const { candidate, offer } = asked
  quote.attempts ??= []
  quote.attempts.push({ upstream: quote.candidate.upstream.id, model: quote.offer.model.id, outcome: miss.outcome })
  Object.assign(quote, { candidate, offer, warnings: asked.warnings, wishes: outbound.wishes })
  if (quote.lowering !== undefined) quote.warnings.push(quote.lowering)
  exchange.asked = asked
  exchange.outbound = outbound
  exchange.answerer = outbound.answerer
  exchange.upstreamDialect = outbound.dialect
  // The hold and the pause were not the upstream's.
  exchange.watch.resetIdle()
  return outbound
}

function mayGoOn({ asked, client, watch, quote }: Exchange, { unbilled }: FailedAttempt): boolean {
  return (
    unbilled &&
    asked !== undefined &&
    !client.isDisconnected &&
    !watch.reason &&
    (quote.attempts?.length ?? 0) < MOST_MORE
  )
}

/** Others may have taken this node for dead, or be about to: then the money of its holds is given back, and may be spent. */
function isStillHeld({ quote, parts }: Exchange): boolean {
  const { slot, epoch } = parts.node.identity()
  return parts.node.mayDispatch() && slot === quote.owner.slot && epoch === quote.owner.epoch
}

type Next = { asked: Asked; outbound: Outbound }

async function findNext(exchange: Exchange, miss: FailedAttempt): Promise<Next | undefined> {
  const { asked, parts, watch, quote } = exchange
  if (!asked) return undefined
  const isLast = (quote.attempts?.length ?? 0) === MOST_MORE - 1
  const tried = [...asked.tried, asked.candidate, ...(miss.noConnection ? othersAtSameAddress(asked) : [])]
  // What cannot be said to one upstream may be sayable to the next; it is as good as tried.
  for (;;) {
    const found = affordable(
      asked,
      miss,
      tried,
      (isLast && elsewhere(asked, tried)) || candidateFor(asked, tried, miss),
    )
    if (!found) return undefined
    const { offer, candidate } = found
    const warnings = offer === asked.wanted ? [...asked.said] : [...asked.said, answeredBy(offer)]
    const again: Asked = { ...asked, offer, candidate, tried, warnings }
    const outbound = prepared(again)
    tried.push(candidate)
    if (!outbound) continue
    // Before the hold and the pause, or many that failed together would find the same place free.
    parts.upstreamCalls.move(watch, candidate.upstream)
    exchange.attempt = new Attempt(candidate.health, candidate.route.model, parts.ticker.now())
    if (await isCovered(exchange, again, outbound)) {
      const pause = candidate === asked.candidate ? PAUSE_FOR_SAME_MS : PAUSE_MS
      await Bun.sleep(pause * (0.5 + parts.random()))
      return watch.reason || !isStillHeld(exchange) ? undefined : { asked: again, outbound }
    }
    leave(exchange)
  }
}

/** The places that the call has at its upstream and with its key: the next try may need the very same. */
function leave({ attempt, watch, parts }: Exchange): void {
  attempt.end(parts.ticker.now())
  watch.releaseSlot()
}

type Found = { offer: Offer; candidate: Candidate }

/** Another way to the same model, then to those that may stand in for it, then the same way once more. */
function candidateFor(asked: Asked, tried: readonly Candidate[], { verdict }: FailedAttempt): Found | undefined {
  const { offer, parts, candidate: last } = asked
  const found = candidateAmong(asked, tried)
  if (found) return found
  const isFirst = tried.filter((one) => one === last).length === 1 && !last.upstream.embedded
  const isReady = last.health.isReady(last.route.model, parts.ticker.now()) && !isFull(last, asked.caller, parts)
  const mayAgain = verdict.is === 'failure' && isFirst && isReady
  return mayAgain ? { offer, candidate: last } : undefined
}

/** Where the budget has nothing left for a shot in the dark, one of which nothing bad is known is asked instead. */
function affordable(
  asked: Asked,
  miss: FailedAttempt,
  tried: readonly Candidate[],
  found: Found | undefined,
): Found | undefined {
  const { retryBudget } = asked.parts
  // Nobody has been asked yet: the next upstream gets this request for the first time, which is no retry.
  if (miss.noConnection && found?.candidate !== asked.candidate) return found
  if (!found || retryBudget.take(found.candidate.health.isHealthy)) return found
  const doubtful = everyCandidate(asked).filter(({ health }) => !health.isHealthy)
  const trusted = candidateAmong(asked, [...tried, ...doubtful])
  return trusted && retryBudget.take(true) ? trusted : undefined
}

const everyCandidate = ({ wanted }: Asked): readonly Candidate[] =>
  [wanted, ...wanted.fallbacks].flatMap(({ candidates }) => candidates)

/** The machine is down for its other keys as well, whichever entry of the configuration has them. */
function othersAtSameAddress(asked: Asked): Candidate[] {
  const address = addressOf(asked.candidate)
  return everyCandidate(asked).filter((other) => other !== asked.candidate && addressOf(other) === address)
}

const addressOf = ({ upstream }: Candidate): string => `${new URL(upstream.baseUrl).origin} ${upstream.proxy ?? ''}`

/** Two keys of an upstream have failed: the third may be as bad, and there is no fourth try. */
function elsewhere(asked: Asked, tried: readonly Candidate[]): Found | undefined {
  const upstreams = new Set(tried.map(({ upstream }) => upstream.id))
  const same = everyCandidate(asked).filter(({ upstream }) => upstreams.has(upstream.id))
  return candidateAmong(asked, [...tried, ...same])
}

function candidateAmong(asked: Asked, tried: readonly Candidate[]): Found | undefined {
  const { wanted, caller, parts } = asked
  for (const offer of [wanted, ...wanted.fallbacks.filter(({ model }) => keyAllowsModel(caller, model.id))]) {
    const candidate = route(offer, asked, parts, tried)
    if (candidate) return { offer, candidate }
  }
  return undefined
}

function prepared(asked: Asked): Outbound | undefined {
  try {
    return prepare(asked)
  } catch (error) {
    if (error instanceof Failure || error instanceof RequestError) return undefined
    throw error
  }
}

/**
 * Another model has another price, and another dialect may be able to ask for more of the same one: what is dearer is held
 * for first, or its cap is lowered to what there is.
 */
async function isCovered(exchange: Exchange, asked: Asked, outbound: Outbound): Promise<boolean> {
  const { quote, outbound: last } = exchange
  const isSameLimit = exchange.asked !== undefined && modelCap(exchange.asked) === modelCap(asked)
  const isSameCap = last?.maxOutput === outbound.maxOutput && isSameLimit
  if (asked.offer === quote.offer && isSameCap && Bun.deepEquals(quote.wishes, outbound.wishes)) return true
  const measured = measure(asked, outbound)
  const { bounds, rate, amount, minimum, expectedInput } = measured
  const { open } = quote
  const needed = asked.request.stream ? minimum : amount
  if (needed > open.held && (await open.raise(needed, minimum)) === 'stop') return false
  const { covered, lowered, lowering } = coverage(quote, measured, asked.request)
  Object.assign(quote, {
    ...{ rate: asked.offer.rate, holdRate: rate, outputCap: bounds.outputCap, expectedInput },
    ...{ coveredOutput: covered, loweredCap: lowered, lowering, held: open.held },
  })
  return true
}

/** Once, and not again for every request until it is accepted. */
function tellRejected({ parts, quote }: Exchange, reason: string): void {
  const { upstream, key, health } = quote.candidate
  if (upstream.embedded || health.report(parts.ticker.now()).state === 'rejected') return
  const named = { upstream: upstream.id, key: shown(key), reason }
  parts.log.warn('an upstream rejected its key, which is left out for now', {
    ...{ request: formatRequestId(quote.id), ...named },
  })
}
