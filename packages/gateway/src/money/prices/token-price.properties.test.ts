// What must hold of every price, every usage and every wish.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Fraction, rates, usages, wishes } from '../../../test-support/prices.ts'
import { MAX_AMOUNT } from '../amount.ts'
import { figuresText, formulaOf, type PricedReceipt, priceText, recompute, unitsText } from './receipt.ts'
import { holdRate, inputBound, outputCost, readyRate, toolsBound } from './token-bound.ts'
import { KINDS } from './token-kinds.ts'
import {
  costByTerms,
  figureOf,
  NO_OPTIONS,
  ONE,
  type PricedOptions,
  priceOf,
  type Rate,
  rateOf,
  type Terms,
} from './token-price.ts'
import { totalsOf, type Units } from './token-units.ts'

const RUNS = { numRuns: 2_000 }

function reference(units: Units, { figures, tiers, tools }: Terms, multiplier: bigint): bigint {
  let tokens = new Fraction(0n)
  for (const kind of KINDS) {
    tokens = tokens.plus(new Fraction(BigInt(units[kind] ?? 0) * figureOf(figures, kind), 1_000_000n))
  }
  for (const tier of tiers.values()) tokens = tokens.times(new Fraction(tier, 1_000_000n))
  let sum = tokens
  for (const { calls, price } of tools.values()) sum = sum.plus(new Fraction(BigInt(calls) * price))
  return sum.times(new Fraction(multiplier, 1_000_000n)).up()
}

const plainTerms = ({ price }: Rate): Terms => ({
  figures: price,
  tiers: new Map(),
  tools: new Map(),
  above: undefined,
})

test('the charge is exact, rounded up once, never negative and never more than the ledger can hold', () => {
  fc.assert(
    fc.property(rates, usages, wishes, (rate, usage, wish) => {
      const { units, cost, terms = plainTerms(rate) } = priceOf(usage, rate, wish)
      const exact = reference(units, terms, rate.multiplierMillionths)
      expect(cost).toBe(exact > MAX_AMOUNT ? MAX_AMOUNT : exact)
      expect(cost >= 0n).toBe(true)
    }),
    RUNS,
  )
})

test('every token is charged once: the units are the usage', () => {
  fc.assert(
    fc.property(rates, usages, wishes, (rate, usage, wish) => {
      const { units } = priceOf(usage, rate, wish)
      const { input, cachedInput, cacheWrite, output } = totalsOf(units)
      // Cached audio that has no price of its own pays for audio, which is no longer cached input.
      expect(input + cachedInput + cacheWrite).toBe(usage.input ?? 0)
      expect(output).toBe(usage.output ?? 0)
      for (const kind of KINDS) expect(units[kind] ?? 0).toBeGreaterThanOrEqual(0)
    }),
    RUNS,
  )
})

test('more of anything never costs less', () => {
  const kinds = fc.constantFrom(...KINDS)
  fc.assert(
    fc.property(rates, usages, wishes, kinds, fc.integer({ min: 1, max: 9_999 }), (rate, usage, wish, kind, more) => {
      const { units, terms = plainTerms(rate) } = priceOf(usage, rate, wish)
      const longer = { ...units, [kind]: (units[kind] ?? 0) + more }
      const by = rate.multiplierMillionths
      return costByTerms(longer, terms, by) >= costByTerms(units, terms, by)
    }),
    RUNS,
  )
})

/** Served at a tier that could be expected: the requested one, the default one, or what `auto` may be. */
const isExpected = (rate: Rate, wish: PricedOptions, served: string | undefined): boolean => {
  const isPriced = served !== undefined && rate.price.tiers?.has(served) === true
  return !isPriced || served === wish.tier || wish.tier === 'auto' || wish.also.includes(served)
}

test('no charge is above its hold, as long as tokens and calls are within what was held', () => {
  const margins = fc.integer({ min: 0, max: 50_000 })
  fc.assert(
    fc.property(rates, usages, fc.oneof(wishes, fc.constant(NO_OPTIONS)), margins, (rate, usage, wish, margin) => {
      fc.pre(isExpected(rate, wish, usage.tier) && (wish.also.includes('audio') || !usage.audioOutput))
      const called = Object.entries(usage.toolCalls ?? {})
      fc.pre(called.every(([tool, calls]) => !rate.price.tools?.has(tool) || calls <= (wish.tools.get(tool) ?? 0)))
      const bound = (usage.input ?? 0) + margin
      const hasAudio = (usage.audioInput ?? 0) + (usage.cachedAudioInput ?? 0) > 0
      const at = holdRate(rate, bound, wish, hasAudio)
      expect(holdRate(readyRate(rate.price, rate.multiplierMillionths), bound, wish, hasAudio).price).toEqual(at.price)
      const held = inputBound(bound, at) + outputCost(usage.output ?? 0, at) + toolsBound(rate, wish)
      return priceOf(usage, rate, wish).cost <= held
    }),
    { numRuns: 5_000 },
  )
})

test('any charge can be recomputed from its receipt', () => {
  fc.assert(
    fc.property(rates, usages, wishes, (rate, usage, wish) => {
      const { units, cost, terms = plainTerms(rate) } = priceOf(usage, rate, wish)
      const by = rate.multiplierMillionths
      const tools = Object.fromEntries([...terms.tools].map(([tool, { calls }]) => [tool, calls]))
      const charge = { cost, units: unitsText(units, terms), figures: figuresText(units, terms) }
      const text = `{"units":{${charge.units}},"tools":${JSON.stringify(tools)},"price":${priceText('v', [charge], by)}}`
      const receipt: PricedReceipt = JSON.parse(text)
      expect(recompute(receipt)).toBe(cost)
      expect(formulaOf(receipt)).toContain(' USD')
    }),
    { numRuns: 5_000 },
  )
})

test('so can the charges of old receipts: four units, four figures', () => {
  const count = fc.integer({ min: 0, max: 1_000_000 })
  const figure = fc.bigInt({ min: 0n, max: 10n ** 11n })
  const oldUnits = fc.record({ input: count, cachedInput: count, cacheWrite: count, output: count })
  const oldFigures = fc.record({ input: figure, cachedInput: figure, cacheWrite: figure, output: figure })
  fc.assert(
    fc.property(oldUnits, oldFigures, fc.bigInt({ min: 0n, max: 10n * ONE }), (units, price, by) => {
      const { input, cachedInput, cacheWrite, output } = price
      const receipt: PricedReceipt = {
        units,
        price: {
          version: 'v',
          input: `${input}`,
          cached_input: `${cachedInput}`,
          cache_write: `${cacheWrite}`,
          output: `${output}`,
          multiplier_millionths: `${by}`,
        },
      }
      expect(recompute(receipt)).toBe(costByTerms(units, plainTerms(rateOf(price, by)), by))
    }),
    RUNS,
  )
})

test('a plain price is charged alike by both computations', () => {
  const plain = rates.map(({ price: { input, output, cachedInput, cacheWrite }, multiplierMillionths: by }) =>
    rateOf({ input, output, cachedInput, cacheWrite }, by),
  )
  fc.assert(
    fc.property(plain, usages, (rate, usage) => {
      expect(rate.plain).toBe(true)
      expect(priceOf(usage, rate, NO_OPTIONS).cost).toBe(priceOf(usage, { ...rate, plain: false }, NO_OPTIONS).cost)
    }),
    RUNS,
  )
})
