import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { assemble } from '../../../config/assemble.ts'
import { type TranscriptionPrice, transcriptionRate } from './price.ts'

const ONE = 1_000_000n
const FIGURES = {
  input: 2_500_000_000n,
  output: 10_000_000_000n,
  cachedInput: 2_500_000_000n,
  cacheWrite: 2_500_000_000n,
}
const PRICES: TranscriptionPrice[] = [
  { perMinute: 4_300_000n },
  { tokens: FIGURES },
  { tokens: { ...FIGURES, audioInput: 6_000_000_000n } },
]

test('what is held covers what is charged where nothing is reported, or what vendors count', () => {
  const seconds = fc.double({ min: 0.01, max: 100_000, noNaN: true })
  const perSecond = fc.integer({ min: 10, max: 32 })
  const multiplier = fc.bigInt({ min: 0n, max: 3_000_000n })
  fc.assert(
    fc.property(fc.constantFrom(...PRICES), seconds, perSecond, multiplier, (price, heard, tokens, by) => {
      const rate = transcriptionRate(price, by)
      const held = rate.bound({ seconds: heard, promptBytes: 100 })
      const textBytes = Math.floor(heard * 20)
      const audioInput = Math.ceil(heard * tokens)
      const plain = { cachedInput: undefined, cacheWrite: undefined, reasoning: undefined, absurd: false }
      const usage = { ...plain, input: audioInput + 100, audioInput, output: Math.ceil(heard * 8) }
      const costs = [{}, { usage }].map((report) => rate.cost({ seconds: heard, report, textBytes }).cost)
      return costs.every((cost) => cost <= held)
    }),
  )
})

test('an explicit zero stays zero', () => {
  const rate = transcriptionRate({ tokens: FIGURES }, ONE)
  const usage = { input: 0, output: 0, cachedInput: 0, cacheWrite: 0, reasoning: 0, absurd: false }
  expect(rate.cost({ seconds: 60, report: { usage }, textBytes: 100 }).cost).toBe(0n)
})

const load = (model: string, dialect = 'chat') =>
  assemble({
    source: `upstreams: [{ id: up, dialect: ${dialect}, base_url: "https://a.example.com/v1", keys: [none] }]
models: [{ id: m, type: transcription, routes: [{ upstream: up, model: n }], ${model} }]`,
    file: '/etc/trivium.yaml',
    env: {},
  })

test.each([
  ['price: { per_minute: 0.0043 }', { perMinute: 4_300_000n }],
  ['price: { input: 2.5, output: 10 }', { tokens: FIGURES }],
  ['price: { input: 2.5, output: 10, audio_input: 6 }', { tokens: { ...FIGURES, audioInput: 6_000_000_000n } }],
])('%s', (model, price) => {
  expect(load(model).config?.models.get('m')?.price).toEqual(price)
})

test.each([
  ['price: { per_minute: 1, input: 2 }', 'chat', 'per_minute and input cannot both be the price'],
  ['price: { audio_input: 6 }', 'chat', 'input is missing'],
  ['price: { per_second: 6 }', 'chat', 'per_second'],
  ['price: { per_minute: 1 }, limits: { megabytes: 101 }', 'chat', 'from 1 to 100'],
  [
    'price: { per_minute: 1 }',
    'messages',
    'needs an upstream that serves transcriptions, or with the dialect generate-content',
  ],
])('%s at an upstream of %s is a mistake', (model, dialect, message) => {
  expect(
    load(model, dialect)
      .mistakes.map((mistake) => mistake.message)
      .join(),
  ).toContain(message)
})
