// What each outcome of a text call costs, and what its receipt says beside the units and the price.

import type { Finish } from '@trivium/protocol/canonical/finish.ts'
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import { shortText } from '@trivium/protocol/canonical/utf8.ts'
import { jsonText } from '@trivium/protocol/framing/json/json-text.ts'
import { type Nanos, roundedUsd } from '../../money/amount.ts'
import { callsByName } from '../../money/prices/receipt.ts'
import { priceOf, USUAL_TIERS } from '../../money/prices/token-price.ts'
import type { TokenCharge } from '../../money/prices/token-rate.ts'
import { totalsOf } from '../../money/prices/token-units.ts'
import { DELIVERED, type Outcome } from '../../paid-call/outcome.ts'
import type { TextCall } from '../text-call.ts'
import { learnCorrection } from './count-correction.ts'
import {
  expectedReasoning,
  knowsReasoning,
  learnInput,
  learnOutput,
  learnShortfall,
  type ModelStatistics,
} from './model-statistics.ts'

/** What is known of the response when it ends, however it ends: a response that was read whole, or a stream's meter. */
export type Observed = {
  outcome: Outcome
  usage: Usage | undefined
  finish: Finish | undefined
  /** Bytes of text, reasoning and arguments that came out: counted when no usage was reported. */
  outputBytes: number
  /** The part of these that had come out when the client disconnected, if the usage was awaited afterwards. */
  deliveredBytes?: number | undefined
  sawOutput: boolean
}

export type TextCharge = TokenCharge & {
  /** Counted here, not reported. False where there was nothing to count. */
  estimated: boolean
  /** Reasoning among the output that is neither reported nor seen, but usual for the model. */
  assumedReasoning: number
  absurd: boolean
  /** What the operator pays for it, where that is known. */
  upstreamCost: Nanos | undefined
}

export const UNREPORTED: Usage = {
  input: undefined,
  output: undefined,
  cachedInput: undefined,
  cacheWrite: undefined,
  reasoning: undefined,
  absurd: false,
}
const NOTHING: Usage = { ...UNREPORTED, input: 0, output: 0 }

type ChargedCall = Pick<TextCall, 'attempt' | 'hold'>

/**
 * Reported usage wins, an explicit zero included. Without it, delivered output is counted from its bytes; a call without
 * output costs nothing, unless its upstream is known to bill the input of abandoned calls.
 */
export function chargeOf(call: ChargedCall, observed: Observed, statistics: ModelStatistics): TextCharge {
  // Figures that cannot be true were dropped when they were read: what is missing is counted.
  const { usage } = observed
  const { offer, options } = call.attempt
  const isReported = usage?.input !== undefined && usage.output !== undefined
  const counted = isReported ? usage : countedUsage(call, observed, statistics)
  const assumedReasoning = isReported ? 0 : assumedFor(call, observed, counted, statistics)
  const charged = assumedReasoning === 0 ? counted : withReasoning(counted, assumedReasoning)
  const { cost, units, figures, tokens, terms } = offer.rate.cost({ usage: charged, options })
  return {
    cost,
    units,
    figures,
    tokens,
    terms,
    estimated: !isReported && counted !== NOTHING,
    assumedReasoning,
    absurd: usage?.absurd === true,
    upstreamCost: upstreamCostOf(call, charged),
  }
}

function countedUsage(
  { attempt: { candidate, coverage } }: ChargedCall,
  { outcome, usage, sawOutput, outputBytes, deliveredBytes }: Observed,
  { outputTokensPerByte }: ModelStatistics,
): Usage {
  if (sawOutput || usage !== undefined || DELIVERED.includes(outcome)) {
    const output = usage?.output ?? Math.ceil((deliveredBytes ?? outputBytes) * outputTokensPerByte)
    return { ...(usage ?? UNREPORTED), input: usage?.input ?? coverage.expectedInput, output }
  }
  const billsInput = outcome === 'client_disconnected' && candidate.upstream.billsOnAbort === 'input'
  return billsInput ? { ...NOTHING, input: coverage.expectedInput } : NOTHING
}

/**
 * A client that disconnects before the usage is reported has had the reasoning that led to what it saw. It is charged as far
 * as the hold covers it: an estimate never exceeds the hold.
 */
