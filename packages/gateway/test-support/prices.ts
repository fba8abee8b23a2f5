// Random prices and usage for the properties of the price model, and a reference that reckons in fractions.
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import fc from 'fast-check'
import type { Figures } from '../src/money/prices/token-kinds.ts'
import {
  type LongContext,
  type PricedOptions,
  type Rate,
  rateOf,
  type Tier,
  type TokenPrice,
} from '../src/money/prices/token-price.ts'

const figure = fc.bigInt({ min: 0n, max: 10n ** 12n })
const multiplier = fc.bigInt({ min: 0n, max: 10_000_000n })
const TIERS = ['priority', 'flex', 'fast']
const TOOLS = ['web_search', 'file_search']

const figures: fc.Arbitrary<Figures> = fc.record(
  {
    input: figure,
    output: figure,
    cachedInput: figure,
    cacheWrite: figure,
    cacheWriteLong: figure,
    audioInput: figure,
    cachedAudioInput: figure,
    imageInput: figure,
    reasoning: figure,
    audioOutput: figure,
    imageOutput: figure,
  },
  { requiredKeys: ['input', 'output', 'cachedInput', 'cacheWrite'] },
) as fc.Arbitrary<Figures>

const longContext: fc.Arbitrary<LongContext[]> = fc
  .uniqueArray(fc.record({ above: fc.integer({ min: 1, max: 100_000 }), figures }), {
    selector: ({ above }: LongContext) => above,
    maxLength: 3,
  })
  .map((list) => list.sort((one, other) => one.above - other.above))

const tier: fc.Arbitrary<Tier> = fc.oneof(
  multiplier.map((multiplierMillionths) => ({ multiplierMillionths })),
  fc.record({ figures, longContext }),
)

const mapOf = <T>(names: string[], value: fc.Arbitrary<T>): fc.Arbitrary<Map<string, T>> =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...names), value), { selector: ([name]) => name, maxLength: names.length })
    .map((entries) => new Map(entries))

export const prices: fc.Arbitrary<TokenPrice> = fc
  .tuple(
    figures,
    fc.record({ longContext, tiers: mapOf(TIERS, tier), tools: mapOf(TOOLS, figure) }, { requiredKeys: [] }),
  )
  .map(([base, more]) => ({ ...base, ...more }))

export const rates: fc.Arbitrary<Rate> = fc.tuple(prices, multiplier).map(([price, by]) => rateOf(price, by))

export const wishes: fc.Arbitrary<PricedOptions> = fc.record({
  tier: fc.constantFrom(undefined, 'auto', ...TIERS),
  also: fc.uniqueArray(fc.constantFrom(...TIERS, 'audio'), { maxLength: 3 }),
  tools: mapOf(TOOLS, fc.integer({ min: 0, max: 20 })),
})

const tokens = fc.oneof(fc.integer({ min: 0, max: 150_000 }), fc.constant(undefined))
const calls = fc.integer({ min: 0, max: 20 })

/** Also parts that exceed their whole: even then no token may be charged twice, or below zero. */
export const usages: fc.Arbitrary<Usage> = fc
  .record({
    input: tokens,
    output: tokens,
    cachedInput: tokens,
    cacheWrite: tokens,
    reasoning: tokens,
    cacheWriteLong: tokens,
    audioInput: tokens,
    imageInput: tokens,
    cachedAudioInput: tokens,
    audioOutput: tokens,
    imageOutput: tokens,
    absurd: fc.constant(false),
    tier: fc.constantFrom(undefined, 'default', 'standard', 'scale', ...TIERS),
    toolCalls: fc.option(fc.dictionary(fc.constantFrom(...TOOLS, 'constructor'), calls), { nil: undefined }),
  })
  .map((usage) => usage)

/** Numerator and denominator of a sum of products, with no rule but that of fractions. */
export class Fraction {
  readonly top: bigint
  readonly bottom: bigint
  constructor(top: bigint, bottom = 1n) {
    this.top = top
    this.bottom = bottom
  }
  plus(other: Fraction): Fraction {
    return new Fraction(this.top * other.bottom + other.top * this.bottom, this.bottom * other.bottom)
  }
  times(other: Fraction): Fraction {
    return new Fraction(this.top * other.top, this.bottom * other.bottom)
  }
  /** The whole number that is not below it. */
  up(): bigint {
    const whole = this.top / this.bottom
    return whole * this.bottom === this.top ? whole : whole + 1n
  }
}
