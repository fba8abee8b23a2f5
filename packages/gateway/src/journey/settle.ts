// What each ending costs, and the receipt that lets anyone recompute it.
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import type { Nanos } from '../money/amount.ts'
import { costOf, type Units, unitsOf } from '../money/price.ts'
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

export type Charge = {
  units: Units
  cost: Nanos /** Counted here, not reported. */
  estimated: boolean
  absurd: boolean
}

const NOTHING: Units = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0 }
const DONE: readonly Ending[] = ['completed', 'incomplete', 'content_filtered', 'stopped_by_balance']

/**
 * Reported usage wins, an explicit zero included. Without it, what was delivered is counted from its bytes; an answer
 * that brought nothing costs nothing, unless its upstream is known to bill the input of abandoned calls.
 */
export function chargeOf(quote: Quote, outcome: Outcome, statistics: ModelStatistics): Charge {
  const absurd = outcome.usage?.absurd === true
  // Figures that cannot be true were left out when they were read: what is missing is counted.
  const { usage } = outcome
  if (usage?.input !== undefined && usage.output !== undefined) {
    const units = unitsOf(usage)
    return { units, cost: costOf(units, quote.rate), estimated: false, absurd }
  }
  const units = countedUnits(quote, outcome, usage, statistics)
  return { units, cost: costOf(units, quote.rate), estimated: true, absurd }
}

function countedUnits(quote: Quote, outcome: Outcome, usage: Usage | undefined, statistics: ModelStatistics): Units {
  if (outcome.sawOutput || usage !== undefined || DONE.includes(outcome.ending)) {
    const output = usage?.output ?? Math.ceil(outcome.outputBytes * statistics.outputTokensPerByte)
    return unitsOf({ ...EMPTY_USAGE, ...usage, input: usage?.input ?? quote.expectedInput, output })
  }
  const billsInput = outcome.ending === 'client_gone' && quote.candidate.upstream.billsOnAbort === 'input'
  return billsInput ? { ...NOTHING, input: quote.expectedInput } : NOTHING
}

const EMPTY_USAGE = { cachedInput: undefined, cacheWrite: undefined, reasoning: undefined, absurd: false }

const STOPPED = 'output;stopped-by-balance'

export function receiptOf(quote: Quote, outcome: Outcome, charge: Charge): string {
  const { offer, candidate } = quote
  const said = outcome.ending === 'stopped_by_balance' ? [...quote.warnings, STOPPED] : quote.warnings
  const warnings = said.length > 1 ? [...new Set(said)] : said
  const facts = JSON.stringify({
    group: offer.group,
    upstream_model: candidate.route.model,
    units: charge.units,
    counted: charge.estimated ? (charge.absurd ? 'usage was absurd' : 'usage was missing') : undefined,
    reasoning_tokens: outcome.usage?.reasoning,
    finish: outcome.finish,
    first_token_ms: outcome.firstTokenMs === undefined ? undefined : Math.round(outcome.firstTokenMs),
    total_ms: Math.round(outcome.totalMs),
    warnings: warnings.length > 0 ? warnings : undefined,
  })
  return `${facts.slice(0, -1)},"price":${offer.rateText}}`
}

/** Lets the next holds profit from what this answer showed. */
export function learn(
  quote: Quote,
  textBytes: number,
  outcome: Outcome,
  charge: Charge,
  statistics: ModelStatistics,
): void {
  if (charge.cost > quote.held) learnShortfall(statistics)
  if (charge.estimated || !DONE.includes(outcome.ending)) return
  learnInput(statistics, textBytes, outcome.usage?.input ?? 0)
  learnOutput(statistics, outcome.outputBytes, charge.units.output)
}
