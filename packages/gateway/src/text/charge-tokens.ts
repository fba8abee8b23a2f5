// The settlement of a text call: its tokens are charged by the core, and what they teach is noted.

import type { Finish } from '@trivium/protocol/canonical/finish.ts'
import { bookableTokens } from '../money/limits.ts'
import { totalsOf } from '../money/prices/token-units.ts'
import type { CallResult, Outcome } from '../paid-call/outcome.ts'
import { settle } from '../paid-call/settle.ts'
import { chargeOf, isUnderpaid, learn, type Observed, receiptDetails, type TextCharge } from './billing/charge.ts'
import type { TextCallDependencies } from './dependencies.ts'
import type { TextCall } from './text-call.ts'

/** An unstreamed response: what the client gets, and when all of it was there. */
type Whole = { body: Uint8Array; endedAt: number | undefined }

/** Runs once it is known what will be charged, and before that is. */
type BeforeCharge = (charge: TextCharge) => Promise<void>

/** Charges the call that it belongs to. */
export type ChargeTokens = (observed: Observed, whole?: Whole, before?: BeforeCharge) => Promise<unknown>

/** The last byte may leave when this resolves. */
export function chargeTokens(
  call: TextCall,
  observed: Observed,
  deps: TextCallDependencies,
  whole?: Whole,
  before?: BeforeCharge,
): Promise<unknown> {
  const statistics = deps.statistics.of(call.attempt.offer.model.id)
  const { held } = call.hold
  const charge = chargeOf(call, observed, statistics)
  const { input, cachedInput, cacheWrite, output } = totalsOf(charge.tokens)
  const allInput = input + cachedInput + cacheWrite
  const result = {
    outcome: observed.outcome,
    charges: [charge],
    sawOutput: observed.sawOutput,
    tokens: bookableTokens(allInput + output),
    upstreamCost: charge.upstreamCost,
    details: receiptDetails(observed, charge),
    isUnderpaid: isUnderpaid(charge, observed, statistics),
    body: whole?.body,
    endedAt: whole?.endedAt,
  }
  const { record } = call
  record.tokens = { input: allInput, cached: cachedInput, cacheWrite, output, reasoning: observed.usage?.reasoning }
  if (record.generation) record.generation.finish = observed.finish?.raw
  learn({ plainBytes: call.own.plainBytes, held, account: call.caller.account }, observed, charge, statistics)
  return before ? settleAfter(before(charge), call, result, deps) : settle(call, result, deps)
}

async function settleAfter(
  before: Promise<void>,
  call: TextCall,
  result: CallResult,
  deps: TextCallDependencies,
): Promise<unknown> {
  await before
  return settle(call, result, deps)
}

/** An attempt failed before any output, and no other follows. */
export function chargeNothing(call: TextCall, outcome: Outcome, deps: TextCallDependencies): Promise<unknown> {
  const nothing = { usage: undefined, finish: undefined, outputBytes: 0, sawOutput: false }
  return chargeTokens(call, { outcome, ...nothing }, deps)
}

export function outcomeOfFinish(finish: Finish | undefined): Outcome {
  if (finish?.unified === 'incomplete') return 'incomplete'
  if (finish?.unified === 'content_filtered') return 'content_filtered'
  return 'completed'
}
