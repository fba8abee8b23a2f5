import { expect, test } from 'bun:test'
import {
  createStatistics,
  expectedReasoning,
  knowsReasoning,
  learnInput,
  learnOutput,
  learnShortfall,
  recentP95,
} from './model-statistics.ts'

test('every model has statistics of its own', () => {
  const learned = createStatistics()
  learnOutput(learned.of('a'), 1_000, 100)
  expect([learned.of('a').samples, learned.of('b').samples]).toEqual([1, 0])
})

test('tokens per byte follow what is seen, and one absurd response moves them little', () => {
  const statistics = createStatistics().of('a')
  for (let times = 0; times < 200; times++) {
    learnInput(statistics, 1_000, 250)
    learnOutput(statistics, 1_000, 500)
  }
  expect(statistics.inputTokensPerByte).toBeCloseTo(0.25, 2)
  expect(statistics.outputTokensPerByte).toBeCloseTo(0.5, 2)
  learnInput(statistics, 64, 60)
  expect(statistics.inputTokensPerByte).toBeLessThan(0.5)
})

test('more tokens than bytes are not those of the text: hidden reasoning, or what a vendor adds', () => {
  const statistics = createStatistics().of('a')
  const { inputTokensPerByte, outputTokensPerByte } = statistics
  for (let times = 0; times < 50; times++) {
    learnInput(statistics, 64, 1e12)
    learnInput(statistics, 1_000, 1_500)
    learnOutput(statistics, 400, 5_000)
  }
  expect(statistics).toMatchObject({ inputTokensPerByte, outputTokensPerByte })
  // How long answers are is another matter.
  expect(recentP95(statistics)).toBe(8_192)
})

test('a few bytes, or no tokens, teach nothing', () => {
  const statistics = createStatistics().of('a')
  const before = { ...statistics }
  learnInput(statistics, 10, 100)
  learnInput(statistics, 1_000, 0)
  learnOutput(statistics, 1_000, 0)
  expect({ ...statistics }).toEqual(before)
})

test.each([
  ['reasoning that was not seen', 400, 2_000, 1_900, 19],
  ['reasoning that was shown: its bytes are among the others', 8_000, 2_000, 1_900, 0],
  ['none', 400, 100, 0, 0],
  ['not reported, and more tokens than bytes', 300, 1_100, undefined, 10],
  ['not reported, and no more tokens than text may have', 400, 390, undefined, 0],
  ['a report beyond reason', 64, 1e12, 1e12, 100],
])('reasoning behind visible output: %s', (_, bytes, tokens, reasoning, share) => {
  const statistics = createStatistics().of('a')
  expect([knowsReasoning(statistics), expectedReasoning(statistics, 1_000)]).toEqual([false, 0])
  for (let times = 0; times < 3; times++) learnOutput(statistics, bytes, tokens, reasoning)
  expect(knowsReasoning(statistics)).toBe(true)
  expect(expectedReasoning(statistics, 1_000)).toBe(Math.round(1_000 * share))
})

test('the reasoning that is expected follows what is seen, and a response of one word moves it little', () => {
  const statistics = createStatistics().of('a')
  for (let times = 0; times < 100; times++) learnOutput(statistics, 3_000, 1_000, 0)
  learnOutput(statistics, 3, 101, 100)
  expect(expectedReasoning(statistics, 1_000)).toBeLessThan(10)
  for (let times = 0; times < 100; times++) learnOutput(statistics, 3_000, 3_000, 2_000)
  expect(expectedReasoning(statistics, 1_000)).toBeGreaterThan(1_900)
})

test('the 95th percentile bounds most responses, and is itself bounded', () => {
  const statistics = createStatistics().of('a')
  expect(recentP95(statistics)).toBe(0)
  for (let times = 0; times < 99; times++) learnOutput(statistics, 0, 100)
  learnOutput(statistics, 0, 100_000)
  expect(recentP95(statistics)).toBe(128)
  for (let times = 0; times < 100; times++) learnOutput(statistics, 0, 1e12)
  expect(recentP95(statistics)).toBeLessThanOrEqual(262_144)
})

test('old traffic fades', () => {
  const statistics = createStatistics().of('a')
  for (let times = 0; times < 600; times++) learnOutput(statistics, 0, 5_000)
  for (let times = 0; times < 6_000; times++) learnOutput(statistics, 0, 10)
  expect(recentP95(statistics)).toBe(16)
})

test('a hold that was too small makes the next ones larger, up to a limit, and is forgotten in time', () => {
  const statistics = createStatistics().of('a')
  const start = statistics.margin
  learnShortfall(statistics)
  expect(statistics.margin).toBe(start * 1.5)
  for (let times = 0; times < 50; times++) learnShortfall(statistics)
  expect(statistics.margin).toBe(8)
  for (let times = 0; times < 20_000; times++) learnOutput(statistics, 0, 10)
  expect(statistics.margin).toBe(start)
})
