// Prices the request at its worst and places the hold. Nothing is sent anywhere before the hold stands.
import { formatUsd, MAX_AMOUNT, type Nanos } from '../money/amount.ts'
import { inputBound, outputCost, outputTokensFor, type Rate } from '../money/price.ts'
import type { OpenRequest, Refused } from '../storage/settle.ts'
import type { Caller } from '../storage/storage.ts'
import { disabled, expired, invalid } from './authenticate.ts'
import type { Candidate, Offer } from './catalogue.ts'
import { Failure } from './failure.ts'
import { type ModelStatistics, recentP95 } from './learned.ts'

/** What of a request decides how much is held. */
export type Sizing = {
  textBytes: number
  images: number
  documents: number
  audios: number
  tools: number
  choices: number
  stream: boolean
  /** The caller's own output cap, per choice. */
  maxOutput: number | undefined
}

export type Quote = {
  id: bigint
  caller: Caller
  /** The hold itself: extended, settled and voided through this. */
  open: OpenRequest
  offer: Offer
  candidate: Candidate
  rate: Rate
  held: Nanos
  /** Input tokens as the bytes suggest, without the margin a hold has: charged when no usage is reported. */
  expectedInput: number
  /** Output tokens (all choices) that the hold covers; undefined when output is free. */
  coveredOutput: number | undefined
  /** Output cap over all choices: the caller's, the model's or, unstreamed, ours. A stream may have none. */
  outputCap: number
  /** Set when the balance made us lower the caller's cap: what goes upstream instead, per choice. */
  loweredCap: number | undefined
  warnings: string[]
}

export type Bounds = { input: number; outputCap: number; heldOutput: number }

const PER_REQUEST = 64
const PER_IMAGE = 2_048
const PER_DOCUMENT = 4_096
const PER_AUDIO = 2_048
const PER_TOOL = 32
const DEFAULT_CAP = 16_384
const STREAM_START = 2_048
/** Fewer output tokens than this are not worth a call. */
export const LEAST_OUTPUT = 16

export function boundsOf(sizing: Sizing, maxOutput: number | undefined, statistics: ModelStatistics): Bounds {
  const parts =
    sizing.images * PER_IMAGE + sizing.documents * PER_DOCUMENT + sizing.audios * PER_AUDIO + sizing.tools * PER_TOOL
  const text = sizing.textBytes * statistics.inputTokensPerByte * statistics.margin
  // Only a cap that somebody has set ends an answer. A stream without one is stopped by its hold, not by our guess.
  const uncapped = sizing.stream ? Number.POSITIVE_INFINITY : DEFAULT_CAP
  const outputCap = (sizing.maxOutput ?? maxOutput ?? uncapped) * sizing.choices
  const start = Math.max(STREAM_START, 2 * recentP95(statistics)) * sizing.choices
  return {
    input: Math.ceil(text) + PER_REQUEST + parts,
    outputCap,
    heldOutput: sizing.stream ? Math.min(outputCap, start) : outputCap,
  }
}

export function amountsOf(
  bounds: Bounds,
  choices: number,
  rate: Rate,
): { amount: Nanos; minimum: Nanos; input: Nanos } {
  const input = inputBound(bounds.input, rate)
  const least = Math.min(bounds.heldOutput, LEAST_OUTPUT * choices)
  const amount = input + outputCost(bounds.heldOutput, rate)
  return { amount: amount > MAX_AMOUNT ? MAX_AMOUNT : amount, minimum: input + outputCost(least, rate), input }
}

/** The part of a granted hold that is for output, in tokens. */
export function coveredOutput(granted: Nanos, input: Nanos, rate: Rate): number | undefined {
  return outputTokensFor(granted - input, rate)
}

/** An unstreamed call cannot be stopped half-way: what the hold does not cover must not be asked for. */
export function loweredCap(bounds: Bounds, sizing: Sizing, covered: number | undefined): number | undefined {
  if (sizing.stream || covered === undefined || covered >= bounds.outputCap) return undefined
  return Math.max(1, Math.floor(covered / sizing.choices))
}

/** Why the ledger said no, in words the caller can act on. */
export function refusalOf(refused: Refused, needed: Nanos): Failure {
  const amounts = `Available: ${formatUsd(refused.available)} USD; this request needs at least ${formatUsd(needed)} USD.`
  switch (refused.outcome) {
    case 'no_balance':
      return new Failure('insufficient_balance', `The account's balance is too low. ${amounts}`)
    case 'cap_reached':
      return new Failure('key_cap_reached', `The key's quota cap does not allow this request. ${amounts}`)
    case 'key_invalid':
      return invalid()
    case 'key_expired':
      return expired()
    case 'account_disabled':
      return disabled()
    default:
      return unavailable()
  }
}

export const unavailable = () =>
  new Failure('unavailable', 'The gateway cannot take requests at the moment. Try again shortly.', { retryAfter: 2 })
