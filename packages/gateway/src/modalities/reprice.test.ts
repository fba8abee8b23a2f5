// A request that is priced again at the price that it had costs what it cost; at another one, what a request with these units would cost.
import { describe, expect, test } from 'bun:test'
import type { PricedReceipt } from '../money/prices/receipt.ts'
import { type ModelType, modalityOf } from './index.ts'
import type { PreviewUnits } from './preview.ts'

const ONE = 1_000_000n
const FIGURES = { input: 2_000n, output: 8_000n, cachedInput: 500n, cacheWrite: 2_500n }
const TIERS = new Map([['priority', { multiplierMillionths: 2n * ONE }]])
const LONG = [{ above: 1_000, figures: { ...FIGURES, input: 4_000n } }]
const BY_TOKEN = { tokens: { input: 5_000n, imageInput: 8_000n, imageOutput: 32_000n, cachedInput: 1_000n } }
const PER_IMAGE = { perImage: 40n, variants: new Map() }
const PER_SECOND = { per: 'second', price: 50n, variants: new Map(), draft: ONE / 2n }
const units = { input: 900_001, cached_input: 7, output: 333_333 }

const CASES: [ModelType, price: unknown, units: PreviewUnits][] = [
  ['text', FIGURES, units],
  ['text', { ...FIGURES, reasoning: 9_000n, longContext: LONG }, { ...units, reasoning: 12 }],
  ['text', { ...FIGURES, tiers: TIERS }, { ...units, tier: 'priority' }],
  ['text', { ...FIGURES, tools: new Map([['web_search', 10_000_000n]]) }, { ...units, tools: { web_search: 3 } }],
  ['image', PER_IMAGE, { images: 3 }],
  ['image', BY_TOKEN, { input: 100_000, cached_input: 50_000, image_input: 20_000, image_output: 4_000_000 }],
  ['video', PER_SECOND, { seconds: 4.5 }],
  ['transcription', { perMinute: 4_300_000n }, { audio_seconds: 61.7 }],
  [
    'transcription',
    { tokens: { ...FIGURES, audioInput: 6_000n } },
    { input: 120_000, audio_input: 99_999, output: 77_777 },
  ],
  ['video', { ...PER_SECOND, per: 'video' }, {}],
  ['video', { ...PER_SECOND, per: 'million_tokens' }, { video_tokens: 123_456_789 }],
  ['embedding', { input: 20_000_001n }, { input: 1_234 }],
  ['rerank', { figure: 'per_search', price: 2_000_001n }, { searches: 3 }],
  ['rerank', { figure: 'input', price: 20_000_001n }, { input: 1_234 }],
  ['rerank', { figure: 'per_thousand_documents', price: 100_000_001n }, { documents: 7 }],
  ['moderation', { figure: 'per_request', price: 7n }, {}],
  ['speech', { perMillionCharacters: 15_000_000_000n }, { characters: 4_001 }],
  ['speech', { perMinute: 15_000_001n }, { audio_seconds: 61.5 }],
  ['speech', { tokens: { input: 600_000_000n, audioOutput: 12_000_000_000n } }, { input: 17, audio_output: 333 }],
]

function receiptOf(type: ModelType, price: unknown, units: PreviewUnits) {
  const { preview, rateOf } = modalityOf(type)
  const charge = preview(rateOf(price, ONE), units)
  if (!charge) throw new Error('the units do not fit the price')
  const receipt = JSON.parse(`{"units":{${charge.units}},"price":{${charge.figures}}}`) as PricedReceipt
  const { tier } = units
  return {
    cost: charge.cost,
    receipt: { ...receipt, ...(tier ? { tier } : {}), ...(charge.tools ? { tools: charge.tools } : {}) },
  }
}

const again = (type: ModelType, price: unknown, receipt: object, multiplier = ONE) => {
  const { reprice, rateOf } = modalityOf(type)
  return reprice(rateOf(price, multiplier), receipt as Parameters<typeof reprice>[1])
}

test.each(CASES)('%s: a price of its own, %#', (type, price, units) => {
  const { cost, receipt } = receiptOf(type, price, units)
  expect(cost).toBeGreaterThan(0n)
  expect(again(type, price, receipt)).toBe(cost)
  expect(again(type, price, receipt, 3n * ONE)).toBeGreaterThanOrEqual(3n * cost - 3n)
})

test('the terms of the new price apply: a tier that had no price, a longer context', () => {
  const { receipt } = receiptOf('text', FIGURES, units)
  const cost = again('text', FIGURES, receipt) ?? 0n
  expect(again('text', { ...FIGURES, tiers: TIERS }, { ...receipt, tier: 'priority' })).toBe(2n * cost)
  expect(again('text', { ...FIGURES, longContext: LONG }, receipt)).toBeGreaterThan(cost)
})

describe('what a receipt does not say enough of is not priced', () => {
  const variants = new Map([['1080p', 12n]])
  test.each<[ModelType, unknown, object]>([
    ['text', FIGURES, { units: { input: 1, output: 1, input_2: 5 } }],
    ['text', FIGURES, { units: { input: 1, output: 1 }, tools: { web_search: 1 } }],
    ['text', FIGURES, { units: { input: 1, output: 1 }, price: { tiers_millionths: { priority: '2000000' } } }],
    ['image', { ...PER_IMAGE, variants: new Map([['high', 170n]]) }, { units: { images: 1 } }],
    ['image', PER_IMAGE, { units: { image_output_tokens: 1 } }],
    ['image', BY_TOKEN, { units: { images: 1 } }],
    ['video', { ...PER_SECOND, variants }, { units: { seconds: 1 } }],
    ['video', PER_SECOND, { units: { videos: 1 } }],
    ['transcription', { perMinute: 4_300_000n }, { units: { input: 10, output: 1 } }],
    ['transcription', { tokens: FIGURES }, { units: { audio_seconds: 61.7 } }],
    ['rerank', { figure: 'per_search', price: 2n }, { units: { documents: 1 } }],
    ['speech', { perMinute: 1n }, { units: { characters: 1 } }],
    ['speech', { perMillionCharacters: 1n }, { units: { input: 1, audio_output: 1 } }],
  ])('%s, %#', (type, price, receipt) => {
    expect(again(type, price, receipt)).toBeUndefined()
  })
})
