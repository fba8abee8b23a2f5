// The tokenizer against the vocabulary itself, and against texts that are meant to keep it busy.
import { afterAll, describe, expect, test } from 'bun:test'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { hostileTexts, ORDINARY_TEXTS } from '../../test-support/texts.ts'
import { estimateTokens, lengthOf, sampleOf } from './estimate.ts'
import { createTokenizer, type TokenizerOptions } from './tokenizer.ts'

const reports: string[] = []
const open = (more: Partial<TokenizerOptions> = {}) =>
  createTokenizer({ clock: () => performance.now(), report: (message) => void reports.push(message), ...more })

const shared = open({ deadlineMs: 30_000 })
afterAll(() => {
  shared.close()
  expect(reports).toEqual([])
})

let accounts = 0n
/** An account that has not used the tokenizer yet. */
const newAccount = () => ++accounts

const MIB = 1024 * 1024

describe('ordinary text', () => {
  test.each(Object.keys(ORDINARY_TEXTS))('%s is counted as the vocabulary says, within 1 %', async (kind) => {
    const text = ORDINARY_TEXTS[kind] ?? ''
    const { tokens, isEstimate } = await shared.count(newAccount(), [text])
    expect(isEstimate).toBe(false)
    expect(Math.abs(tokens / countTokens(text) - 1)).toBeLessThan(0.01)
  })

  test('a long text, in many batches, within 1 %', async () => {
    const text = Object.values(ORDINARY_TEXTS).join('\n').repeat(8)
    expect(text.length).toBeGreaterThan(300_000)
    const { tokens, isEstimate } = await shared.count(newAccount(), [text])
    expect(isEstimate).toBe(false)
    expect(Math.abs(tokens / countTokens(text) - 1)).toBeLessThan(0.01)
  })

  test('names of special tokens are text', async () => {
    const { tokens } = await shared.count(newAccount(), ['<|endoftext|>', '<|im_start|>'])
    expect(tokens).toBeGreaterThan(6)
  })

  test('nothing, and many empty texts', async () => {
    expect(await shared.count(newAccount(), [])).toEqual({ tokens: 0, isEstimate: false })
    const texts = Array.from({ length: 5_000 }, (_, index) => (index % 2 === 0 ? '' : 'word'))
    expect(await shared.count(newAccount(), texts)).toEqual({ tokens: 2_500, isEstimate: false })
  })

  test('beyond 1 MiB a sample is tokenized, within 5 %', async () => {
    const unit = Object.values(ORDINARY_TEXTS).join('\n')
    const text = unit.repeat(Math.ceil((10 * MIB) / unit.length))
    const { tokens, isEstimate } = await shared.count(newAccount(), [text])
    expect(isEstimate).toBe(true)
    const whole = (countTokens(unit) * text.length) / unit.length
    expect(Math.abs(tokens / whole - 1)).toBeLessThan(0.05)
  })
})

describe('an estimate from characters alone', () => {
  test.each(Object.keys(ORDINARY_TEXTS))('%s: within 35 %', (kind) => {
    const text = ORDINARY_TEXTS[kind] ?? ''
    expect(Math.abs(estimateTokens([text]) / countTokens(text) - 1)).toBeLessThan(0.35)
  })

  test('looks at 64 Ki characters, however long the text', () => {
    const texts = ['x', 'word '.repeat(2 * MIB), '', ...Array.from({ length: 10_000 }, () => 'short')]
    const { texts: sample, scale } = sampleOf(texts)
    expect(lengthOf(sample)).toBeWithin(60_000, 66_000)
    expect(lengthOf(sample) * scale).toBeCloseTo(lengthOf(texts), 0)
  })
})

describe('hostile texts', () => {
  test.each(Object.keys(hostileTexts(1)))('200,000 characters of %s', async (kind) => {
    const text = hostileTexts(200_000)[kind] ?? ''
    const { tokens } = await shared.count(newAccount(), [text])
    expect(tokens).toBeWithin(1, 300_000)
  })

  test('10 MiB are estimated from a sample', async () => {
    for (const text of Object.values(hostileTexts((10 * MIB) / 4)).map((each) => each.repeat(4))) {
      expect(await shared.count(newAccount(), [text])).toMatchObject({ isEstimate: true })
    }
  })

  test('another account is served between the batches', async () => {
    const hostile = newAccount()
    const slow = Array.from({ length: 8 }, () => shared.count(hostile, [hostileTexts(400_000)['random letters'] ?? '']))
    let done = 0
    for (const each of slow) void each.then(() => done++)
    expect(await shared.count(newAccount(), ['Hello there.'])).toEqual({ tokens: 3, isEstimate: false })
    expect(done).toBe(0)
    await Promise.all(slow)
  })

  test('an account whose time is used up gets estimates at once, and has time again later', async () => {
    let now = 0
    const tokenizer = open({ clock: () => now, deadlineMs: 60_000 })
    const account = newAccount()
    const text = hostileTexts(900_000)['random letters'] ?? ''
    let isEstimate = false
    // Never the same text twice: the tokenizer remembers what it has seen.
    for (let shift = 0; shift < 20 && !isEstimate; shift++)
      isEstimate = (await tokenizer.count(account, [text.slice(shift) + text.slice(0, shift)])).isEstimate
    expect(isEstimate).toBe(true)
    expect(await tokenizer.count(account, ['Hello there.'])).toMatchObject({ isEstimate: true })
    expect(await tokenizer.count(newAccount(), ['Hello there.'])).toMatchObject({ isEstimate: false })
    now += 60_000
    expect(await tokenizer.count(account, ['Hello there.'])).toEqual({ tokens: 3, isEstimate: false })
    tokenizer.close()
  })

  test('an account has a bounded number of counts in the queue', async () => {
    const account = newAccount()
    const counts = await Promise.all(Array.from({ length: 50 }, () => shared.count(account, ['Hello there.'])))
    expect(counts.filter(({ isEstimate }) => !isEstimate)).toHaveLength(8)
    expect(counts.every(({ tokens }) => tokens > 0)).toBe(true)
  })
})

describe('the thread', () => {
  test('starts with the first count, ends when idle, and starts again', async () => {
    const tokenizer = open({ idleMs: 50, deadlineMs: 30_000 })
    expect(tokenizer.isRunning).toBe(false)
    for (let round = 0; round < 2; round++) {
      expect(await tokenizer.count(1n, ['Hello there.'])).toEqual({ tokens: 3, isEstimate: false })
      expect(tokenizer.isRunning).toBe(true)
      const end = performance.now() + 10_000
      while (tokenizer.isRunning && performance.now() < end) await Bun.sleep(10)
      expect(tokenizer.isRunning).toBe(false)
    }
  })

  test('a missed deadline is answered with an estimate', async () => {
    const tokenizer = open({ deadlineMs: 1 })
    const counted = await tokenizer.count(1n, ['Hello there, and good morning.'])
    expect(counted).toEqual({ tokens: expect.any(Number), isEstimate: true })
    expect(counted.tokens).toBeWithin(4, 12)
    tokenizer.close()
  })

  test('closing answers what is queued', async () => {
    const tokenizer = open()
    const counts = [tokenizer.count(1n, ['one']), tokenizer.count(2n, ['two'])]
    tokenizer.close()
    expect((await Promise.all(counts)).every(({ isEstimate }) => isEstimate)).toBe(true)
  })
})
