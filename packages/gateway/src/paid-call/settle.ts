// The one end of a paid call: charged or voided, written to the ledger (or its journal), and durable when this resolves.

import type { Nanos } from '../money/amount.ts'
import type { Charge } from '../money/prices/price.ts'
import { atMostBookable } from '../money/prices/token-price.ts'
import { attemptFacts, endAttempt } from '../observe/upstream-attempt.ts'
import type { Settled } from '../storage/node/settler.ts'
import { FAILURE } from '../upstreams/health/key-health.ts'
import { endClaim } from './claim.ts'
import { type CallResult, DELIVERED, type Outcome } from './outcome.ts'
import type { PaidCallDependencies, PaidRequest } from './paid-request.ts'
import { type OtherIds, type ReceiptError, receiptOf } from './receipts/receipt.ts'

export function settle(call: PaidRequest, result: CallResult, deps: PaidCallDependencies): Promise<unknown> {
  const { outcome, sawOutput } = result
  call.isSettled = true
  call.slot.setAwaitingUpstream(false)
  const cost = costOf(result.charges)
  const totalMs = (result.endedAt ?? performance.now()) - call.startedAt
  call.upstreamCall.reservation?.used({
    tokens: result.tokens ?? 0,
    nanos: result.upstreamCost === undefined ? undefined : Number(result.upstreamCost),
  })
  call.upstreamCall.stop()
  reportHealth(call, result, deps.ticker.now())
  if (outcome === 'client_disconnected' && (cost === 0n || result.isUnderpaid))
    deps.freeAborts.note(call.caller.account)
  endAttempt(call.record)
  const receipt = receiptOf(call, result, totalMs, errorOf(call, outcome), idsOf(call))
  const ended = ({ charged }: Settled): void => {
    noteOutcome(call, outcome, charged)
    deps.rateLimitCache.ended(call.caller)
  }
  const settling =
    cost === 0n && !sawOutput
      ? call.hold.void(outcome, receipt, ended)
      : call.hold.settle(
          cost,
          result.tokens ?? 0,
          outcome,
          receipt,
          { upstream: call.attempt.candidate.upstream.id, upstreamCost: result.upstreamCost },
          ended,
        )
  const { claim, headers } = call
  if (!claim) return settling
  return settling.then(({ charged }) => endClaim(claim, { outcome, charged, headers, body: result.body }, deps))
}

/** Why the call failed, as far as an upstream was called for it. */
function errorOf({ record }: PaidRequest, outcome: Outcome): ReceiptError | undefined {
  const { attemptError: code } = record
  if (code === undefined || DELIVERED.includes(outcome)) return undefined
  const requestId = record.attempts.at(-1)?.requestId
  return { code, requestId, message: record.attemptMessage, ...attemptFacts(record) }
}

/** undefined: it has none, as most requests of scripts to upstreams that name none. */
function idsOf({ record }: PaidRequest): OtherIds | undefined {
  const client = record.clientRequestId ?? record.trace?.parent?.traceId
  const upstream = record.attempts.at(-1)?.requestId
  return client === undefined && upstream === undefined ? undefined : { client, upstream }
}

function costOf(charges: readonly Charge[]): Nanos {
  return charges.length === 1
    ? (charges[0]?.cost ?? 0n)
    : atMostBookable(charges.reduce((sum, { cost }) => sum + cost, 0n))
}

/** What observers learn of the receipt. */
function noteOutcome(call: PaidRequest, outcome: Outcome, charged: Nanos): void {
  const { record, attempt, firstOutputAt, startedAt } = call
  record.model = attempt.offer.model.id
  record.upstream = attempt.candidate.upstream.id
  record.outcome = outcome
  record.firstTokenMs = firstOutputAt === undefined ? undefined : firstOutputAt - startedAt
  record.charged = charged
}

const FAILED: readonly Outcome[] = ['failed', 'cut', 'timeout']

/** What failed before any output has been reported already, by what the upstream said. */
function reportHealth(
  { attempt: { health }, firstOutputAt }: PaidRequest,
  { outcome, sawOutput }: CallResult,
  now: number,
) {
  if (sawOutput) health.answered(now, firstOutputAt)
  if (sawOutput && FAILED.includes(outcome)) health.record(FAILURE, now)
  health.end(now)
}
