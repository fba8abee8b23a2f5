// The terms by which usage is priced: which table, which tiers, which calls of tools.
import { describe, expect, test } from 'bun:test'
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import { figureOf, isPriced, NO_OPTIONS, type PricedOptions, priceOf, rateOf, type TokenPrice } from './token-price.ts'
import { tokenRate } from './token-rate.ts'

const ONE = 1_000_000n
const four = (figure: bigint) => ({ input: figure, cachedInput: figure, cacheWrite: figure, output: figure })
const PRICE: TokenPrice = {
  ...four(10n * ONE),
  longContext: [
    { above: 100, figures: four(20n * ONE) },
    { above: 200, figures: four(30n * ONE) },
  ],
  tiers: new Map([
    ['flex', { multiplierMillionths: 500_000n }],
    ['priority', { multiplierMillionths: 2n * ONE }],
    ['fast', { figures: { ...four(40n * ONE), output: 1n * ONE }, longContext: [] }],
    ['large', { figures: { ...four(25n * ONE), output: 90n * ONE }, longContext: [] }],
  ]),
  tools: new Map([['web_search', 7n]]),
}
const usage = (more: Partial<Usage> = {}): Usage => ({
  input: 100,
  output: 10,
  cachedInput: undefined,
  cacheWrite: undefined,
  reasoning: undefined,
  absurd: false,
  ...more,
})
const options = (more: Partial<PricedOptions>): PricedOptions => ({ ...NO_OPTIONS, ...more })
const priced = (given: Usage, wish: PricedOptions = NO_OPTIONS, multiplier = ONE, price = PRICE) =>
  priceOf(given, rateOf(price, multiplier), wish)

describe('the tier is', () => {
  test.each<[string, string | undefined, Partial<PricedOptions>, string[], bigint]>([
    ['the usual one, if nobody names one', undefined, {}, [], 1_100n],
    ['the requested one, if none is reported', undefined, { tier: 'flex' }, ['flex'], 550n],
    ['the reported one, if it has a price', 'priority', { tier: 'flex' }, ['priority'], 2_200n],
    ['the usual one, if that is reported', 'default', { tier: 'flex' }, [], 1_100n],
    ['the requested one, if what is reported has no price', 'turbo', { tier: 'flex' }, ['flex'], 550n],
    ['one of the other options too', undefined, { tier: 'flex', also: ['priority'] }, ['priority', 'flex'], 1_100n],
    ['counted once', undefined, { tier: 'flex', also: ['flex'] }, ['flex'], 550n],
    ['another option alone', undefined, { also: ['priority'] }, ['priority'], 2_200n],
    ['a table of its own', 'fast', {}, ['fast'], 4_010n],
    ['of two tables the higher of each figure', 'large', { also: ['fast'] }, ['fast', 'large'], 4_900n],
  ])('%s', (_, reported, wish, tiers, cost) => {
    const { terms, cost: charged } = priced(usage({ tier: reported }), options(wish))
    expect([[...(terms?.tiers.keys() ?? [])], charged]).toEqual([tiers, cost])
  })

  test('none, where the price lists none', () => {
    const { terms } = priced(
      usage({ tier: 'flex', toolCalls: { web_search: 1 } }),
      options({ tier: 'flex', also: ['flex'] }),
      ONE,
      {
        ...four(1n),
        reasoning: 1n,
      },
    )
    expect([terms?.tiers.size, terms?.tools.size, terms?.above]).toEqual([0, 0, undefined])
  })
})

test.each([
  [undefined, undefined, 100n],
  [100, undefined, 1_100n],
  [101, 100, 2_220n],
  [200, 100, 4_200n],
  [201, 200, 6_330n],
])('%p tokens of input are a context above %p', (input, above, cost) => {
  const { terms, cost: charged } = priced(usage({ input }))
  expect([terms?.above, charged]).toEqual([above, cost])
})

test.each([
  [undefined, undefined],
  [{}, undefined],
  [{ web_search: 1 }, 1],
  [{ web_search: 0 }, undefined],
  [{ web_search: -2 }, undefined],
  [{ web_search: 1.5 }, undefined],
  [{ web_search: 100_001 }, 100_000],
  [{ another: 3 }, undefined],
  [{ web_search: undefined as never }, undefined],
  [Object.create({ web_search: 3 }), undefined],
])('of %p calls, %p are charged', (toolCalls, calls) => {
  const { terms, cost } = priced(usage({ toolCalls }), options({ tier: 'flex' }), 2n * ONE)
  expect(terms?.tools.get('web_search')).toEqual(calls === undefined ? undefined : { calls, price: 7n })
  // A tier is for tokens alone; the multiplier is for all.
  expect(cost).toBe(1_100n + 14n * BigInt(calls ?? 0))
})

test('a price with four figures has no terms', () => {
  expect(priced(usage(), NO_OPTIONS, ONE, four(ONE))).toEqual({
    units: { input: 100, cachedInput: 0, cacheWrite: 0, output: 10 },
    cost: 110n,
    terms: undefined,
  })
})

test('a kind without a figure costs what it falls back to', () => {
  const figures = { input: 1n, cachedInput: 2n, cacheWrite: 3n, output: 4n }
  expect(figureOf(figures, 'cachedAudioInput')).toBe(1n)
  expect(figureOf({ ...figures, audioInput: 9n }, 'cachedAudioInput')).toBe(9n)
  expect(figureOf(figures, 'cacheWriteLong')).toBe(3n)
  expect(figureOf(figures, 'imageOutput')).toBe(4n)
  expect(figureOf({ ...figures, input: undefined } as never, 'input')).toBe(0n)
})

test.each<[Parameters<typeof isPriced>[1], boolean]>([
  [{ kind: 'tier', word: 'flex' }, true],
  [{ kind: 'tier', word: 'web_search' }, false],
  [{ kind: 'tool', word: 'web_search' }, true],
  [{ kind: 'tool', word: 'flex' }, false],
  [{ kind: 'other', word: 'audio' }, true],
  [{ kind: 'other', word: 'image' }, false],
  [{ kind: 'other', word: 'flex' }, false],
])('%j can be priced: %p', (word, can) => {
  expect(isPriced({ ...PRICE, audioOutput: 1n }, word)).toBe(can)
  expect(isPriced(four(1n), word)).toBe(false)
})

test('pictures can be priced where they have a figure, and not as audio', () => {
  const price = { ...four(1n), imageOutput: 1n }
  expect(isPriced(price, { kind: 'other', word: 'image' })).toBe(true)
  expect(isPriced(price, { kind: 'other', word: 'audio' })).toBe(false)
})

test('a rate has the bound of a request, and its charge with what the receipt says of it', () => {
  const request = { input: 100, output: 10, options: options({ tools: new Map([['web_search', 2]]) }), hasAudio: false }
  expect(tokenRate(PRICE, 2n * ONE).bound(request)).toBe(2n * 1_100n + 2n * 14n)
  const { cost, units, figures, terms } = tokenRate(PRICE, ONE).cost({ usage: usage(), options: NO_OPTIONS })
  expect([cost, units, figures]).toEqual([1_100n, '"input":100,"output":10', '"input":"10000000","output":"10000000"'])
  expect(terms?.above).toBeUndefined()
  const plain = tokenRate(four(ONE), ONE).cost({ usage: usage(), options: NO_OPTIONS })
  expect(plain).toMatchObject({ cost: 110n, units: '"input":100,"output":10', terms: undefined })
  expect(plain.figures).toBe('"input":"1000000","cached_input":"1000000","cache_write":"1000000","output":"1000000"')
})
