// How many tokens a request can take, and what they cost at most. Without a tokenizer: from its bytes, and what was learned.

import type { Nanos } from '../../money/amount.ts'
import { bookableTokens } from '../../money/limits.ts'
import { outputTokensFor } from '../../money/prices/token-bound.ts'
import type { PricedOptions, Rate } from '../../money/prices/token-price.ts'
import type { TokenRate } from '../../money/prices/token-rate.ts'
import type { PlannedAttempt } from '../request.ts'
import { type ModelStatistics, recentP95, type StatisticsByModel } from './model-statistics.ts'

/** What decides how much is held for a request. */
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

export type Bounds = { input: number; outputCap: number; heldOutput: number }

const PER_REQUEST = 64
const PER_IMAGE = 2_048
const PER_DOCUMENT = 4_096
const PER_AUDIO = 2_048
const PER_TOOL = 32
const DEFAULT_CAP = 32_000
const STREAM_START = 2_048
/** Fewer output tokens than this are not worth a call. */
const LEAST_OUTPUT = 16

/** The most output tokens of the candidate's model: by the configuration, else the built-in list; never above what it accepts. */
export function modelCap(
  { offer, candidate: { upstream, route } }: Pick<PlannedAttempt, 'offer' | 'candidate'>,
  statistics: StatisticsByModel,
): number | undefined {
  return lesser(offer.model.limits.maxOutput ?? route.maxOutput, statistics.maxOutput(upstream.id, route.model))
}

/** Output tokens of each choice, at most. Only a configured or requested cap ends a stream: without one, its hold does. */
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

/** How the request is priced, besides its tokens. */
export type Pricing = { rate: TokenRate; options: PricedOptions; hasAudio: boolean }

/** `input`: the part of both that is for the input, with the calls of hosted tools. */
export function amountsOf(
  bounds: Bounds,
  choices: number,
  { rate, options, hasAudio }: Pricing,
): { amount: Nanos; minimum: Nanos; input: Nanos } {
  const request = { input: bounds.input, output: bounds.heldOutput, options, hasAudio }
  const amount = rate.bound(request)
  request.output = leastOutput(bounds, choices)
  const minimum = rate.bound(request)
  request.output = 0
  return { amount, minimum, input: rate.bound(request) }
}

/** What is requested of limits per minute: all that is held, and the least that is worth a call. */
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

/** The part of granted tokens that is for output: at least the requested minimum. */
export function outputWithin(tokens: number, bounds: Bounds, choices: number): number {
  return Math.max(tokens - bounds.input, leastOutput(bounds, choices))
}

/** The lesser of two where both are set. */
export function lesser(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
}

/** An unstreamed call cannot be stopped half-way, so no more output than the hold covers may be requested. */
export function loweredCap(bounds: Bounds, sizing: Sizing, covered: number | undefined): number | undefined {
  if (sizing.stream || covered === undefined || covered >= bounds.outputCap) return undefined
  return Math.max(1, Math.floor(covered / sizing.choices))
}
