import { describe, expect, test } from 'bun:test'
import {
  checkedUsage,
  MAX_CALLS_REPORTED,
  mergeUsage,
  type Reported,
  readCount,
  reportedCost,
  type Usage,
} from './usage.ts'

const NOTHING = {
  input: undefined,
  output: undefined,
  cachedInput: undefined,
  cacheWrite: undefined,
  reasoning: undefined,
}
const of = (figures: Partial<Reported>): Usage => checkedUsage({ ...NOTHING, ...figures })

test.each([
  [10_000_000, 10_000_000],
  [4_000_000_000, 'absurd'],
  [-1, 'absurd'],
  [1.5, 'absurd'],
  ['10', 'absurd'],
  [null, undefined],
] as const)('a reported count of %p', (value, expected) => {
  expect(readCount(value)).toBe(expected)
})

describe('a part never exceeds its whole', () => {
  test.each<[string, Partial<Reported>, Partial<Usage>]>([
    ['long cache writes', { input: 9, cacheWrite: 4, cacheWriteLong: 5 }, { cacheWriteLong: 4 }],
    ['audio', { input: 9, audioInput: 10 }, { audioInput: 9 }],
    ['audio and images', { input: 9, audioInput: 6, imageInput: 4 }, { audioInput: 6, imageInput: 3 }],
    ['cached audio of what is cached', { input: 9, cachedInput: 2, cachedAudioInput: 3 }, { cachedAudioInput: 2 }],
    [
      'cached audio of what is audio',
      { input: 9, cachedInput: 5, audioInput: 2, cachedAudioInput: 3 },
      { cachedAudioInput: 2 },
    ],
    ['audio beside reasoning', { output: 9, reasoning: 5, audioOutput: 5 }, { audioOutput: 4 }],
    [
      'images beside audio and reasoning',
      { output: 9, reasoning: 5, audioOutput: 3, imageOutput: 2 },
      { imageOutput: 1 },
    ],
  ])('%s', (_name, figures, expected) => {
    expect(of(figures)).toMatchObject({ ...expected, absurd: true })
  })

  test('parts that fit are as they are, also where the whole is not known', () => {
    const figures = { input: 100, output: 50, cachedInput: 20, cacheWrite: 10, reasoning: 5 }
    const parts = { cacheWriteLong: 10, audioInput: 60, imageInput: 40, cachedAudioInput: 20 }
    const outputs = { audioOutput: 30, imageOutput: 15 }
    expect(of({ ...figures, ...parts, ...outputs })).toEqual({ ...figures, ...parts, ...outputs, absurd: false })
    expect(of({ audioInput: 7 })).toEqual({ ...NOTHING, audioInput: 7, absurd: false })
  })
})

test('what is unknown is not there at all, and a known zero is', () => {
  expect(Object.keys(of({ input: 1 }))).toEqual(['input', 'output', 'cachedInput', 'cacheWrite', 'reasoning', 'absurd'])
  expect(of({ input: 1, audioInput: 0 })).toHaveProperty('audioInput', 0)
})

describe('calls of hosted tools', () => {
  test.each<[Reported['toolCalls'], Usage['toolCalls'], boolean]>([
    [{ web_search: 2, file_search: undefined }, { web_search: 2 }, false],
    [{ web_search: 0 }, undefined, false],
    [{ web_search: 'absurd', file_search: 1 }, { file_search: 1 }, true],
    [{ web_search: MAX_CALLS_REPORTED }, { web_search: MAX_CALLS_REPORTED }, false],
    [{ web_search: MAX_CALLS_REPORTED + 1 }, undefined, true],
  ])('%p', (toolCalls, expected, absurd) => {
    const usage = of({ toolCalls })
    expect(usage.toolCalls).toEqual(expected)
    expect(usage.absurd).toBe(absurd)
  })
})

test.each<[unknown, string | undefined]>([
  ['PRIORITY', 'priority'],
  ['on-demand.2', 'on-demand.2'],
  ['', undefined],
  ['two words', undefined],
  ['x'.repeat(65), undefined],
  [null, undefined],
  [3, undefined],
])('the tier %p', (tier, expected) => {
  expect(of({ tier }).tier).toBe(expected)
})

describe('what the upstream says that it costs', () => {
  test.each<[object, string | undefined, boolean]>([
    [{}, undefined, false],
    [{ cost: null }, undefined, false],
    [{ cost: 0 }, '0', false],
    [{ cost: 0.00014 }, '0.00014', false],
    [{ cost: 1.5e-7 }, '0.00000015', false],
    [{ cost: 12 }, '12', false],
    [{ cost: '0.10' }, '0.10', false],
    [{ cost: -1 }, undefined, true],
    [{ cost: 1e7 }, undefined, true],
    [{ cost: 'free' }, undefined, true],
    [{ cost: {} }, undefined, true],
    // Ten thousand million to the dollar.
    [{ cost_in_usd_ticks: 1_466_250 }, '0.000146625', false],
    [{ cost_in_usd_ticks: 0 }, '0', false],
    [{ cost_in_usd_ticks: 20_000_000_000 }, '2', false],
    [{ cost_in_usd_ticks: 1.5 }, undefined, true],
    [{ cost_in_usd_ticks: -5 }, undefined, true],
  ])('%p', (usage, expected, absurd) => {
    const read = of({ upstreamCost: reportedCost(usage) })
    expect(read.upstreamCost).toBe(expected)
    expect(read.absurd).toBe(absurd)
  })
})

describe('two reports of one answer', () => {
  test('the later wins where it says something', () => {
    const earlier = of({ input: 90, audioInput: 9, toolCalls: { web_search: 1, file_search: 1 }, tier: 'flex' })
    const later = of({ output: 7, audioOutput: 2, toolCalls: { web_search: 3 }, upstreamCost: 1 })
    expect(mergeUsage(earlier, later)).toEqual({
      ...NOTHING,
      input: 90,
      output: 7,
      audioInput: 9,
      audioOutput: 2,
      tier: 'flex',
      upstreamCost: '1',
      toolCalls: { web_search: 3, file_search: 1 },
      absurd: false,
    })
  })

  test('together they are checked again, and nonsense in either stays a flag', () => {
    expect(mergeUsage(of({ audioInput: 9 }), of({ input: 5 }))).toMatchObject({ audioInput: 5, absurd: true })
    expect(mergeUsage(of({ input: 'absurd' }), of({ input: 5 }))).toMatchObject({ input: 5, absurd: true })
  })
})
