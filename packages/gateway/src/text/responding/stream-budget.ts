// The budget of a stream: it holds little at first and extends the hold as output comes; output that is not covered is not sent.
import { outputCost, outputTokensFor } from '../../money/prices/token-bound.ts'
import { priceOf } from '../../money/prices/token-price.ts'
import { UNREPORTED } from '../billing/charge.ts'
import type { StatisticsByModel } from '../billing/model-statistics.ts'
import type { TextCall } from '../text-call.ts'

export type StreamBudget = {
  /** Metered output, in bytes, at which to call `mayContinue`: the cost is not computed for every chunk. */
  readonly nextAt: number
  /** Metered output, in bytes, that the hold covers as far as it is known now. */
  readonly coveredTo: number
  /** false: the hold is used up and cannot be extended. A limit per minute may delay the answer. */
  mayContinue(outputBytes: number): boolean | Promise<boolean>
}

/** The meter is read sixteen times per hold, but not for a few tokens. */
const READINGS = 16
const LEAST_BYTES = 256
/** A limit per minute is used in small parts: other streams wait for what one reserves. */
const PARTS_OF_LIMIT = 16

const FREE: StreamBudget = {
  nextAt: Number.POSITIVE_INFINITY,
  coveredTo: Number.POSITIVE_INFINITY,
  mayContinue: () => true,
}

export function openStreamBudget(
  { attempt, hold }: Pick<TextCall, 'attempt' | 'hold'>,
  statistics: StatisticsByModel,
): StreamBudget {
  const { offer, options, coverage } = attempt
  const { holdRate, outputCap, coveredOutput, tokenLimit, expectedInput } = coverage
  const { outputTokensPerByte } = statistics.of(offer.model.id)
  if (coveredOutput === undefined) return FREE
  const covered = coveredOutput
  const tokenStep = tokenLimit === undefined ? 0 : Math.min(covered, Math.ceil(tokenLimit / PARTS_OF_LIMIT))
  const every = Math.max(LEAST_BYTES, covered / outputTokensPerByte / READINGS)
  let nextAt = covered / outputTokensPerByte / 2
  // `covered` is for all that is held now, which may be more than was granted at first.
  const [first, firstTokens] = [hold.held, hold.heldTokens]
  let held = first
  // If the hold covers the cap, no output can exceed it.
  let coveredTo = covered >= outputCap ? Number.POSITIVE_INFINITY : covered / outputTokensPerByte

  function reach(): number {
    if (hold.held === held) return coveredTo
    held = hold.held
    const byMoney = covered + (outputTokensFor(held - first, holdRate) ?? Number.POSITIVE_INFINITY)
    const byLimit = tokenLimit === undefined ? byMoney : covered + hold.heldTokens - firstTokens
    coveredTo = Math.max(coveredTo, Math.min(byMoney, byLimit) / outputTokensPerByte)
    return coveredTo
  }

  function decided(word: 'deliver' | 'stop', atCap: boolean, outputBytes: number): boolean {
    const goesOn = word === 'deliver'
    if (atCap && goesOn) coveredTo = Number.POSITIVE_INFINITY
    // Within the hold at intervals, beyond it at every event: a hold includes a margin for the input.
    nextAt = atCap && goesOn ? Number.POSITIVE_INFINITY : nextReading(outputBytes, every, reach())
    return goesOn
  }

  return {
    get nextAt() {
      return nextAt
    },
    get coveredTo() {
      return reach()
    },
    mayContinue(outputBytes) {
      // Tokens are estimated from bytes; the cap that was sent is certain.
      const output = Math.min(outputCap, Math.ceil(outputBytes * outputTokensPerByte))
      // The charge if the stream ended here; further output is held at its highest price.
      const { cost } = priceOf({ ...UNREPORTED, input: expectedInput, output }, offer.rate, options)
      // At the cap the cost is final: the hold is extended to it once, and never again.
      const atCap = output >= outputCap
      const more = atCap ? 1n : outputCost(Math.min(covered, outputCap - output), holdRate)
      const tokens =
        tokenLimit === undefined ? undefined : { used: expectedInput + output, step: atCap ? 0 : tokenStep }
      const word = hold.output(cost, more, tokens)
      if (typeof word === 'string') return decided(word, atCap, outputBytes)
      return word.then((later) => decided(later, atCap, outputBytes))
    },
  }
}

const nextReading = (outputBytes: number, every: number, coveredTo: number): number =>
  Math.max(outputBytes + 1, Math.min(outputBytes + every, coveredTo))
