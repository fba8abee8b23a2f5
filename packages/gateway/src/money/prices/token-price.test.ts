import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { MAX_AMOUNT } from '../amount.ts'
import { inputBound, outputCost, outputTokensFor } from './token-bound.ts'
import { costOf, rateOf } from './token-price.ts'
import { unitsOf } from './token-units.ts'

const ONE = 1_000_000n
const rate = (price: Partial<Record<'input' | 'output' | 'cachedInput' | 'cacheWrite', bigint>>, multiplier = ONE) =>
  rateOf({ input: 0n, output: 0n, cachedInput: 0n, cacheWrite: 0n, ...price }, multiplier)
const units = (more: Partial<Record<'input' | 'output' | 'cachedInput' | 'cacheWrite', number>>) => ({
  input: 0,
  output: 0,
  cachedInput: 0,
  cacheWrite: 0,
  ...more,
})
const usage = { cachedInput: undefined, cacheWrite: undefined, reasoning: undefined, absurd: false }

describe('cost', () => {
  test.each([
    ['nothing', {}, { input: ONE }, ONE, 0n],
    ['one token of the cheapest price is one nano', { input: 1 }, { input: 1n }, ONE, 1n],
    ['never nothing, however cheap', { input: 1 }, { input: 1n, output: 1n, cachedInput: 1n, cacheWrite: 1n }, 1n, 1n],
    ['rounded up once, not for every part', { input: 1, output: 1 }, { input: 500_000n, output: 500_000n }, ONE, 1n],
    [
      'each at its price',
      { input: 1, cachedInput: 2, cacheWrite: 3, output: 4 },
      { input: ONE, cachedInput: 10n * ONE, cacheWrite: 100n * ONE, output: 1_000n * ONE },
      ONE,
      4_321n,
    ],
    [
      'a single token of each, at parts of a nano',
      { cachedInput: 1, cacheWrite: 1 },
      { cachedInput: 1_500_000n, cacheWrite: 2_500_000n },
      ONE,
      4n,
    ],
    ['multiplied', { output: 10 }, { output: ONE }, 850_000n, 9n],
    ['free by its multiplier', { output: 10 }, { output: ONE }, 0n, 0n],
    ['exact above 2^53', { input: 1e8 }, { input: 10n ** 15n + 1n }, ONE, 10n ** 17n + 100n],
    ['also of whole nanos', { input: 99_999_999 }, { input: (10n ** 9n + 1n) * ONE }, ONE, 99_999_999_099_999_999n],
    ['also a token alone', { output: 1 }, { output: (2n ** 53n + 1n) * ONE }, ONE, 2n ** 53n + 1n],
    ['never more than the ledger can hold', { input: 1e12 }, { input: 10n ** 15n }, ONE, MAX_AMOUNT],
  ])('%s', (_, given, price, multiplier, expected) => {
    expect(costOf(units(given), rate(price, multiplier))).toBe(expected)
  })

  test('the same to the last nano on both sides of 2^53', () => {
    const figure = fc.bigInt({ min: 0n, max: 10n ** 7n })
    const count = fc.integer({ min: 0, max: 10 ** 9 })
    fc.assert(
      fc.property(figure, figure, count, count, (input, cacheWrite, tokens, written) => {
        const at = rate({ input: input * ONE, cacheWrite: cacheWrite * ONE })
        const exact = BigInt(tokens) * input + BigInt(written) * cacheWrite
        expect(costOf(units({ input: tokens, cacheWrite: written }), at)).toBe(exact)
      }),
    )
  })

  test('what an amount pays for never costs more than it', () => {
    const amounts = fc.bigInt({ min: 0n, max: 10n ** 15n })
    const prices = fc.bigInt({ min: 1n, max: 10n ** 12n })
    fc.assert(
      fc.property(amounts, prices, fc.bigInt({ min: 1n, max: 10_000_000n }), (amount, output, multiplier) => {
        const at = rate({ output }, multiplier)
        const tokens = outputTokensFor(amount, at) ?? 0
        fc.pre(Number.isSafeInteger(tokens))
        return outputCost(tokens, at) <= amount && outputCost(tokens + 1, at) > amount - 1n
      }),
    )
    expect(outputTokensFor(5n, rate({}))).toBeUndefined()
  })

  test('bounds are rounded up once, whether a token costs whole nano-dollars or parts of one', () => {
    const figure = fc
      .tuple(fc.bigInt({ min: 0n, max: 10n ** 7n }), fc.constantFrom(1n, 1_000n, ONE))
      .map(([count, unit]) => count * unit)
    const multipliers = fc.constantFrom(ONE, 1_500_000n, 333_333n, 1n, 0n)
    fc.assert(
      fc.property(figure, figure, figure, multipliers, fc.nat(), (input, cacheWrite, output, by, tokens) => {
        const at = rate({ input, cacheWrite, output }, by)
        const highest = input > cacheWrite ? input : cacheWrite
        const exact = (price: bigint) => (BigInt(tokens) * price * by + ONE * ONE - 1n) / (ONE * ONE)
        expect(inputBound(tokens, at)).toBe(exact(highest))
        expect(outputCost(tokens, at)).toBe(exact(output))
      }),
    )
  })

  test('no split of the input costs more than its bound', () => {
    const price = fc.bigInt({ min: 0n, max: 10n ** 10n })
    const count = fc.integer({ min: 0, max: 1_000_000 })
    fc.assert(
      fc.property(price, price, price, count, count, count, (input, cachedInput, cacheWrite, all, cached, written) => {
        const at = rate({ input, cachedInput, cacheWrite })
        const split = unitsOf({ ...usage, input: all, output: 0, cachedInput: cached, cacheWrite: written })
        const whole = split.input + split.cachedInput + split.cacheWrite
        return whole === all && costOf(split, at) <= inputBound(all, at)
      }),
    )
  })
})
