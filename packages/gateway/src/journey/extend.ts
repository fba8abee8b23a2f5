// A stream holds little at first and asks for more as it goes; what it cannot pay for, it does not get.
import { costOf, outputCost } from '../money/price.ts'
import type { Exchange } from './exchange.ts'

export type Purse = {
  /** Metered output, in bytes, at which to ask `goOn`: the price of a chunk is not worked out for every chunk. */
  readonly nextAt: number
  /** false: the hold is used up and no more can be had. */
  goOn(outputBytes: number): Promise<boolean>
}

/** How often the meter is read: sixteen times per hold, but not for a handful of tokens. */
const READINGS = 16
const LEAST_BYTES = 256

export function openPurse(exchange: Exchange): Purse {
  const { parts, quote } = exchange
  const { rate, open, outputCap, coveredOutput } = quote
  const { outputTokensPerByte } = parts.learned.of(quote.offer.model.id)
  if (coveredOutput === undefined) return { nextAt: Number.POSITIVE_INFINITY, goOn: async () => true }
  const covered = coveredOutput
  const every = Math.max(LEAST_BYTES, covered / outputTokensPerByte / READINGS)
  let nextAt = covered / outputTokensPerByte / 2
  return {
    get nextAt() {
      return nextAt
    },
    async goOn(outputBytes) {
      nextAt = outputBytes + every
      // Bytes only suggest tokens; the cap that was sent along is certain.
      const output = Math.min(outputCap, Math.ceil(outputBytes * outputTokensPerByte))
      const cost = costOf({ input: quote.expectedInput, cachedInput: 0, cacheWrite: 0, output }, rate)
      // At its cap the cost has its final height, which the hold has to reach once and for all: then no more is asked.
      const atCap = output >= outputCap
      const more = atCap ? 1n : outputCost(Math.min(covered, outputCap - output), rate)
      const goesOn = (await open.output(cost, more)) === 'deliver'
      if (atCap && goesOn) nextAt = Number.POSITIVE_INFINITY
      return goesOn
    },
  }
}
