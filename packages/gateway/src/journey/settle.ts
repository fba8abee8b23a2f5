// What each ending costs, and the receipt that lets anyone recompute it.
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import { formatUsd, type Nanos, roundedUsd } from '../money/amount.ts'
import { type Priced, priceOf, USUAL_TIERS } from '../money/price.ts'
import { callsByName, termsText, unitsText } from '../money/receipt.ts'
import { totalsOf } from '../money/units.ts'
import { learnInput, learnOutput, learnShortfall, type ModelStatistics } from './learned.ts'
import type { Quote } from './reserve.ts'

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
  sawOutput: boolean
  finish: string | undefined
  firstTokenMs: number | undefined
  totalMs: number
}

export type Charge = Priced & {
  /** Counted here, not reported. */
  estimated: boolean
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
export const DONE: readonly Ending[] = ['completed', 'incomplete', 'content_filtered', 'stopped_by_balance']

/**
 * Reported usage wins, an explicit zero included. Without it, what was delivered is counted from its bytes; an answer
 * that brought nothing costs nothing, unless its upstream is known to bill the input of abandoned calls.
 */
export function chargeOf(quote: Quote, outcome: Outcome, statistics: ModelStatistics): Charge {
  // Figures that cannot be true were left out when they were read: what is missing is counted.
  const { usage } = outcome
  const isReported = usage?.input !== undefined && usage.output !== undefined
  const charged = isReported ? usage : countedUsage(quote, outcome, usage, statistics)
  const { units, cost, terms } = priceOf(charged, quote.rate, quote.wishes)
  return {
    units,
    cost,
    terms,
    estimated: !isReported,
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
  if (outcome.sawOutput || usage !== undefined || DONE.includes(outcome.ending)) {
    const output = usage?.output ?? Math.ceil(outcome.outputBytes * outputTokensPerByte)
    return { ...(usage ?? UNREPORTED), input: usage?.input ?? quote.expectedInput, output }
  }
  const billsInput = outcome.ending === 'client_gone' && quote.candidate.upstream.billsOnAbort === 'input'
  return billsInput ? { ...NOTHING, input: quote.expectedInput } : NOTHING
}

/** What the upstream itself says wins over what the configuration says of it. */
function upstreamCostOf({ candidate, wishes }: Quote, usage: Usage): Nanos | undefined {
  const said = usage.upstreamCost === undefined ? undefined : roundedUsd(usage.upstreamCost)
  if (said !== undefined) return said
  const { costRate } = candidate
  return costRate && usage !== NOTHING ? priceOf(usage, costRate, wishes).cost : undefined
}

const STOPPED = 'output;stopped-by-balance'

/** As JSON, put together by hand: every request has one, and most of what it may say it does not. */
export function receiptOf(quote: Quote, outcome: Outcome, charge: Charge): string {
  const { offer, candidate, attempts } = quote
  const { firstTokenMs, totalMs, usage } = outcome
  let text = `{"group":${JSON.stringify(offer.group)}${member('upstream_model', candidate.route.model)}`
  // The row has those that were asked first.
  if (attempts) {
    text += `${member('attempts', attempts)}${member('upstream', candidate.upstream.id)}${member('model', offer.model.id)}`
  }
  text += `,"units":${unitsText(charge.units, charge.terms)}${member('tier', tierOf(charge, usage?.tier))}`
  if (charge.terms) text += member('tools', callsByName(charge.terms))
  if (charge.estimated) text += member('counted', charge.absurd ? 'usage was absurd' : 'usage was missing')
  text += `${member('reasoning_tokens', usage?.reasoning)}${member('finish', outcome.finish)}`
  if (firstTokenMs !== undefined) text += `,"first_token_ms":${Math.round(firstTokenMs)}`
  text += `,"total_ms":${Math.round(totalMs)}${member('warnings', warningsOf(quote, outcome))}`
  if (charge.upstreamCost !== undefined) text += `,"upstream_cost":"${formatUsd(charge.upstreamCost)}"`
  return `${text},"price":${priceText(quote, charge)}}`
}

const member = (name: string, value: unknown): string =>
  value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`

/** Each once. */
function warningsOf({ warnings }: Quote, { ending }: Outcome): string[] | undefined {
  const said = ending === 'stopped_by_balance' ? [...warnings, STOPPED] : warnings
  return said.length === 0 ? undefined : [...new Set(said)]
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
  if (charge.estimated || !DONE.includes(outcome.ending)) return
  learnInput(statistics, asked.plainBytes, outcome.usage?.input ?? 0)
  learnOutput(statistics, outcome.outputBytes, totalsOf(charge.units).output)
}
