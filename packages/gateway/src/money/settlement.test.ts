// Limits on tokens per minute, from the side of a stream: it waits for room, and never ends for want of it.
import { expect, test } from 'bun:test'
import { openRequest } from '../../test-support/open-request.ts'
import type { Result } from './ledger.ts'

const done = (amount: bigint, tokens = Number(amount)): Result => ({ verdict: 'done', amount, tokens, change: 0n })
const full = (waitMs: number): Result => ({ verdict: 'key_tokens', amount: BigInt(waitMs), tokens: 0, change: 0n })
const open = () => openRequest({ held: 1_000n, tokens: 100 })

test('a step of tokens is asked for before they run out, for next to no money', () => {
  const request = open()
  request.output({ cost: 100n, step: 50n, tokens: 70, stepTokens: 40 }, 0)
  expect(request.does()).toEqual(['deliver'])
  request.output({ cost: 100n, step: 50n, tokens: 81, stepTokens: 40 }, 0)
  expect(request.does()).toEqual(['deliver', 'send'])
  expect(request.asked()).toMatchObject({
    pauseMs: 0,
    extend: { tokens: 40, amount: 40n, minimum: 20n, progress: 100n },
  })
  request.answer(done(40n), 1)
  request.output({ cost: 100n, step: 50n, tokens: 140, stepTokens: 0 }, 2)
  expect(request.does()).toEqual(['deliver'])
})

test('money and tokens are asked for together, and the least of both', () => {
  const request = open()
  request.output({ cost: 1_100n, step: 400n, tokens: 130, stepTokens: 40 }, 0)
  expect(request.asked().extend).toMatchObject({ tokens: 40, amount: 400n, minimum: 300n })
  // Less money than was asked for, and less tokens with it, but enough.
  request.answer(done(300n, 30), 0)
  expect(request.does()).toEqual(['deliver'])
})

test('who counts no tokens asks for none', () => {
  const request = open()
  request.output({ cost: 900n, step: 50n }, 0)
  expect(request.asked().extend).toMatchObject({ tokens: 0, amount: 50n, minimum: 1n })
})

test('output that a limit does not cover waits until the limit has room', () => {
  const request = open()
  request.output({ cost: 100n, step: 50n, tokens: 130, stepTokens: 40 }, 0)
  expect(request.does()).toEqual(['send'])
  expect(request.asked()).toMatchObject({ pauseMs: 0, extend: { tokens: 40, amount: 40n, minimum: 30n } })
  request.answer(full(1_500), 20)
  expect(request.asked()).toMatchObject({ pauseMs: 1_500, extend: { tokens: 40, minimum: 30n } })
  // Others were faster. So long a wait may be cut short by one that gives back what it did not use.
  request.answer(full(50_000), 1_520)
  expect(request.asked()).toMatchObject({ pauseMs: 2_000, extend: { tokens: 40, minimum: 30n } })
  request.answer(done(30n), 3_520)
  expect(request.does()).toEqual(['deliver'])
})

test('a step that was refused is not asked for again before there is room, and output that waits is asked for then', () => {
  const request = open()
  request.output({ cost: 100n, step: 50n, tokens: 90, stepTokens: 40 }, 0)
  request.answer(full(2_500), 0)
  expect(request.does()).toEqual([])
  request.output({ cost: 100n, step: 50n, tokens: 95, stepTokens: 40 }, 1_000)
  expect(request.does()).toEqual(['deliver'])
  request.output({ cost: 100n, step: 50n, tokens: 110, stepTokens: 40 }, 1_000)
  expect(request.does()).toEqual(['send'])
  expect(request.asked().pauseMs).toBe(1_500)
})

test('what is more than the limit itself is had in parts', () => {
  const request = open()
  request.output({ cost: 100n, step: 50n, tokens: 500, stepTokens: 0 }, 0)
  expect(request.asked().extend).toMatchObject({ tokens: 400, minimum: 400n })
  request.answer(full(60_000), 0)
  expect(request.asked()).toMatchObject({ pauseMs: 0, extend: { tokens: 200, minimum: 200n } })
  request.answer(done(200n), 0)
  expect(request.asked().extend.tokens).toBe(200)
  request.answer(full(1_000), 0)
  expect(request.asked()).toMatchObject({ pauseMs: 1_000, extend: { tokens: 200 } })
  request.answer(done(200n), 1_000)
  expect(request.does()).toEqual(['deliver'])
})

test('money that is refused ends it; tokens are still asked for where the money suffices', () => {
  const request = open()
  request.output({ cost: 600n, step: 50n, tokens: 10, stepTokens: 0 }, 0)
  request.answer({ verdict: 'no_balance', amount: 0n, tokens: 0, change: 0n }, 0)
  request.output({ cost: 900n, step: 50n, tokens: 120, stepTokens: 0 }, 0)
  expect(request.asked().extend).toMatchObject({ tokens: 20, amount: 20n })
  request.answer(done(20n), 0)
  expect(request.does()).toEqual(['deliver'])
  request.output({ cost: 1_021n, step: 50n, tokens: 120, stepTokens: 0 }, 0)
  expect(request.does()).toEqual(['stop'])
})

test('an account with nothing left still gets what costs nothing', () => {
  const request = open()
  request.output({ cost: 0n, step: 0n, tokens: 120, stepTokens: 40 }, 0)
  request.answer({ verdict: 'no_balance', amount: 0n, tokens: 0, change: 0n }, 0)
  expect(request.does()).toEqual(['deliver'])
})

test('a store that falls silent while output waits ends the stream', () => {
  const request = open()
  request.output({ cost: 100n, step: 50n, tokens: 130, stepTokens: 0 }, 0)
  request.answer(full(5_000), 0)
  request.silence(10_000)
  expect(request.does()).toEqual(['stop'])
})

test('more is held for a dearer upstream: as much as there is, but not below the least', () => {
  const request = open()
  request.raise(900n, 500n)
  expect(request.does()).toEqual(['deliver'])
  request.raise(3_000n, 1_500n)
  expect(request.asked().extend).toMatchObject({ amount: 2_000n, minimum: 500n, tokens: 0, progress: 0n, whole: true })
  request.answer(done(700n, 0), 0)
  expect(request.does()).toEqual(['deliver'])
  // What is held already may be enough.
  request.raise(3_000n, 1_500n)
  request.answer({ verdict: 'no_balance', amount: 0n, tokens: 0, change: 0n }, 0)
  expect(request.does()).toEqual(['deliver'])
})

test('a store that is silent has not said that there is no more: a dearer upstream is not asked for a part of it', () => {
  const request = open()
  request.raise(3_000n, 500n)
  request.silence(0)
  expect(request.does()).toEqual(['stop'])
  // Nor the next one, for which it is not asked again so soon; what is held already is enough for a third.
  request.raise(2_000n, 500n)
  expect(request.does()).toEqual(['stop'])
  request.raise(1_000n, 500n)
  expect(request.does()).toEqual(['deliver'])
})

test.each<Result>([
  { verdict: 'no_balance', amount: 0n, tokens: 0, change: 0n },
  full(30_000),
])('a dearer upstream that is refused is not asked, and the output of another one can still grow: %p', (refusal) => {
  const request = open()
  request.raise(3_000n, 3_000n)
  request.answer(refusal, 0)
  expect(request.does()).toEqual(['stop'])
  request.output({ cost: 900n, step: 400n }, 0)
  expect(request.does()).toEqual(['deliver', 'send'])
  expect(request.asked().extend).toMatchObject({ amount: 400n, progress: 900n })
  expect(request.asked().extend.whole).toBeUndefined()
})
