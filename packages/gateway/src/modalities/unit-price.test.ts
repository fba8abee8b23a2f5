import { expect, test } from 'bun:test'
import { MODALITIES } from './index.ts'

const ONE = 1_000_000n

test.each([
  ['at cost', 2n, ONE, 2n, undefined],
  ['below cost', 2_000_000n, ONE / 2n, 2_000_000n, 'per_search is 0.001 and costs 0.002'],
  ['by another unit', 1n, ONE, undefined, undefined],
])('a price %s', (_, price, multiplier, cost, expected) => {
  const bought =
    cost === undefined ? { figure: 'input' as const, price: 9n } : { figure: 'per_search' as const, price: cost }
  expect(MODALITIES.rerank.belowCost?.({ figure: 'per_search', price }, multiplier, bought)).toBe(expected)
})

test.each([[-1], [0.5], [1e7], [undefined]])('%p searches have no cost, and are not free', (searches) => {
  const rate = MODALITIES.rerank.rateOf({ figure: 'per_search', price: 2n }, ONE)
  expect([rate.bound({ searches }), rate.cost({ searches })]).toEqual([undefined, undefined])
})
