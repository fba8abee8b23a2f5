// One accepted request on its way: what the steps after the hold share, and its single end.

import type { Client } from '@trivium/http/request.ts'
import type { ResponseHeaders } from '@trivium/http/response.ts'
import type { Finish } from '@trivium/protocol/canonical/finish.ts'
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import type { TextDialect } from '@trivium/protocol/dialects/text-dialect.ts'
import { formatUsd, type Nanos } from '../money/amount.ts'
import { bookableTokens } from '../money/limits.ts'
import { totalsOf } from '../money/prices/token-units.ts'
import type { RequestRecord } from '../observe/request-log.ts'
import type { Slot } from '../overload/admission.ts'
import { knowsReasoning, type ModelStatistics } from '../text/billing/model-statistics.ts'
import type { Dependencies } from '../text/dependencies.ts'
import type { Answerer, Asked, Outbound } from '../text/translation/outbound.ts'
import { type Attempt, FAILURE } from '../upstreams/health/key-health.ts'
import { endClaim, type KeyClaim } from './claim.ts'
import type { Quote } from './hold.ts'
import { type Charge, chargeOf, type Ending, learn, type Outcome, receiptOf } from './settle.ts'
import type { AbortReason, UpstreamCall } from './upstream-call.ts'

export type Exchange = {
  parts: Dependencies
  dialect: TextDialect
  /** `plainBytes`: its size if it is text alone, else 0: the tokens of images say nothing about those of text. */
  request: { stream: boolean; plainBytes: number }
  /** All of the request, for as long as another upstream may have to be asked. */
  asked: Asked | undefined
  /** What was sent, for as long. */
  outbound: Outbound | undefined
  /** The call that is under way. */
  attempt: Attempt
  /** How the upstream's answer becomes the client's. */
  answerer: Answerer
  /** The dialect that the upstream answers in. */
  upstreamDialect: DialectId
  quote: Quote
  watch: UpstreamCall
  client: Client
  /** Headers that every answer to this request carries, an error too. */
  headers: ResponseHeaders
  /** For the request's line in the log. */
  record: RequestRecord
  startedAt: number
  firstTokenAt: number | undefined
  /** Left by a stream at its end, by everything else when it is answered. */
  place: Slot
  /** Of a request with an idempotency key. */
  claim: KeyClaim | undefined
}

/** A client that left has its answer fetched to the end, so that the charge is exact; not for ever, though. */
export const DRAIN_MS = 120_000

/** Before an upstream's headers leaving is free: the call is cancelled. Not for those who do it all the time. */
export function cancelOnDisconnect({ client, parts, quote, watch }: Exchange): void {
  client.onDisconnect = () => {
    if (parts.freeAborts.mustDrain(quote.caller.account)) watch.endWithin(DRAIN_MS, 'client_gone')
    else watch.abort('client_gone')
  }
  if (client.isDisconnected) client.onDisconnect()
}

/** What is known of the answer so far: a reply that was read, or a stream's meter. */
export type Seen = {
  usage: Usage | undefined
  finish: Finish | undefined
  outputBytes: number
  deliveredBytes?: number | undefined
  sawOutput: boolean
  /** An unstreamed answer as the client gets it; its headers are set. */
  body?: Uint8Array
  /** Of an unstreamed answer, which is there all at once. */
  endedAt?: number | undefined
}

export const NOTHING_SEEN: Seen = { usage: undefined, finish: undefined, outputBytes: 0, sawOutput: false }

/** Somebody answers: nobody else will be asked, and the request need not be kept while the answer streams. */
export function releaseRequest(exchange: Exchange): void {
  exchange.outbound?.release?.()
  exchange.outbound = undefined
  exchange.asked = undefined
}

