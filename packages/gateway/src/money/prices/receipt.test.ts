import { expect, test } from 'bun:test'
import { formulaOf, type PricedReceipt, recompute } from './receipt.ts'

const price = (more: object, multiplier = '1000000') => ({ version: 'v', multiplier_millionths: multiplier, ...more })
const BASE = { input: '2000000000', output: '8000000000' }

// [receipt, formula]
const FORMULAS: [PricedReceipt, string][] = [
  [
    {
      units: { input: 120, cached_input: 30, output: 20 },
      price: price({ ...BASE, cached_input: '500000000' }, '1500000'),
    },
    '(120 input x 2.00 + 30 cached input x 0.50 + 20 output x 8.00) / 1,000,000 x 1.5 = 0.0006225 USD',
  ],
  [
    // As receipts were written at first.
    {
      units: { input: 120, cachedInput: 0, cacheWrite: 4, output: 20 },
      price: price({ ...BASE, cached_input: '500000000', cache_write: '2500000000' }),
    },
    '(120 input x 2.00 + 4 cache write x 2.50 + 20 output x 8.00) / 1,000,000 = 0.00041 USD',
  ],
  [
    {
      units: { input: 1, output: 0 },
      tools: { web_search: 3 },
      price: price({ ...BASE, tiers_millionths: { priority: '2000000' }, tools: { web_search: '10000000' } }),
    },
    '(1 input x 2.00 + 0 output x 8.00) / 1,000,000 x 2 + 3 web search x 0.01 = 0.030004 USD',
  ],
  [
    {
      units: { input: 1, output: 0 },
      tools: { web_search: 3 },
      price: price({ ...BASE, tools: { web_search: '10000000' } }, '850000'),
    },
    '((1 input x 2.00 + 0 output x 8.00) / 1,000,000 + 3 web search x 0.01) x 0.85 = 0.0255017 USD',
  ],
  [{ units: { input: 0, output: 0 }, price: price(BASE) }, '(0 input x 2.00 + 0 output x 8.00) / 1,000,000 = 0.00 USD'],
  [{ units: { images: 3 }, price: price({ per_image: '40000000' }, '1500000') }, '3 images x 0.04 x 1.5 = 0.18 USD'],
  [{ units: { seconds: 4.5 }, price: price({ per_second: '100000000' }) }, '4.5 seconds x 0.10 = 0.45 USD'],
  [
    { units: { video_tokens: 250_000 }, price: price({ per_million_tokens: '2000000000' }) },
    '250000 video tokens x 2.00 / 1,000,000 = 0.50 USD',
  ],
  [
    { units: { input: 10, output: 0, images: 1 }, price: price({ ...BASE, per_image: '40000000' }, '2000000') },
    '((10 input x 2.00 + 0 output x 8.00) / 1,000,000 + 1 images x 0.04) x 2 = 0.08004 USD',
  ],
  [
    // A tier with a table of its own shows in the figures.
    { units: { input: 7, output: 0 }, price: price({ ...BASE, tiers_millionths: { flex: '1000000' } }, '0') },
    '(7 input x 2.00 + 0 output x 8.00) / 1,000,000 x 0 = 0.00 USD',
  ],
]

test.each(FORMULAS)('%j', (receipt, formula) => {
  expect(formulaOf(receipt)).toBe(formula)
})

test('rounded up once, at the end', () => {
  const units = { input: 1, cached_input: 1, output: 1 }
  const third = { input: '333333', cached_input: '333333', output: '333333' }
  expect(recompute({ units, price: price(third) })).toBe(1n)
  expect(recompute({ units, price: price({ ...third, output: '333335' }) })).toBe(2n)
})
