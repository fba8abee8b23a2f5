// The price of tokens, with everything that can be computed once per configuration. Pure.
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import type { Nanos } from '../amount.ts'
import type { Charge, Price } from './price.ts'
import { figuresText, plainFiguresText, unitsText } from './receipt.ts'
import { holdRate, inputBound, outputCost, readyRate, toolsBound } from './token-bound.ts'
import { atMostBookable, type PricedOptions, priceOf, type Rate, type Terms, type TokenPrice } from './token-price.ts'
import type { Units } from './token-units.ts'

/** `hasAudio`: there may be audio in the input. */
export type TokenRequest = { input: number; output: number; options: PricedOptions; hasAudio: boolean }
export type TokenUsage = { usage: Usage; options: PricedOptions }
export type TokenCharge = Charge & { tokens: Units; terms: Terms | undefined }

/** A `Price` that always knows its bound and its cost. */
export type TokenRate = Rate & { bound(request: TokenRequest): Nanos; cost(usage: TokenUsage): TokenCharge }

export function tokenRate(price: TokenPrice, multiplierMillionths: bigint): TokenRate {
  const rate = readyRate(price, multiplierMillionths)
  const plain = plainFiguresText(price)
  const priced = {
    ...rate,
    bound({ input, output, options, hasAudio }: TokenRequest): Nanos {
      const held = holdRate(rate, input, options, hasAudio)
      return atMostBookable(inputBound(input, held) + outputCost(output, held) + toolsBound(rate, options))
    },
    cost({ usage, options }: TokenUsage): TokenCharge {
      const { units: tokens, cost, terms } = priceOf(usage, rate, options)
      const figures = terms ? figuresText(tokens, terms) : plain
      return { cost, tokens, terms, units: unitsText(tokens, terms), figures }
    },
  }
  return priced satisfies Price<TokenRequest, TokenUsage>
}
