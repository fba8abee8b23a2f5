// The most that speech can cost, and what it costs by what came.
import { expect, test } from 'bun:test'
import { type SpeechPrice, speechRate } from './price.ts'

const ONE = 1_000_000n
const CHARACTERS: SpeechPrice = { perMillionCharacters: 12_345_678_000n }
const MINUTE: SpeechPrice = { perMinute: 10_000_000n }
const TOKENS: SpeechPrice = { tokens: { input: 600_000_000n, audioOutput: 12_000_000_000n } }
const text = (characters: number, speed?: number) => ({ characters, textBytes: characters + 44, speed })

test.each<[string, SpeechPrice, ReturnType<typeof text>, bigint | undefined]>([
  ['characters', CHARACTERS, text(11), 135_803n],
  // 10 s and half a second for each character.
  ['minutes', MINUTE, text(100), 10_000_000n],
  ['minutes, slowly', MINUTE, text(100, 0.5), 20_000_000n],
  ['minutes, fast: an upstream may ignore it', MINUTE, text(100, 4), 10_000_000n],
  // 400 tokens of input and 60 s of 32 tokens.
  ['tokens', TOKENS, text(100), 23_280_000n],
  ['nothing to say', CHARACTERS, text(0), undefined],
  ['too much to say', MINUTE, text(1_000_001), undefined],
])('what is held for %s', (_, price, request, bound) => {
  expect(speechRate(price, ONE).bound(request)).toBe(bound)
})

const usage = (input: number, output: number) => ({
  input,
  output,
  cachedInput: undefined,
  cacheWrite: undefined,
  reasoning: undefined,
  absurd: false,
})

test.each<[string, SpeechPrice, Parameters<ReturnType<typeof speechRate>['cost']>[0], string, bigint]>([
  ['characters', CHARACTERS, { characters: 11, seconds: 5, usage: undefined }, '"characters":11', 271_605n],
  ['minutes', MINUTE, { characters: 11, seconds: 0.100_1, usage: undefined }, '"audio_seconds":0.101', 33_667n],
  ['unknown minutes', MINUTE, { characters: 30, seconds: undefined, usage: undefined }, '"audio_seconds":2', 666_667n],
  ['tokens', TOKENS, { characters: 9, seconds: 1, usage: usage(7, 25) }, '"input":7,"audio_output":25', 608_400n],
  ['none', TOKENS, { characters: 9, seconds: 1, usage: usage(0, 0) }, '"input":0,"audio_output":0', 0n],
  ['no report', TOKENS, { characters: 9, seconds: 1.01, usage: undefined }, '"input":3,"audio_output":21', 507_600n],
])('what %s cost at twice the price, rounded up once', (_, price, spoken, units, cost) => {
  expect(speechRate(price, 2n * ONE).cost(spoken)).toMatchObject({ units, cost })
})
