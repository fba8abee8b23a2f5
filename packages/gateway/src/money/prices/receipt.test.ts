import { expect, test } from 'bun:test'
import {
  callsByName,
  figuresText,
  formulaOf,
  isPriceTerm,
  linesOf,
  type PricedReceipt,
  priceText,
  recompute,
  unitsText,
} from './receipt.ts'
import type { Terms } from './token-price.ts'

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
    { units: { video_tokens: 250_000 }, price: price({ per_million_video_tokens: '2000000000' }) },
    '250000 video tokens x 2.00 / 1,000,000 = 0.50 USD',
  ],
  // Units that no code knows: their names tell their figures.
  [
    {
      units: { searches: 3, documents: 1_500 },
      price: price({ per_search: '5000000', per_thousand_documents: '2000000' }),
    },
    '3 searches x 0.005 + 1500 documents x 0.002 / 1,000 = 0.018 USD',
  ],
  [
    { units: { characters: 12_345 }, price: price({ per_million_characters: '15000000000' }, '2000000') },
    '12345 characters x 15.00 / 1,000,000 x 2 = 0.37035 USD',
  ],
  [
    { units: { audio_seconds: 90 }, price: price({ per_minute: '6000000' }, '2000000') },
    '90 audio seconds x 0.006 / 60 x 2 = 0.018 USD',
  ],
  // A single one of what is counted, but not of tools, whose names are their own.
  [
    { units: { images_2: 1, searches: 1 }, price: price({ per_image_2: '40000000', per_search: '5000000' }) },
    '1 image x 0.04 + 1 search x 0.005 = 0.045 USD',
  ],
  [
    { units: { audio_seconds: 1 }, price: price({ per_minute: '6000000' }) },
    '1 audio second x 0.006 / 60 = 0.0001 USD',
  ],
  [
    {
      units: { input: 1, output: 0 },
      tools: { google_maps: 1 },
      price: price({ ...BASE, tools: { google_maps: '10000000' } }),
    },
    '(1 input x 2.00 + 0 output x 8.00) / 1,000,000 + 1 google maps x 0.01 = 0.010002 USD',
  ],
  // Minutes are the price of seconds alone.
  [
    { units: { input: 10, output: 0, audio_seconds: 60 }, price: price({ ...BASE, per_minute: '6000000' }) },
    '(10 input x 2.00 + 0 output x 8.00) / 1,000,000 + 60 audio seconds x 0.006 / 60 = 0.00602 USD',
  ],
  // A number that is part of a name counts no lines.
  [{ units: { mp4: 3 }, price: price({ per_mp4: '40000000' }) }, '3 mp4 x 0.04 = 0.12 USD'],
  // What has no price costs nothing.
  [
    { units: { input: 1, output: 0, widgets: 4 }, tools: { code: 2 }, price: price(BASE) },
    '(1 input x 2.00 + 0 output x 8.00 + 4 widgets x 0.00) / 1,000,000 + 2 code x 0.00 = 0.000002 USD',
  ],
  [
    {
      units: { seconds: 4 },
      price: price({ per_second: '100000000', media_tiers_millionths: { draft: '500000', batch: '300000' } }),
    },
    '4 seconds x 0.10 x 0.5 x 0.3 = 0.06 USD',
  ],
  [
    {
      units: { input: 10, output: 0, images: 1 },
      price: price({ ...BASE, per_image: '40000000', media_multiplier_millionths: '500000' }, '2000000'),
    },
    '(10 input x 2.00 + 0 output x 8.00) / 1,000,000 x 2 + 1 image x 0.04 x 0.5 = 0.02004 USD',
  ],
  // A third of a nano-USD is rounded up, and nothing else.
  [
    { units: { audio_seconds: 0.02 }, price: price({ per_minute: '1000' }) },
    '0.02 audio seconds x 0.000001 / 60 = 0.000000001 USD',
  ],
  [
    { units: { audio_seconds: 60 }, price: price({ per_minute: '10000000' }) },
    '60 audio seconds x 0.01 / 60 = 0.01 USD',
  ],
  [
    { units: { input: 10, output: 0, images: 1 }, price: price({ ...BASE, per_image: '40000000' }, '2000000') },
    '((10 input x 2.00 + 0 output x 8.00) / 1,000,000 + 1 image x 0.04) x 2 = 0.08004 USD',
  ],
  [
    // A tier with a table of its own shows in the figures.
    { units: { input: 7, output: 0 }, price: price({ ...BASE, tiers_millionths: { flex: '1000000' } }, '0') },
    '(7 input x 2.00 + 0 output x 8.00) / 1,000,000 x 0 = 0.00 USD',
  ],
]

