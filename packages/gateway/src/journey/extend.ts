// A stream holds little at first and asks for more as it goes; what it cannot pay for, it does not get.
import { outputCost } from '../money/hold.ts'
import { priceOf } from '../money/price.ts'
import type { Exchange } from './exchange.ts'
import { UNREPORTED } from './settle.ts'

export type Purse = {
  /** Metered output, in bytes, at which to ask `goOn`: the price of a chunk is not worked out for every chunk. */
  readonly nextAt: number
  /** false: the hold is used up and no more can be had. A limit per minute may make it wait. */
  goOn(outputBytes: number): boolean | Promise<boolean>
}

/** How often the meter is read: sixteen times per hold, but not for a handful of tokens. */
const READINGS = 16
const LEAST_BYTES = 256
/** A limit per minute is asked for in small parts: what one stream reserves, others have to wait for. */
const PARTS_OF_LIMIT = 16

export function openPurse(exchange: Exchange): Purse {
  const { parts, quote } = exchange
  const { rate, holdRate, wishes, open, outputCap, coveredOutput, tokenLimit, expectedInput } = quote
  const { outputTokensPerByte } = parts.learned.of(quote.offer.model.id)
  if (coveredOutput === undefined) return { nextAt: Number.POSITIVE_INFINITY, goOn: () => true }
  const covered = coveredOutput
  const tokenStep = tokenLimit === undefined ? 0 : Math.min(covered, Math.ceil(tokenLimit / PARTS_OF_LIMIT))
  const every = Math.max(LEAST_BYTES, covered / outputTokensPerByte / READINGS)
  let nextAt = covered / outputTokensPerByte / 2
  function decided(word: 'deliver' | 'stop', atCap: boolean): boolean {
    if (atCap && word === 'deliver') nextAt = Number.POSITIVE_INFINITY
    return word === 'deliver'
  }

  return {
    get nextAt() {
      return nextAt
    },
    goOn(outputBytes) {
      nextAt = outputBytes + every
      // Bytes only suggest tokens; the cap that was sent along is certain.
      const output = Math.min(outputCap, Math.ceil(outputBytes * outputTokensPerByte))
      // What would be charged if it ended here, while what is still to come is held at its dearest.
      const { cost } = priceOf({ ...UNREPORTED, input: expectedInput, output }, rate, wishes)
      // At its cap the cost has its final height, which the hold has to reach once and for all: then no more is asked.
      const atCap = output >= outputCap
      const more = atCap ? 1n : outputCost(Math.min(covered, outputCap - output), holdRate)
      const tokens =
        tokenLimit === undefined ? undefined : { used: expectedInput + output, step: atCap ? 0 : tokenStep }
      const word = open.output(cost, more, tokens)
      return typeof word === 'string' ? decided(word, atCap) : word.then((later) => decided(later, atCap))
    },
  }
}