function assumedFor(
  { attempt: { offer, options }, hold }: ChargedCall,
  observed: Observed,
  counted: Usage,
  statistics: ModelStatistics,
): number {
  if (observed.deliveredBytes === undefined || observed.usage?.output !== undefined) return 0
  const isCovered = (reasoning: number): boolean =>
    priceOf(withReasoning(counted, reasoning), offer.rate, options).cost <= hold.held
  let [covered, most] = [0, expectedReasoning(statistics, counted.output ?? 0)]
  if (most === 0 || isCovered(most)) return most
  while (covered < most - 1) {
    const middle = Math.floor((covered + most) / 2)
    if (isCovered(middle)) covered = middle
    else most = middle
  }
  return covered
}

const withReasoning = (usage: Usage, reasoning: number): Usage => ({
  ...usage,
  output: (usage.output ?? 0) + reasoning,
  reasoning,
})

/** What the upstream itself reports wins over the configured cost of the route. */
function upstreamCostOf({ attempt: { candidate, options } }: ChargedCall, usage: Usage): Nanos | undefined {
  const reported = usage.upstreamCost === undefined ? undefined : roundedUsd(usage.upstreamCost)
  if (reported !== undefined) return reported
  const { costRate } = candidate
  return costRate && usage !== NOTHING ? priceOf(usage, costRate, options).cost : undefined
}

/**
 * Nothing is charged, or not the reasoning behind what was delivered, since no response of the model has been seen to its end
 * yet. The calls of an account that does this repeatedly are drained, and the model's share of reasoning is learned by that.
 */
export const isUnderpaid = ({ estimated }: TextCharge, { sawOutput }: Observed, statistics: ModelStatistics): boolean =>
  estimated && sawOutput && !knowsReasoning(statistics)

/** Members of the receipt that only text calls have, in JSON. */
export function receiptDetails({ usage, finish }: Observed, charge: TextCharge): string {
  let text = ''
  const tier = tierOf(charge, usage?.tier)
  if (tier !== undefined) text += `,"tier":${jsonText(shortText(tier))}`
  const calls = charge.terms && callsByName(charge.terms)
  if (calls) text += `,"tools":${JSON.stringify(calls)}`
  if (charge.estimated) text += `,"counted":"${countedBecause(charge)}"`
  const reasoning = charge.assumedReasoning || usage?.reasoning
  if (reasoning !== undefined) text += `,"reasoning_tokens":${reasoning}`
  if (finish !== undefined) text += `,"finish":${jsonText(shortText(finish.raw))}`
  return text
}

function countedBecause({ absurd, assumedReasoning }: TextCharge): string {
  if (absurd) return 'usage was absurd'
  return assumedReasoning === 0
    ? 'usage was missing'
    : "usage was missing: output delivered before the disconnect, and the model's usual reasoning for it"
}

/** The tiers that were charged, else the one that the upstream reported, if it is not the usual one. */
function tierOf({ terms }: TextCharge, reported: string | undefined): string | undefined {
  if (terms && terms.tiers.size > 0) return [...terms.tiers.keys()].join(' and ')
  return reported === undefined || USUAL_TIERS.has(reported) ? undefined : reported
}

/** `plainBytes`: of a request that is text alone, else 0. `held`: in the end, with all extensions. */
export type Sent = { plainBytes: number; held: Nanos; account?: bigint }

/** Improves the estimates of the next holds by what this response showed. */
export function learn(sent: Sent, observed: Observed, charge: TextCharge, statistics: ModelStatistics): void {
  const { outcome, usage, finish } = observed
  // A stream that is stopped at the end of its hold proves nothing about it.
  if (charge.cost > sent.held && outcome !== 'stopped_by_balance') learnShortfall(statistics)
  // The reported usage of a whole response counts, also where the client did not wait for its end.
  const isWhole = DELIVERED.includes(outcome) || (outcome === 'client_disconnected' && finish !== undefined)
  if (charge.estimated || !isWhole) return
  learnInput(statistics, sent.plainBytes, usage?.input ?? 0)
  // Empty unless tokens of this model were counted here a moment ago.
  if (statistics.recentCounts.length > 0 && sent.account !== undefined) {
    const { account, plainBytes: bytes } = sent
    learnCorrection(statistics, { account, bytes, tokens: usage?.input ?? 0, at: performance.now() })
  }
  learnOutput(statistics, observed.outputBytes, totalsOf(charge.tokens).output, usage?.reasoning)
}
