// How much output a hold covers, and to what the caller's cap is lowered where it covers less than that.

import { holdRate } from '../../money/prices/token-bound.ts'
import type { Rate } from '../../money/prices/token-price.ts'
import { tokenLimitOf } from '../../paid-call/rate-limit-errors.ts'
import type { HeldFunds } from '../../storage/node/settler.ts'
import type { PlannedAttempt, TextRequest } from '../request.ts'
import type { Outbound } from '../translation/outbound.ts'
import {
  amountsOf,
  type Bounds,
  boundsOf,
  coveredOutput,
  lesser,
  loweredCap,
  modelCap,
  outputWithin,
  tokensOf,
} from './bounds.ts'
import type { StatisticsByModel } from './model-statistics.ts'

export type Coverage = Readonly<{
  /** At which output is held: the most expensive that it can turn out to be. */
  holdRate: Rate
  /** Output cap over all choices: the caller's, the model's or, unstreamed, the gateway's. A stream may have none. */
  outputCap: number
  /** Input tokens as the bytes suggest, without the margin of the hold: charged when no usage is reported. */
  expectedInput: number
  /** Output tokens (all choices) that the hold covers; undefined when output is free. */
  coveredOutput: number | undefined
  /** Set when the caller has a limit on tokens per minute: the tightest. Then output is counted against it as it comes. */
  tokenLimit: number | undefined
  /** Set when the balance or a limit lowers the caller's cap: what is sent instead, per choice. */
  loweredCap: number | undefined
  /** The warning about that. */
  lowering: string | undefined
}>

/** What a request can take and cost at most. */
export type Measured = ReturnType<typeof amountsOf> &
  ReturnType<typeof tokensOf> & { bounds: Bounds; holdRate: Rate; expectedInput: number }

export function measure(
  planned: PlannedAttempt,
  { maxOutput, options }: Pick<Outbound, 'maxOutput' | 'options'>,
  statistics: StatisticsByModel,
): Measured {
  const { offer } = planned
  const request = withRecalled(planned)
  const learned = statistics.of(offer.model.id)
  const sizing = maxOutput === undefined ? request : { ...request, maxOutput }
  const bounds = boundsOf(sizing, modelCap(planned, statistics), learned)
  // Videos count with the documents, and may have audio.
  const hasAudio = request.audios + request.documents > 0
  const expectedInput = Math.ceil(request.textBytes * learned.inputTokensPerByte)
  const { amount, minimum, input } = amountsOf(bounds, request.choices, { rate: offer.rate, options, hasAudio })
  const { tokens, minimumTokens } = tokensOf(bounds, request.choices, expectedInput)
  const rate = holdRate(offer.rate, bounds.input, options, hasAudio)
  return { bounds, holdRate: rate, amount, minimum, input, tokens, minimumTokens, expectedInput }
}

/** Reasoning that is put back is input like any other text, and so is what the operator of the route adds. */
export function withRecalled({
  request: { parsed, recalled },
  candidate,
}: Pick<PlannedAttempt, 'request' | 'candidate'>): TextRequest['parsed'] {
  const bytes = (recalled?.bytesFor(candidate.upstream.id) ?? 0) + (candidate.route.edits?.textBytes ?? 0)
  return bytes === 0 ? parsed : { ...parsed, textBytes: parsed.textBytes + bytes }
}

/** How much output the hold covers as it is now. */
export function coverageOf(
  hold: Pick<HeldFunds, 'held' | 'heldTokens'>,
  { bounds, holdRate, input, expectedInput }: Measured,
  { request: { parsed }, caller }: Pick<PlannedAttempt, 'request' | 'caller'>,
): Coverage {
  const tokenLimit = tokenLimitOf(caller)
  const byFunds = coveredOutput(hold.held, input, holdRate)
  const covered = lesser(byFunds, tokenLimit && outputWithin(hold.heldTokens, bounds, parsed.choices))
  const lowered = loweredCap(bounds, parsed, covered)
  const reason = covered === byFunds ? 'balance' : 'limit'
  return {
    holdRate,
    outputCap: bounds.outputCap,
    expectedInput,
    coveredOutput: covered,
    tokenLimit,
    loweredCap: lowered,
    lowering: lowered === undefined ? undefined : `${parsed.capField};lowered-to-${reason}`,
  }
}