/** The one end of an accepted request: priced, written to the ledger (or its journal) and durable when this resolves. */
export function conclude(exchange: Exchange, ending: Ending, seen: Seen): Promise<Charge> {
  const { parts, quote, request } = exchange
  exchange.place.setAwaitingUpstream(false)
  const statistics = parts.statistics.of(quote.offer.model.id)
  const endedAt = seen.endedAt ?? performance.now()
  const outcome: Outcome = {
    ending,
    usage: seen.usage,
    outputBytes: seen.outputBytes,
    deliveredBytes: seen.deliveredBytes,
    sawOutput: seen.sawOutput,
    finish: seen.finish?.raw,
    firstTokenMs: exchange.firstTokenAt === undefined ? undefined : exchange.firstTokenAt - exchange.startedAt,
    totalMs: endedAt - exchange.startedAt,
  }
  const charge = chargeOf(quote, outcome, statistics)
  exchange.watch.stop()
  judge(exchange, ending, seen, parts.ticker.now())
  if (ending === 'client_gone' && isFreeAbort(charge, seen, statistics)) parts.freeAborts.note(quote.caller.account)
  const receipt = receiptOf(quote, outcome, charge)
  const isFree = charge.cost === 0n && !seen.sawOutput
  const { held } = quote.open
  const settling = isFree
    ? quote.open.void(ending, receipt)
    : quote.open.settle(charge.cost, tokensIn(charge), ending, receipt)
  // Not awaited: an async function costs twice as much, and every request ends here.
  return settling.then(({ charged }) => {
    if (parts.requestLog.isOn) noteOutcome(exchange, outcome, charge, charged)
    parts.rateLimitCache.ended(quote.caller)
    learn({ plainBytes: request.plainBytes, held }, outcome, charge, statistics)
    const { claim, headers } = exchange
    if (!claim) return charge
    return endClaim(claim, { ending, charged, headers, body: seen.body }, parts).then(() => charge)
  })
}

/**
 * Nothing is charged, or the reasoning behind what was delivered is not, since no answer of the model has been seen to its
 * end yet: an account that does this again and again has its calls drained, and the model's share is learned by that.
 */
function isFreeAbort({ cost, estimated }: Charge, { sawOutput }: Seen, statistics: ModelStatistics): boolean {
  return cost === 0n || (estimated && sawOutput && !knowsReasoning(statistics))
}

/** What the line in the log has of the receipt. */
function noteOutcome({ record, quote }: Exchange, outcome: Outcome, { units }: Charge, charged: Nanos): void {
  const { input, cachedInput, cacheWrite, output } = totalsOf(units)
  record.model = quote.offer.model.id
  record.upstream = quote.candidate.upstream.id
  record.outcome = outcome.ending
  record.firstTokenMs = outcome.firstTokenMs
  record.costUsd = formatUsd(charged)
  const tokens = { input: input + cachedInput + cacheWrite, cached: cachedInput, output }
  record.tokens = { ...tokens, reasoning: outcome.usage?.reasoning }
}

function tokensIn({ units }: Charge): number {
  const { input, cachedInput, cacheWrite, output } = totalsOf(units)
  return bookableTokens(input + cachedInput + cacheWrite + output)
}

const FAILED: readonly Ending[] = ['failed', 'cut', 'timeout']

function judge({ attempt, firstTokenAt }: Exchange, ending: Ending, { sawOutput }: Seen, now: number): void {
  if (sawOutput) attempt.answered(now, firstTokenAt)
  // What failed before any output was judged by what the upstream said.
  if (FAILED.includes(ending) && sawOutput) attempt.record(FAILURE, now)
  attempt.end(now)
}

const ENDING_OF_ABORT: Record<AbortReason, Ending> = {
  timeout: 'timeout',
  client_gone: 'client_gone',
  shutdown: 'shutdown',
}

/** How a call ended that broke off: by our own doing, or by the upstream's. */
export function endingOfBreak(watch: UpstreamCall): Ending {
  return watch.reason ? ENDING_OF_ABORT[watch.reason] : 'cut'
}

export function endingOfFinish(finish: Finish | undefined): Ending {
  if (finish?.unified === 'incomplete') return 'incomplete'
  if (finish?.unified === 'content_filtered') return 'content_filtered'
  return 'completed'
}
