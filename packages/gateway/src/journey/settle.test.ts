// What each ending costs.
import { expect, test } from 'bun:test'
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import { rateText } from './catalogue.ts'
import { createLearned } from './learned.ts'
import type { Quote } from './reserve.ts'
import { chargeOf, type Ending, type Outcome, receiptOf } from './settle.ts'

const price = { input: 1_000_000n, output: 4_000_000n, cachedInput: 500_000n, cacheWrite: 2_000_000n }

function quoteOf(billsOnAbort: 'nothing' | 'input' = 'nothing'): Quote {
  const rate = { price, multiplierMillionths: 1_000_000n }
  return {
    rate,
    expectedInput: 100,
    candidate: { upstream: { billsOnAbort }, route: { model: 'inner' } },
    offer: { group: 'default', rateText: rateText({ priceVersion: 'v1' }, rate) },
    warnings: [],
  } as unknown as Quote
}

const usage = (input: number | undefined, output: number | undefined, more: Partial<Usage> = {}): Usage => ({
  ...{ input, output, cachedInput: undefined, cacheWrite: undefined, reasoning: undefined, absurd: false, ...more },
})

const outcome = (ending: Ending, more: Partial<Outcome> = {}): Outcome => ({
  ...{
    ending,
    usage: undefined,
    outputBytes: 0,
    sawOutput: false,
    finish: undefined,
    firstTokenMs: undefined,
    totalMs: 1,
  },
  ...more,
})

const delivered = { sawOutput: true, outputBytes: 400 }

test.each([
  ['completed, reported', outcome('completed', { ...delivered, usage: usage(10, 20) }), 90n],
  ['completed, an explicit zero', outcome('completed', { ...delivered, usage: usage(0, 0) }), 0n],
  [
    'completed, cached and written',
    outcome('completed', { usage: usage(100, 0, { cachedInput: 60, cacheWrite: 20 }) }),
    90n,
  ],
  ['completed, nothing reported', outcome('completed', delivered), 500n],
  ['completed, only the output reported', outcome('completed', { ...delivered, usage: usage(undefined, 20) }), 180n],
  ['completed, only the input reported', outcome('completed', { ...delivered, usage: usage(10, undefined) }), 410n],
  [
    'completed, absurd',
    outcome('completed', { ...delivered, usage: usage(undefined, undefined, { absurd: true }) }),
    500n,
  ],
  ['incomplete', outcome('incomplete', { ...delivered, usage: usage(10, 20) }), 90n],
  ['content_filtered', outcome('content_filtered', { usage: usage(10, 0) }), 10n],
  ['stopped_by_balance', outcome('stopped_by_balance', delivered), 500n],
  ['failed before output', outcome('failed'), 0n],
  ['failed after output', outcome('failed', delivered), 500n],
  ['cut before output', outcome('cut'), 0n],
  ['cut after output', outcome('cut', delivered), 500n],
  ['timeout before output', outcome('timeout'), 0n],
  ['timeout after output, reported', outcome('timeout', { ...delivered, usage: usage(10, 20) }), 90n],
  ['client_gone before output', outcome('client_gone'), 0n],
  ['client_gone in mid-stream', outcome('client_gone', delivered), 500n],
  ['client_gone, reported', outcome('client_gone', { ...delivered, usage: usage(10, 20) }), 90n],
  ['shutdown after output', outcome('shutdown', delivered), 500n],
])('%s', (_, given, expected) => {
  expect(chargeOf(quoteOf(), given, createLearned().of('a')).cost).toBe(expected)
})

test('an upstream that bills abandoned input: only then, and only the input', () => {
  const statistics = createLearned().of('a')
  expect(chargeOf(quoteOf('input'), outcome('client_gone'), statistics).cost).toBe(100n)
  expect(chargeOf(quoteOf('input'), outcome('failed'), statistics).cost).toBe(0n)
})

test('the receipt says how it was counted, at which price, and what was changed', () => {
  const statistics = createLearned().of('a')
  const stopped = outcome('stopped_by_balance', delivered)
  const quote = { ...quoteOf(), warnings: ['max_tokens;lowered-to-balance'] }
  expect(JSON.parse(receiptOf(quote, stopped, chargeOf(quote, stopped, statistics)))).toMatchObject({
    units: { input: 100, cachedInput: 0, cacheWrite: 0, output: 100 },
    counted: 'usage was missing',
    price: { version: 'v1', input: '1000000', output: '4000000', multiplier_millionths: '1000000' },
    warnings: ['max_tokens;lowered-to-balance', 'output;stopped-by-balance'],
  })
  const absurd = outcome('completed', { ...delivered, usage: usage(undefined, 5, { absurd: true }) })
  expect(JSON.parse(receiptOf(quoteOf(), absurd, chargeOf(quoteOf(), absurd, statistics))).counted).toBe(
    'usage was absurd',
  )
})
