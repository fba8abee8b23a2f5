// What each ending costs, and the receipt that lets anyone recompute it.
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import { shortText, utf8Length } from '@trivium/protocol/canonical/utf8.ts'
import { WARNINGS_CUT } from '@trivium/protocol/canonical/warning.ts'
import { jsonText } from '@trivium/protocol/framing/json/json-text.ts'
import { formatUsd, type Nanos, roundedUsd } from '../money/amount.ts'
import { callsByName, termsText, unitsText } from '../money/prices/receipt.ts'
import { type Priced, priceOf, USUAL_TIERS } from '../money/prices/token-price.ts'
import { totalsOf } from '../money/prices/token-units.ts'
import {
  expectedReasoning,
  learnInput,
  learnOutput,
  learnShortfall,
  type ModelStatistics,
} from '../text/billing/model-statistics.ts'
import type { Quote } from './hold.ts'

/** How a request ended; the words are on the receipt and in `trivium usage`. */
export type Ending =
  | 'completed'
  | 'incomplete'
  | 'content_filtered'
  | 'stopped_by_balance'
  | 'failed'
  | 'cut'
  | 'timeout'
  | 'client_gone'
  | 'shutdown'

/** What is known of the answer when it ends, however it ended. */
export type Outcome = {
  ending: Ending
  usage: Usage | undefined
  /** Bytes of text, reasoning and arguments that came out: counted when no usage was reported. */
  outputBytes: number
  /** Of these, what had come out when the client disconnected, where the usage was awaited after that. */
  deliveredBytes?: number | undefined
  sawOutput: boolean
  finish: string | undefined
  firstTokenMs: number | undefined
  totalMs: number
}

export type Charge = Priced & {
  /** Counted here, not reported. */
  estimated: boolean
  /** Reasoning among the output that is neither reported nor seen, but usual for the model. */
  assumedReasoning: number
  absurd: boolean
  /** What the operator pays for it, where that is known. */
  upstreamCost: Nanos | undefined
}

export const UNREPORTED: Usage = {
  ...{ input: undefined, output: undefined, cachedInput: undefined, cacheWrite: undefined, reasoning: undefined },
  absurd: false,
}
const NOTHING: Usage = { ...UNREPORTED, input: 0, output: 0 }
/** These have brought what they could: an answer. */
export const DELIVERED: readonly Ending[] = ['completed', 'incomplete', 'content_filtered', 'stopped_by_balance']

/**
 * Reported usage wins, an explicit zero included. Without it, what was delivered is counted from its bytes; an answer
 * that brought nothing costs nothing, unless its upstream is known to bill the input of abandoned calls.
 */
export function chargeOf(quote: Quote, outcome: Outcome, statistics: ModelStatistics): Charge {
  // Figures that cannot be true were left out when they were read: what is missing is counted.
  const { usage } = outcome
  const isReported = usage?.input !== undefined && usage.output !== undefined
  const counted = isReported ? usage : countedUsage(quote, outcome, usage, statistics)
  const assumedReasoning = isReported ? 0 : assumedFor(quote, outcome, counted, statistics)
  const charged = assumedReasoning === 0 ? counted : withReasoning(counted, assumedReasoning)
  const { units, cost, terms } = priceOf(charged, quote.rate, quote.wishes)
  return {
    units,
    cost,
    terms,
    estimated: !isReported,
    assumedReasoning,
    absurd: usage?.absurd === true,
    upstreamCost: upstreamCostOf(quote, charged),
  }
}

function countedUsage(
  quote: Quote,
  outcome: Outcome,
  usage: Usage | undefined,
  { outputTokensPerByte }: ModelStatistics,
): Usage {
  if (outcome.sawOutput || usage !== undefined || DELIVERED.includes(outcome.ending)) {
    const output = usage?.output ?? Math.ceil((outcome.deliveredBytes ?? outcome.outputBytes) * outputTokensPerByte)
    return { ...(usage ?? UNREPORTED), input: usage?.input ?? quote.expectedInput, output }
  }
  const billsInput = outcome.ending === 'client_gone' && quote.candidate.upstream.billsOnAbort === 'input'
  return billsInput ? { ...NOTHING, input: quote.expectedInput } : NOTHING
}

/**
 * A client that disconnects before the usage is reported has had the reasoning that led to what it saw. As much of it as
 * the hold covers: nobody is charged more for a guess than was set aside.
 */
function assumedFor(quote: Quote, outcome: Outcome, counted: Usage, statistics: ModelStatistics): number {
  if (outcome.deliveredBytes === undefined || outcome.usage?.output !== undefined) return 0
  const isCovered = (reasoning: number): boolean =>
    priceOf(withReasoning(counted, reasoning), quote.rate, quote.wishes).cost <= quote.open.held
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
  ...{ output: (usage.output ?? 0) + reasoning, reasoning },
})

