// Which tokens pay which price.
import { expect, test } from 'bun:test'
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import type { Figures, SpecialKind } from './token-kinds.ts'
import { totalsOf, type Units, unitsOf } from './token-units.ts'

const usage: Usage = {
  input: 100,
  cachedInput: 30,
  cacheWrite: 20,
  cacheWriteLong: 5,
  audioInput: 25,
  cachedAudioInput: 10,
  imageInput: 8,
  output: 50,
  reasoning: 15,
  audioOutput: 9,
  imageOutput: 4,
  absurd: false,
}
const figures = (...kinds: SpecialKind[]): Figures => ({
  input: 1n,
  output: 1n,
  cachedInput: 1n,
  cacheWrite: 1n,
  ...Object.fromEntries(kinds.map((kind) => [kind, 1n])),
})

// [figures that the price has besides the four, units]
const SPLITS: [SpecialKind[], Units][] = [
  [[], { input: 50, cachedInput: 30, cacheWrite: 20, output: 50 }],
  [['cacheWriteLong'], { input: 50, cachedInput: 30, cacheWrite: 15, cacheWriteLong: 5, output: 50 }],
  [
    ['audioInput', 'cachedAudioInput'],
    { input: 35, cachedInput: 20, cacheWrite: 20, output: 50, audioInput: 15, cachedAudioInput: 10 },
  ],
  // Audio with a single price costs the same when it is cached.
  [['audioInput'], { input: 35, cachedInput: 20, cacheWrite: 20, output: 50, audioInput: 25 }],
  [['cachedAudioInput'], { input: 50, cachedInput: 20, cacheWrite: 20, output: 50, cachedAudioInput: 10 }],
  [['imageInput'], { input: 42, cachedInput: 30, cacheWrite: 20, output: 50, imageInput: 8 }],
  [['reasoning'], { input: 50, cachedInput: 30, cacheWrite: 20, output: 35, reasoning: 15 }],
  [
    ['reasoning', 'audioOutput', 'imageOutput'],
    { input: 50, cachedInput: 30, cacheWrite: 20, output: 22, reasoning: 15, audioOutput: 9, imageOutput: 4 },
  ],
]

test.each(SPLITS)('a price with %j', (kinds, units) => {
  expect(unitsOf(usage, figures(...kinds))).toEqual(units)
})

test('parts that exceed their whole are cut to it', () => {
  const wrong: Usage = { ...usage, input: 40, cachedInput: 90, audioInput: 900, output: 10, reasoning: 900 }
  expect(unitsOf(wrong, figures('audioInput', 'reasoning', 'audioOutput'))).toEqual({
    input: 0,
    cachedInput: 30,
    cacheWrite: 0,
    audioInput: 10,
    output: 0,
    reasoning: 10,
  })
})

const EVERY_KIND: SpecialKind[] = [
  ...(['cacheWriteLong', 'audioInput', 'cachedAudioInput', 'imageInput'] as const),
  ...(['reasoning', 'audioOutput', 'imageOutput'] as const),
]

test('what was not reported is nothing, and a single token is one', () => {
  const nothing: Usage = {
    input: undefined,
    cachedInput: undefined,
    cacheWrite: undefined,
    output: undefined,
    reasoning: undefined,
    absurd: false,
  }
  const none = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0 }
  expect(unitsOf(nothing)).toEqual(none)
  expect(unitsOf(nothing, figures(...EVERY_KIND))).toEqual(none)
  const few: Usage = { ...nothing, input: 9, cachedInput: 3, cacheWrite: 2, output: 5 }
  const plain = { input: 4, cachedInput: 3, cacheWrite: 2, output: 5 }
  expect(unitsOf(few, figures(...EVERY_KIND))).toEqual(plain)
  expect(unitsOf({ ...few, imageInput: 1 }, figures('imageInput'))).toEqual({ ...plain, input: 3, imageInput: 1 })
  expect(unitsOf({ ...few, cachedAudioInput: 1 }, figures('audioInput'))).toEqual({
    ...plain,
    cachedInput: 2,
    audioInput: 1,
  })
})

test('special kinds count in the four kinds that they are part of', () => {
  const units = { input: 1, cachedInput: 2, cacheWrite: 4, output: 8 }
  expect(totalsOf(units)).toEqual(units)
  const special = { audioInput: 10, imageInput: 20, cachedAudioInput: 40, cacheWriteLong: 80 }
  expect(totalsOf({ ...units, ...special, reasoning: 100, audioOutput: 200, imageOutput: 400 })).toEqual({
    input: 31,
    cachedInput: 42,
    cacheWrite: 84,
    output: 708,
  })
})
