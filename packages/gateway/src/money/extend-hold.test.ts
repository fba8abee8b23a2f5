// When a running request asks for more, and for how much: at each limit, on both sides of it.
import { expect, test } from 'bun:test'
import { type Granted, openRequest } from '../../test-support/open-request.ts'
import type { Result } from './ledger.ts'

const done = (amount: bigint, tokens = 0): Result => ({ verdict: 'done', amount, tokens, change: 0n })
const rejected = (verdict: Result['verdict'], amount = 0n): Result => ({ verdict, amount, tokens: 0, change: 0n })
const open = (granted: Granted = { held: 1_000n, tokens: 100 }) => openRequest(granted)

test('output that is just covered is delivered, in money and in tokens', () => {
  const request = open()
  request.output({ cost: 1_000n, step: 0n, tokens: 100 }, 0)
  expect(request.does()).toEqual(['deliver'])
})

test('a caller without a limit of tokens is granted none and needs none', () => {
  const request = open({ held: 1_000n, tokens: 0 })
  request.output({ cost: 400n, step: 0n }, 0)
  expect(request.does()).toEqual(['deliver'])
  request.raise(900n, 500n)
  expect(request.does()).toEqual(['deliver'])
})

test('one nano-dollar beyond the hold is asked for, and nothing is delivered before', () => {
  const request = open()
  request.output({ cost: 1_001n, step: 0n }, 0)
  expect(request.does()).toEqual(['send'])
  expect(request.asked().extend).toMatchObject({ known: 1_000n, amount: 1n, minimum: 1n })
  request.answer(done(1n), 0)
  expect(request.does()).toEqual(['deliver'])
})

test('the next step is asked for once more than half of the hold is used', () => {
  const request = open()
  request.output({ cost: 500n, step: 1n }, 0)
  expect(request.does()).toEqual(['deliver'])
  request.output({ cost: 501n, step: 1n }, 0)
  expect(request.does()).toEqual(['deliver', 'send'])
  expect(request.asked()).toMatchObject({ pauseMs: 0, extend: { amount: 1n, minimum: 1n } })
})

test('one extension at a time', () => {
  const request = open()
  request.output({ cost: 600n, step: 100n }, 0)
  request.output({ cost: 700n, step: 100n }, 0)
  expect(request.does()).toEqual(['deliver'])
  request.output({ cost: 1_050n, step: 100n }, 0)
  expect(request.does()).toEqual([])
  // What was asked for in advance is enough.
  request.answer(done(100n), 0)
  expect(request.does()).toEqual(['deliver'])
})

test('what the store granted is progress only once it is delivered, and the next extension reports it', () => {
  const request = open()
  request.output({ cost: 1_050n, step: 0n }, 0)
  expect(request.asked().extend.progress).toBe(0n)
  request.answer(done(50n), 0)
  request.output({ cost: 1_060n, step: 0n }, 0)
  expect(request.asked().extend.progress).toBe(1_050n)
})

test('money in advance does not ask for tokens that are not short', () => {
  const request = open()
  request.output({ cost: 600n, step: 100n, tokens: 10, stepTokens: 40 }, 0)
  expect(request.asked().extend).toMatchObject({ amount: 100n, tokens: 0 })
})

test('of an odd step of tokens, more than half is the least', () => {
  const request = open()
  request.output({ cost: 0n, step: 0n, tokens: 90, stepTokens: 41 }, 0)
  expect(request.asked().extend).toMatchObject({ tokens: 41, amount: 41n, minimum: 21n })
})

test('tokens are asked for in advance again from the moment on at which the limit has room', () => {
  const at = 100_000
  for (const [now, does] of [
    [at + 2_499, ['deliver']],
    [at + 2_500, ['deliver', 'send']],
  ] as const) {
    const request = open()
    request.output({ cost: 100n, step: 0n, tokens: 90, stepTokens: 40 }, at)
    request.answer(rejected('key_tokens', 2_500n), at)
    request.output({ cost: 100n, step: 0n, tokens: 95, stepTokens: 40 }, now)
    expect(request.does()).toEqual([...does])
  }
})

test('a limit of tokens without room does not delay money in advance, nor output that needs no tokens', () => {
  const request = open()
  request.output({ cost: 100n, step: 0n, tokens: 90, stepTokens: 40 }, 0)
  request.answer(rejected('key_tokens', 5_000n), 0)
  request.output({ cost: 600n, step: 100n, tokens: 100, stepTokens: 40 }, 10)
  expect(request.does()).toEqual(['deliver', 'send'])
  expect(request.asked()).toMatchObject({ pauseMs: 0, extend: { amount: 100n, tokens: 0 } })
})

