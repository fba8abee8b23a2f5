// Prices the request at its worst and places the hold. Nothing is sent anywhere before the hold stands.

import type { Candidate, Offer } from '../access/catalogue.ts'
import { Failure } from '../access/failure.ts'
import { MAX_AMOUNT, type Nanos } from '../money/amount.ts'
import { bookableTokens } from '../money/limits.ts'
import { inputBound, outputCost, outputTokensFor } from '../money/prices/token-bound.ts'
import type { PricedOptions, Rate } from '../money/prices/token-price.ts'
import type { Identity } from '../storage/node.ts'
import type { OpenRequest } from '../storage/settle.ts'
import type { Caller } from '../storage/storage.ts'
import { type ModelStatistics, recentP95 } from '../text/billing/model-statistics.ts'
import type { Asked } from '../text/translation/outbound.ts'

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
  /** As which node it was placed. */
  owner: Identity
  offer: Offer
  candidate: Candidate
  rate: Rate
  /** At which output is held: the dearest that it can turn out to be. */
  holdRate: Rate
  /** What was asked for that has a price of its own, and was sent on. */
  wishes: PricedOptions
  held: Nanos
  /** Input tokens as the bytes suggest, without the margin a hold has: charged when no usage is reported. */
  expectedInput: number
  /** Output tokens (all choices) that the hold covers; undefined when output is free. */
  coveredOutput: number | undefined
  /** Output cap over all choices: the caller's, the model's or, unstreamed, ours. A stream may have none. */
  outputCap: number
  /** Set when the caller has a limit on tokens per minute: the tightest. Then output is counted against it as it comes. */
  tokenLimit: number | undefined
  /** Set when the balance or a limit made us lower the caller's cap: what goes upstream instead, per choice. */
  loweredCap: number | undefined
  /** How the caller is told that. */
  lowering: string | undefined
  warnings: string[]
  /** Those that brought nothing, before the candidate that answers. */
  attempts: Missed[] | undefined
}

export type Missed = { upstream: string; model: string; outcome: string }

export type Bounds = { input: number; outputCap: number; heldOutput: number }

const PER_REQUEST = 64
const PER_IMAGE = 2_048
const PER_DOCUMENT = 4_096
const PER_AUDIO = 2_048
const PER_TOOL = 32
const DEFAULT_CAP = 32_000
const STREAM_START = 2_048
/** Fewer output tokens than this are not worth a call. */
export const LEAST_OUTPUT = 16

/** The most output tokens of the candidate's model: as the file says, else the built-in list, and never above what it takes. */
export function modelCap({ offer, candidate: { upstream, route }, parts }: Asked): number | undefined {
  return lesser(offer.model.limits.maxOutput ?? route.maxOutput, parts.statistics.maxOutput(upstream.id, route.model))
}

/** Output tokens of each choice, at most. Only a cap that somebody has set ends a stream: without one, its hold does. */
export function choiceCap({ maxOutput: own, stream }: Sizing, maxOutput: number | undefined): number {
  return own ?? maxOutput ?? (stream ? Number.POSITIVE_INFINITY : DEFAULT_CAP)
}

export function boundsOf(sizing: Sizing, maxOutput: number | undefined, statistics: ModelStatistics): Bounds {
  const parts =
    sizing.images * PER_IMAGE + sizing.documents * PER_DOCUMENT + sizing.audios * PER_AUDIO + sizing.tools * PER_TOOL
  const text = sizing.textBytes * statistics.inputTokensPerByte * statistics.margin
  const outputCap = choiceCap(sizing, maxOutput) * sizing.choices
  const start = Math.max(STREAM_START, 2 * recentP95(statistics)) * sizing.choices
  return {
    input: Math.ceil(text) + PER_REQUEST + parts,
    outputCap,
    heldOutput: sizing.stream ? Math.min(outputCap, start) : outputCap,
  }
}

/** `rate`: a plain one, see holdRate. `tools`: what the calls of hosted tools can cost; held with the input. */
export function amountsOf(
  bounds: Bounds,
  choices: number,
  rate: Rate,
  tools: Nanos = 0n,
): { amount: Nanos; minimum: Nanos; input: Nanos } {
  const text = inputBound(bounds.input, rate)
  const input = tools === 0n ? text : text + tools
  const least = leastOutput(bounds, choices)
  const amount = input + outputCost(bounds.heldOutput, rate)
  return { amount: amount > MAX_AMOUNT ? MAX_AMOUNT : amount, minimum: input + outputCost(least, rate), input }
}

/** What limits per minute are asked for: all that is held, and the least that is worth having. */
export function tokensOf(
  bounds: Bounds,
  choices: number,
  expectedInput: number,
): { tokens: number; minimumTokens: number } {
  return {
    tokens: bookableTokens(bounds.input + bounds.heldOutput),
    minimumTokens: bookableTokens(expectedInput + leastOutput(bounds, choices)),
  }
}

const leastOutput = (bounds: Bounds, choices: number): number => Math.min(bounds.heldOutput, LEAST_OUTPUT * choices)

/** The part of a granted hold that is for output, in tokens. */
export function coveredOutput(granted: Nanos, input: Nanos, rate: Rate): number | undefined {
  return outputTokensFor(granted - input, rate)
}

/** The part of granted tokens that is for output. The least was asked for, so that much there is. */
export function outputWithin(tokens: number, bounds: Bounds, choices: number): number {
  return Math.max(tokens - bounds.input, leastOutput(bounds, choices))
}

/** The lesser of two where both are set. */
export function lesser(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
}

/** An unstreamed call cannot be stopped half-way: what the hold does not cover must not be asked for. */
export function loweredCap(bounds: Bounds, sizing: Sizing, covered: number | undefined): number | undefined {
  if (sizing.stream || covered === undefined || covered >= bounds.outputCap) return undefined
  return Math.max(1, Math.floor(covered / sizing.choices))
}

export const unavailable = () =>
  new Failure('unavailable', 'The gateway cannot take requests at the moment. Try again shortly.', { retryAfter: 2 })
