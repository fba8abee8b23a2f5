import { expect, test } from 'bun:test'
import { createLearned, learnInput, learnOutput, learnShortfall, recentP95 } from './learned.ts'

test('every model is learned apart', () => {
  const learned = createLearned()
  learnOutput(learned.of('a'), 1_000, 100)
  expect([learned.of('a').samples, learned.of('b').samples]).toEqual([1, 0])
})

test('tokens per byte follow what is seen, and one absurd answer moves them little', () => {
  const statistics = createLearned().of('a')
  for (let times = 0; times < 200; times++) {
    learnInput(statistics, 1_000, 250)
    learnOutput(statistics, 1_000, 500)
  }
  expect(statistics.inputTokensPerByte).toBeCloseTo(0.25, 2)
  expect(statistics.outputTokensPerByte).toBeCloseTo(0.5, 2)
  learnInput(statistics, 64, 60)
  expect(statistics.inputTokensPerByte).toBeLessThan(0.5)
})

test('more tokens than bytes are not those of the text: hidden thoughts, or what a vendor adds by itself', () => {
  const statistics = createLearned().of('a')
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
  const statistics = createLearned().of('a')
  const before = { ...statistics }
  learnInput(statistics, 10, 100)
  learnInput(statistics, 1_000, 0)
  learnOutput(statistics, 1_000, 0)
  expect({ ...statistics }).toEqual(before)
})

test('the 95th percentile is a bound of most answers, and no report makes it boundless', () => {
  const statistics = createLearned().of('a')
  expect(recentP95(statistics)).toBe(0)
  for (let times = 0; times < 99; times++) learnOutput(statistics, 0, 100)
  learnOutput(statistics, 0, 100_000)
  expect(recentP95(statistics)).toBe(128)
  for (let times = 0; times < 100; times++) learnOutput(statistics, 0, 1e12)
  expect(recentP95(statistics)).toBeLessThanOrEqual(262_144)
})

test('old traffic fades', () => {
  const statistics = createLearned().of('a')
  for (let times = 0; times < 600; times++) learnOutput(statistics, 0, 5_000)
  for (let times = 0; times < 6_000; times++) learnOutput(statistics, 0, 10)
  expect(recentP95(statistics)).toBe(16)
})

test('a hold that was too small makes the next ones larger, up to a limit, and is forgotten in time', () => {
  const statistics = createLearned().of('a')
  const start = statistics.margin
  learnShortfall(statistics)
  expect(statistics.margin).toBe(start * 1.5)
  for (let times = 0; times < 50; times++) learnShortfall(statistics)
  expect(statistics.margin).toBe(8)
  for (let times = 0; times < 20_000; times++) learnOutput(statistics, 0, 10)
  expect(statistics.margin).toBe(start)
})
