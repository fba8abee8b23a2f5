// How much is held, and how a stream's hold grows.
import { describe, expect, test } from 'bun:test'
import { NO_OPTIONS } from '../../money/prices/token-price.ts'
import { tokenRate } from '../../money/prices/token-rate.ts'
import { openStreamBudget } from '../responding/stream-budget.ts'
import type { TextCall } from '../text-call.ts'
import { amountsOf, boundsOf, coveredOutput, loweredCap, type Sizing } from './bounds.ts'
import { createStatistics } from './model-statistics.ts'

const RATE = tokenRate(
  { input: 1_000_000n, output: 4_000_000n, cachedInput: 500_000n, cacheWrite: 2_000_000n },
  1_000_000n,
)
const PRICING = { rate: RATE, options: NO_OPTIONS, hasAudio: false }
const SIZING: Sizing = {
  textBytes: 3_000,
  images: 0,
  documents: 0,
  audios: 0,
  tools: 0,
  choices: 1,
  stream: false,
  maxOutput: undefined,
}
const fresh = () => createStatistics().of('a')

describe('bounds', () => {
  test.each([
    ['unstreamed: the default where there is no cap', {}, undefined, 32_000, 32_000],
    ['unstreamed: the model’s', {}, 4_000, 4_000, 4_000],
    ['unstreamed: the caller’s', { maxOutput: 100 }, 4_000, 100, 100],
    ['unstreamed: for every choice', { maxOutput: 100, choices: 3 }, 4_000, 300, 300],
    ['streamed: a beginning', { stream: true }, undefined, Number.POSITIVE_INFINITY, 2_048],
    ['streamed: not more than the cap', { stream: true, maxOutput: 100 }, undefined, 100, 100],
    ['streamed: the model’s cap', { stream: true, choices: 2 }, 4_000, 8_000, 4_096],
  ])('%s', (_, more, modelCap, outputCap, heldOutput) => {
    expect(boundsOf({ ...SIZING, ...more }, modelCap, fresh())).toMatchObject({ outputCap, heldOutput })
  })

  test('input: bytes at the learned rate with a margin, and something for each part', () => {
    const text = boundsOf(SIZING, undefined, fresh()).input
    expect(text).toBe(1_250 + 64)
    const parts = boundsOf({ ...SIZING, images: 2, tools: 3 }, undefined, fresh()).input
    expect(parts).toBe(text + 2 * 2_048 + 3 * 32)
  })

  test('the input is priced at the most expensive that could apply', () => {
    const { input, amount, minimum } = amountsOf({ input: 1_000, outputCap: 100, heldOutput: 100 }, 1, PRICING)
    expect([input, amount, minimum]).toEqual([2_000n, 2_400n, 2_064n])
  })

  test('what is granted is converted to tokens; an unstreamed cap is lowered to it, a stream is not', () => {
    const bounds = { input: 1_000, outputCap: 100, heldOutput: 100 }
    expect(coveredOutput(2_200n, 2_000n, RATE)).toBe(50)
    expect(loweredCap(bounds, SIZING, 50)).toBe(50)
    expect(loweredCap(bounds, { ...SIZING, choices: 3 }, 50)).toBe(16)
    expect(loweredCap(bounds, SIZING, 100)).toBeUndefined()
    expect(loweredCap(bounds, { ...SIZING, stream: true }, 50)).toBeUndefined()
    expect(loweredCap(bounds, SIZING, undefined)).toBeUndefined()
  })
})

describe('the budget of a stream', () => {
  /** 4 bytes are a token, which costs 4 nano-USD; 100 tokens are covered. */
  function budgetOf(outputCap: number, answer: 'deliver' | 'stop' = 'deliver', open: object = {}) {
    const asked: [cost: bigint, more: bigint][] = []
    const output = (cost: bigint, more: bigint) => {
      asked.push([cost, more])
      return answer
    }
    const hold = Object.assign(open, { output })
    const coverage = { holdRate: RATE, outputCap, coveredOutput: 1_000, expectedInput: 0 }
    const attempt = { offer: { rate: RATE, model: { id: 'a' } }, options: NO_OPTIONS, coverage }
    const budget = openStreamBudget({ attempt, hold } as unknown as TextCall, createStatistics())
    return { budget, asked }
  }

  test('extends first at half of what is covered, then at intervals, by as much again', async () => {
    const { budget, asked } = budgetOf(Number.POSITIVE_INFINITY)
    expect(budget.nextAt).toBe(2_000)
    expect(await budget.mayContinue(2_400)).toBe(true)
    expect(asked).toEqual([[2_400n, 4_000n]])
    expect(budget.nextAt).toBe(2_656)
  })

  test('extends to no more than the cap, and not at all once the cap is covered', async () => {
    const { budget, asked } = budgetOf(1_200)
    await budget.mayContinue(4_000)
    await budget.mayContinue(90_000)
    expect(asked).toEqual([
      [4_000n, 800n],
      [4_800n, 1n],
    ])
    expect(budget.nextAt).toBe(Number.POSITIVE_INFINITY)
  })

  test('what was held for a more expensive model, before it answers, is counted once', async () => {
    const open = { granted: 1_000n, held: 4_000n }
    const { budget } = budgetOf(Number.POSITIVE_INFINITY, 'deliver', open)
    expect(budget.coveredTo).toBe(4_000)
    open.held = 6_000n
    expect(budget.coveredTo).toBe(6_000)
  })

  test('a hold that cannot be extended ends the stream', async () => {
    expect(await budgetOf(Number.POSITIVE_INFINITY, 'stop').budget.mayContinue(9_000)).toBe(false)
  })
})