test.each(FORMULAS)('%j', (receipt, formula) => {
  expect(formulaOf(receipt)).toBe(formula)
  // The same as lines, which add up to the charge exactly.
  const { lines, rounding } = linesOf(receipt)
  const sum = [...lines.map(({ cost }) => cost), rounding].map(exact).reduce((total, cost) => total + cost, 0n)
  expect(sum).toBe(recompute(receipt) * 10n ** 31n)
})

/** In units of 10^-40 USD. */
function exact(usd: string): bigint {
  const [whole = '', fraction = ''] = usd.split('.')
  return BigInt(whole + fraction.padEnd(40, '0'))
}

test('lines with all factors, and what rounding adds', () => {
  const terms = { tiers_millionths: { priority: '2000000' }, tools: { web_search: '10000000' } }
  const receipt = {
    units: { input: 1, output: 0, seconds: 1.5 },
    tools: { web_search: 1 },
    price: price({ ...BASE, ...terms, per_second: '50000000' }, '333333'),
  }
  expect(linesOf(receipt)).toEqual({
    lines: [
      { name: 'input', count: 1, price: '2.00', per: 1_000_000, factors: ['2', '0.333333'], cost: '0.000001333332' },
      { name: 'output', count: 0, price: '8.00', per: 1_000_000, factors: ['2', '0.333333'], cost: '0.00' },
      { name: 'web_search', count: 1, price: '0.01', per: 1, factors: ['0.333333'], cost: '0.00333333' },
      { name: 'seconds', count: 1.5, price: '0.05', per: 1, factors: ['0.333333'], cost: '0.024999975' },
    ],
    rounding: '0.000000000668',
  })
})

test('lines of more than the ledger can hold are rounded down to it', () => {
  const receipt = { units: { input: 2_000_000, output: 0 }, price: price({ ...BASE, input: String(10n ** 18n) }) }
  expect(linesOf(receipt)).toMatchObject({
    lines: [{ cost: '2000000000.00' }, { cost: '0.00' }],
    rounding: '-1000000000.00',
  })
})

test('rounded up once, at the end', () => {
  const units = { input: 1, cached_input: 1, output: 1 }
  const third = { input: '333333', cached_input: '333333', output: '333333' }
  expect(recompute({ units, price: price(third) })).toBe(1n)
  expect(recompute({ units, price: price({ ...third, output: '333335' }) })).toBe(2n)
})

const TERMS: Terms = {
  figures: { input: 1n, output: 2n, cachedInput: 3n, cacheWrite: 4n, reasoning: 5n },
  tiers: new Map(),
  above: undefined,
  tools: new Map(),
}

test('a receipt has input and output always, and of the rest what was counted', () => {
  const none = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0 }
  expect(unitsText(none, TERMS)).toBe('"input":0,"output":0')
  expect(figuresText(none, TERMS)).toBe('"input":"1","output":"2"')
  expect(callsByName(TERMS)).toBeUndefined()
  const all = { input: 6, cachedInput: 7, cacheWrite: 8, output: 9, reasoning: 10 }
  expect(unitsText(all, TERMS)).toBe('"input":6,"cached_input":7,"cache_write":8,"output":9,"reasoning":10')
  expect(unitsText(all, undefined)).toBe('"input":6,"cached_input":7,"cache_write":8,"output":9')
  const more: Terms = {
    ...TERMS,
    above: 0,
    tiers: new Map([['flex', 500_000n]]),
    tools: new Map([['web_search', { calls: 3, price: 11n }]]),
  }
  expect(figuresText(all, more)).toBe(
    '"input":"1","cached_input":"3","cache_write":"4","output":"2","reasoning":"5",' +
      '"long_context_above":0,"tiers_millionths":{"flex":"500000"},"tools":{"web_search":"11"}',
  )
  expect(callsByName(more)).toEqual({ web_search: 3 })
})

test('the price of several charges is one object', () => {
  const charge = (figures: string) => ({ cost: 0n, units: '', figures })
  expect(priceText('v', [charge('"input":"1"')], 2n)).toBe('{"version":"v","input":"1","multiplier_millionths":"2"}')
  expect(priceText('v', [charge('"input":"1"'), charge('"input_2":"3"')], 2n)).toBe(
    '{"version":"v","input":"1","input_2":"3","multiplier_millionths":"2"}',
  )
})

test.each([
  ['multiplier_millionths', true],
  ['tiers_millionths_2', true],
  ['long_context_above_2', true],
  ['input_2', false],
  ['per_image', false],
])('%s is a term and no price of a unit: %p', (name, isTerm) => expect(isPriceTerm(name)).toBe(isTerm))
