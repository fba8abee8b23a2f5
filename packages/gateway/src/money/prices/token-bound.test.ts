// What is held before a request: the most that it can cost, and no more than that.
import { expect, test } from 'bun:test'
import { MAX_AMOUNT } from '../amount.ts'
import { holdRate, inputBound, outputCost, readyRate, toolsBound } from './token-bound.ts'
import type { Figures } from './token-kinds.ts'
import { NO_OPTIONS, type PricedOptions, rateOf, type TokenPrice } from './token-price.ts'

const ONE = 1_000_000n
const four = (input: bigint, output: bigint): Figures => ({
  input,
  cachedInput: input / 10n,
  cacheWrite: input + input / 5n,
  output,
})
const PRICE: TokenPrice = {
  ...four(10n, 50n),
  imageInput: 11n,
  audioInput: 100n,
  cachedAudioInput: 110n,
  reasoning: 55n,
  imageOutput: 60n,
  audioOutput: 200n,
  longContext: [
    { above: 100, figures: four(20n, 75n) },
    { above: 1_000, figures: four(15n, 80n) },
  ],
  tiers: new Map([
    ['priority', { multiplierMillionths: 2n * ONE }],
    ['flex', { multiplierMillionths: 333_333n }],
    ['fast', { figures: four(30n, 150n), longContext: [{ above: 200, figures: four(40n, 160n) }] }],
  ]),
}
const tier = (word: string): PricedOptions => ({ ...NO_OPTIONS, tier: word })
const also = (...words: string[]): PricedOptions => ({ ...NO_OPTIONS, also: words })

// [what, tokens of input, options, audio in the input, nano-USD per million tokens of input and of output]
const HOLDS: [string, number, PricedOptions, boolean, bigint, bigint][] = [
  ['the dearest kind of token', 100, NO_OPTIONS, false, 12n, 60n],
  ['of audio too, where it may be in the input', 100, NO_OPTIONS, true, 110n, 60n],
  ['of audio too, where it is asked for', 100, also('audio'), false, 12n, 200n],
  ['a long context, from the first token above', 101, NO_OPTIONS, false, 24n, 75n],
  ['of all long contexts that the input reaches', 1_001, NO_OPTIONS, false, 24n, 80n],
  ['up to that one', 1_000, NO_OPTIONS, false, 24n, 75n],
  ['a tier, or the usual one', 100, tier('priority'), false, 24n, 120n],
  ['the usual tier, if the other one is cheaper', 100, tier('flex'), false, 12n, 60n],
  ['any tier, if the word may mean any', 100, tier('auto'), false, 36n, 150n],
  ['a tier with a table of its own', 100, tier('fast'), false, 36n, 150n],
  ['up to where its long context begins', 200, tier('fast'), false, 36n, 150n],
  ['and its own long context', 201, tier('fast'), false, 48n, 160n],
  ['which the usual tier has not', 201, NO_OPTIONS, false, 24n, 75n],
  ['another priced option', 100, also('priority'), false, 24n, 120n],
  ['an option and a tier', 100, { ...also('priority'), tier: 'flex' }, false, 24n, 120n],
]

test.each(HOLDS)('held is %s: %d tokens', (_, tokens, options, hasAudio, input, output) => {
  const held = { input, cachedInput: input, cacheWrite: input, output }
  expect(holdRate(rateOf(PRICE, ONE), tokens, options, hasAudio).price).toEqual(held)
  const ready = holdRate(readyRate(PRICE, 1_500_000n), tokens, options, hasAudio)
  expect([ready.price, ready.multiplierMillionths]).toEqual([held, 1_500_000n])
})

test('the rate of a usual request is computed once', () => {
  const ready = readyRate(PRICE, ONE)
  expect(ready.usual?.upTo).toBe(100)
  expect(holdRate(ready, 100, NO_OPTIONS, false)).toBe(ready.usual?.hold as never)
  expect(readyRate({ ...four(1n, 1n), reasoning: 2n }, ONE).usual?.upTo).toBe(Number.POSITIVE_INFINITY)
  const plain = readyRate(four(1n, 1n), ONE)
  expect(plain.usual).toBeUndefined()
  expect(holdRate(plain, 100, NO_OPTIONS, true)).toBe(plain)
})

test('a context may be long from its second token on', () => {
  const rate = rateOf({ ...four(10n, 10n), longContext: [{ above: 1, figures: four(20n, 20n) }] }, ONE)
  expect(holdRate(rate, 1, NO_OPTIONS, false).price.output).toBe(10n)
  expect(holdRate(rate, 2, NO_OPTIONS, false).price.output).toBe(20n)
})

test('what is free is held for nothing, also at a tier that the price does not list', () => {
  const free = rateOf({ ...four(0n, 0n), reasoning: 0n }, ONE)
  expect(holdRate(free, 100, tier('priority'), true).price).toEqual({
    input: 0n,
    cachedInput: 0n,
    cacheWrite: 0n,
    output: 0n,
  })
})

test('a figure times a tier is rounded up', () => {
  const price: TokenPrice = { ...four(10n, 10n), tiers: new Map([['slow', { multiplierMillionths: 1_000_001n }]]) }
  expect(holdRate(rateOf(price, ONE), 1, tier('slow'), false).price).toMatchObject({ input: 13n, output: 11n })
})

test('of hosted tools the most calls that were allowed are held, at their price', () => {
  const tools = new Map([
    ['web_search', 10n],
    ['maps', 3n],
  ])
  const bound = (calls: [string, number][], multiplier = ONE) =>
    toolsBound(rateOf({ ...four(1n, 1n), tools }, multiplier), { ...NO_OPTIONS, tools: new Map(calls) })
  expect(bound([])).toBe(0n)
  expect(bound([['web_search', 5]])).toBe(50n)
  expect(
    bound([
      ['web_search', 5],
      ['maps', 2],
      ['unknown', 9],
    ]),
  ).toBe(56n)
  expect(bound([['maps', 1]], 500_000n)).toBe(2n)
  expect(bound([['web_search', Number.MAX_SAFE_INTEGER]], 10n ** 12n)).toBe(MAX_AMOUNT)
  expect(toolsBound(rateOf(four(1n, 1n), ONE), { ...NO_OPTIONS, tools: new Map([['web_search', 5]]) })).toBe(0n)
})

test('bounds are exact beyond what a number holds', () => {
  const rate = rateOf(four((10n ** 9n + 1n) * 10n * ONE, (10n ** 9n + 1n) * ONE), ONE)
  expect(outputCost(99_999_999, rate)).toBe(99_999_999_099_999_999n)
  expect(inputBound(99_999_999, rate)).toBe(12n * 99_999_999_099_999_999n)
})