test('a wait below a minute is waited for; a whole minute means that less may fit sooner', () => {
  const at = 100_000
  for (const [waitMs, tokens] of [
    [59_999n, 40],
    [60_000n, 20],
  ] as const) {
    const request = open()
    request.output({ cost: 0n, step: 0n, tokens: 140 }, at)
    request.answer(rejected('account_tokens', waitMs), at)
    expect(request.asked().extend.tokens).toBe(tokens)
  }
})

test('halves of what does not fit are rounded up, down to a single token', () => {
  const request = open()
  request.output({ cost: 0n, step: 0n, tokens: 103 }, 0)
  request.answer(rejected('key_tokens', 60_000n), 0)
  expect(request.asked()).toMatchObject({ pauseMs: 0, extend: { tokens: 2, minimum: 2n } })
  request.answer(rejected('key_tokens', 60_000n), 0)
  expect(request.asked()).toMatchObject({ pauseMs: 0, extend: { tokens: 1, minimum: 1n } })
  // There is no half of one: it waits.
  request.answer(rejected('key_tokens', 60_000n), 0)
  expect(request.asked()).toMatchObject({ pauseMs: 2_000, extend: { tokens: 1 } })
})

test('an extension whose first response was lost grants the tokens that it asked for', () => {
  const request = open()
  request.output({ cost: 0n, step: 0n, tokens: 140 }, 0)
  request.answer({ verdict: 'repeated', amount: 40n, tokens: 0, change: 0n }, 0)
  expect(request.does()).toEqual(['deliver'])
})

test('what the store granted in tokens counts, not what was asked for', () => {
  const request = open()
  request.output({ cost: 1_100n, step: 400n, tokens: 110, stepTokens: 40 }, 0)
  request.answer(done(200n, 20), 0)
  expect(request.does()).toEqual(['deliver'])
  request.output({ cost: 1_100n, step: 0n, tokens: 121 }, 0)
  expect(request.asked().extend).toMatchObject({ tokens: 1 })
})

test('after money was refused, tokens are still asked for where the hold is used up to the last nano-dollar', () => {
  const request = open()
  request.output({ cost: 600n, step: 500n, tokens: 10 }, 0)
  request.answer(rejected('no_balance'), 0)
  request.output({ cost: 1_000n, step: 500n, tokens: 120 }, 0)
  expect(request.asked().extend).toMatchObject({ tokens: 20, amount: 20n })
  // The nano-dollars of its tokens are missing, but what it costs is covered.
  request.answer(rejected('no_balance'), 0)
  expect(request.does()).toEqual(['deliver'])
})

test('a store that does not answer is asked again a second later, and not before', () => {
  for (const [now, does] of [
    [999, ['deliver']],
    [1_000, ['deliver', 'send']],
  ] as const) {
    const request = open()
    request.output({ cost: 600n, step: 100n }, 0)
    request.silence(0)
    // What was asked for in advance is not missing yet.
    expect(request.does()).toEqual([])
    request.output({ cost: 700n, step: 100n }, now)
    expect(request.does()).toEqual([...does])
  }
})

test('more for a dearer upstream is asked for again a second after a silence', () => {
  for (const [now, does] of [
    [999, ['stop']],
    [1_000, ['send']],
  ] as const) {
    const request = open()
    request.raise(3_000n, 500n)
    request.silence(0)
    request.raise(3_000n, 500n, now)
    expect(request.does()).toEqual([...does])
  }
})

test('for a dearer upstream whose least is covered, at least one nano-dollar more is asked for, at once', () => {
  const request = open()
  request.raise(3_000n, 1_000n)
  expect(request.asked()).toMatchObject({ pauseMs: 0, extend: { amount: 2_000n, minimum: 1n, tokens: 0 } })
})

test('responses that are too late, to a hold or an end, change nothing', () => {
  const request = open()
  request.output({ cost: 1_050n, step: 0n }, 0)
  request.hear({ event: 'response', verb: 'finish', result: done(500n) })
  expect(request.does()).toEqual([])
  request.hear({ event: 'no-response', verb: 'finish' })
  expect(request.does()).toEqual([])
  request.hear({ event: 'response', verb: 'hold', result: done(500n), mayDispatch: true })
  expect(request.does()).toEqual([])
  request.answer(done(50n), 0)
  expect(request.does()).toEqual(['deliver'])
})