/** What the upstream itself says wins over what the configuration says of it. */
function upstreamCostOf({ candidate, wishes }: Quote, usage: Usage): Nanos | undefined {
  const said = usage.upstreamCost === undefined ? undefined : roundedUsd(usage.upstreamCost)
  if (said !== undefined) return said
  const { costRate } = candidate
  return costRate && usage !== NOTHING ? priceOf(usage, costRate, wishes).cost : undefined
}

const STOPPED = 'output;stopped-by-balance'

export function receiptOf(quote: Quote, outcome: Outcome, charge: Charge): string {
  const { offer, candidate, attempts } = quote
  const said = outcome.ending === 'stopped_by_balance' ? [...quote.warnings, STOPPED] : quote.warnings
  const warnings = said.length > 1 ? [...new Set(said)] : said
  // Put together by hand: every request has one, and most have nothing of what is asked for here.
  let text = `{"group":${jsonText(offer.group)},"upstream_model":${jsonText(candidate.route.model)}`
  if (attempts) {
    // The row has those that were asked first.
    text += `,"attempts":${JSON.stringify(attempts)},"upstream":${jsonText(candidate.upstream.id)}`
    text += `,"model":${jsonText(offer.model.id)}`
  }
  text += `,"units":${unitsText(charge.units, charge.terms)}`
  const tier = tierOf(charge, outcome.usage?.tier)
  if (tier !== undefined) text += `,"tier":${jsonText(shortText(tier))}`
  const calls = charge.terms && callsByName(charge.terms)
  if (calls) text += `,"tools":${JSON.stringify(calls)}`
  if (charge.estimated) text += `,"counted":"${countedBecause(charge)}"`
  const reasoning = charge.assumedReasoning || outcome.usage?.reasoning
  if (reasoning !== undefined) text += `,"reasoning_tokens":${reasoning}`
  if (outcome.finish !== undefined) text += `,"finish":${jsonText(shortText(outcome.finish))}`
  if (outcome.firstTokenMs !== undefined) text += `,"first_token_ms":${Math.round(outcome.firstTokenMs)}`
  text += `,"total_ms":${Math.round(outcome.totalMs)}`
  if (warnings.length > 0) text += `,"warnings":${warningsText(warnings)}`
  if (charge.upstreamCost !== undefined) text += `,"upstream_cost":"${formatUsd(charge.upstreamCost)}"`
  return `${text},"price":${priceText(quote, charge)}}`
}

function countedBecause({ absurd, assumedReasoning }: Charge): string {
  if (absurd) return 'usage was absurd'
  return assumedReasoning === 0
    ? 'usage was missing'
    : "usage was missing: output delivered before the disconnect, and the model's usual reasoning for it"
}

/** What else is on a receipt is a handful of bounded names and numbers, so that all of it stays within 16 KiB. */
const MOST_WARNING_BYTES = 8 * 1024

function warningsText(warnings: readonly string[]): string {
  const text = JSON.stringify(warnings)
  if (text.length * 3 <= MOST_WARNING_BYTES) return text
  const kept: string[] = []
  let bytes = 0
  for (const warning of warnings) {
    // In JSON a control character takes six bytes.
    bytes += utf8Length(JSON.stringify(warning)) + 1
    if (bytes > MOST_WARNING_BYTES) return JSON.stringify([...kept, WARNINGS_CUT])
    kept.push(warning)
  }
  return text
}

/** A plain price is the same text for every request; others name the figures that were used. */
function priceText({ offer, rate }: Quote, { units, terms }: Charge): string {
  return terms ? termsText(offer.priceVersion, units, terms, rate.multiplierMillionths) : offer.rateText
}

/** The tiers that were charged, else the one that the upstream told of, if it is not the usual one. */
function tierOf({ terms }: Charge, reported: string | undefined): string | undefined {
  if (terms && terms.tiers.size > 0) return [...terms.tiers.keys()].join(' and ')
  return reported === undefined || USUAL_TIERS.has(reported) ? undefined : reported
}

/** `plainBytes`: of a request that is text alone, else 0. `held`: in the end, with all extensions. */
export type Asked = { plainBytes: number; held: Nanos }

/** Lets the next holds profit from what this answer showed. */
export function learn(asked: Asked, outcome: Outcome, charge: Charge, statistics: ModelStatistics): void {
  // A stream that is stopped at the end of its hold has proved nothing about it.
  if (charge.cost > asked.held && outcome.ending !== 'stopped_by_balance') learnShortfall(statistics)
  // What was reported of a whole answer counts, also where nobody waited for its end.
  const isWhole =
    DELIVERED.includes(outcome.ending) || (outcome.ending === 'client_gone' && outcome.finish !== undefined)
  if (charge.estimated || !isWhole) return
  learnInput(statistics, asked.plainBytes, outcome.usage?.input ?? 0)
  learnOutput(statistics, outcome.outputBytes, totalsOf(charge.units).output, outcome.usage?.reasoning)
}
