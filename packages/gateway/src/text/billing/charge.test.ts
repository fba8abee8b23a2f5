// What each outcome costs.
import { expect, test } from 'bun:test'
import { finishOf } from '@trivium/protocol/canonical/finish.ts'
import type { Usage } from '@trivium/protocol/canonical/usage.ts'

import { formulaOf, recompute } from '../../money/prices/receipt.ts'
import { NO_OPTIONS, type PricedOptions, type TokenPrice } from '../../money/prices/token-price.ts'
import { tokenRate } from '../../money/prices/token-rate.ts'
import type { Outcome } from '../../paid-call/outcome.ts'
import { receiptOf as receiptText } from '../../paid-call/receipts/receipt.ts'
import type { TextCall } from '../text-call.ts'
import { chargeOf, learn, type Observed, receiptDetails, type TextCharge } from './charge.ts'
import { createStatistics, learnOutput } from './model-statistics.ts'

const price = { input: 1_000_000n, output: 4_000_000n, cachedInput: 500_000n, cacheWrite: 2_000_000n }

type Special = { price?: TokenPrice; cost?: TokenPrice; options?: PricedOptions; multiplier?: bigint }

type Call = Pick<TextCall, 'attempt' | 'hold' | 'failedAttempts' | 'firstOutputAt' | 'startedAt' | 'budgetsText'>

function callOf(billsOnAbort: 'nothing' | 'input' = 'nothing', special: Special = {}, warnings: string[] = []): Call {
  const rate = tokenRate(special.price ?? price, special.multiplier ?? 1_000_000n)
  const costRate = special.cost && tokenRate(special.cost, 1_000_000n)
  const attempt = {
    offer: { group: 'default', priceVersion: 'v1', rate },
    options: special.options ?? NO_OPTIONS,
    coverage: { expectedInput: 100 },
    candidate: { upstream: { billsOnAbort }, route: { model: 'inner' }, costRate },
    warnings,
  }
  return { attempt, startedAt: 0 } as unknown as Call
}

function receiptOf(call: Call, observed: Observed, charge: TextCharge): string {
  const { outcome, sawOutput } = observed
  const { upstreamCost } = charge
  const details = receiptDetails(observed, charge)
  return receiptText(call, { outcome, sawOutput, charges: [charge], upstreamCost, details }, 1)
}

const usage = (input: number | undefined, output: number | undefined, more: Partial<Usage> = {}): Usage => ({
  input,
  output,
  cachedInput: undefined,
  cacheWrite: undefined,
  reasoning: undefined,
  absurd: false,
  ...more,
})

const outcome = (outcome: Outcome, more: Partial<Observed> = {}): Observed => ({
  outcome,
  usage: undefined,
  outputBytes: 0,
  sawOutput: false,
  finish: undefined,
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
  ['client_disconnected before output', outcome('client_disconnected'), 0n],
  ['client_disconnected in mid-stream', outcome('client_disconnected', delivered), 500n],
  ['client_disconnected, reported', outcome('client_disconnected', { ...delivered, usage: usage(10, 20) }), 90n],
  ['shutdown after output', outcome('shutdown', delivered), 500n],
])('%s', (_, given, expected) => {
  expect(chargeOf(callOf(), given, createStatistics().of('a')).cost).toBe(expected)
})

test('an upstream that bills abandoned input: only then, and only the input', () => {
  const statistics = createStatistics().of('a')
  expect(chargeOf(callOf('input'), outcome('client_disconnected'), statistics).cost).toBe(100n)
  expect(chargeOf(callOf('input'), outcome('failed'), statistics).cost).toBe(0n)
})

/** One visible token in three bytes, and nine unseen for each of them. */
function reasoner() {
  const statistics = createStatistics().of('a')
  for (let times = 0; times < 50; times++) learnOutput(statistics, 3_000, 10_000, 9_000)
  return { ...statistics, outputTokensPerByte: 1 / 4 }
}
const stopped = outcome('client_disconnected', { ...delivered, outputBytes: 4_000, deliveredBytes: 400 })

test.each([
  ['what was delivered, not what came later, and the usual reasoning', stopped, 1_000_000n, 900],
  ['reported usage wins', { ...stopped, usage: usage(100, 20, { reasoning: 7 }) }, 1_000_000n, 0],
  ['no more of it than the hold covers', stopped, 600n, 25],
  ['none where the hold is used up', stopped, 500n, 0],
  ['none where the client stayed', outcome('cut', delivered), 1_000_000n, 0],
])('a client that disconnects pays for hidden reasoning: %s', (_, given, held, reasoning) => {
  const call = { ...callOf(), hold: { held } } as unknown as Call
  const charge = chargeOf(call, given, reasoner())
  expect([charge.assumedReasoning, charge.cost <= held]).toEqual([reasoning, true])
  const receipt = JSON.parse(receiptOf(call, given, charge))
  expect(recompute(receipt)).toBe(charge.cost)
  expect(receipt.units).toEqual({ input: 100, output: (given.usage?.output ?? 100) + reasoning })
  if (reasoning > 0)
    expect(receipt).toMatchObject({
      reasoning_tokens: reasoning,
      counted: expect.stringContaining('usual reasoning'),
    })
})

test('nothing is assumed of a model that nothing is known of', () => {
  const call = { ...callOf(), hold: { held: 1_000_000n } } as unknown as Call
  expect(chargeOf(call, stopped, createStatistics().of('a'))).toMatchObject({ assumedReasoning: 0, cost: 500n })
})

test('the receipt says how it was counted, at which price, and what was changed', () => {
  const statistics = createStatistics().of('a')
  const stopped = outcome('stopped_by_balance', delivered)
  const call = callOf('nothing', {}, ['max_tokens;lowered-to-balance'])
  expect(JSON.parse(receiptOf(call, stopped, chargeOf(call, stopped, statistics)))).toMatchObject({
    units: { input: 100, output: 100 },
    counted: 'usage was missing',
    price: { version: 'v1', input: '1000000', output: '4000000', multiplier_millionths: '1000000' },
    warnings: ['max_tokens;lowered-to-balance', 'output;stopped-by-balance'],
  })
  const absurd = outcome('completed', { ...delivered, usage: usage(undefined, 5, { absurd: true }) })
  expect(JSON.parse(receiptOf(callOf(), absurd, chargeOf(callOf(), absurd, statistics))).counted).toBe(
    'usage was absurd',
  )
})

test.each([
  [
    'names of the upstream',
    { finish: finishOf({ raw: 'f'.repeat(50_000), reason: 'end' }), usage: usage(1, 1, { tier: 't'.repeat(50_000) }) },
    [],
  ],
  ['warnings, also such as take six bytes each in JSON', {}, Array.from({ length: 64 }, () => '\u0001'.repeat(200))],
])('a receipt is at most 16 KiB, and can still be recomputed: %s', (_, more, warnings) => {
  const named = warnings.map((warning, index) => `${warning}${index};dropped`)
  const call = callOf('nothing', {}, named)
  const ended = outcome('completed', { ...delivered, usage: usage(10, 20), ...more })
  const charge = chargeOf(call, ended, createStatistics().of('a'))
  const text = receiptOf(call, ended, charge)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16 * 1024)
  const receipt = JSON.parse(text)
  expect(recompute(receipt)).toBe(charge.cost)
  for (const name of [receipt.finish, receipt.tier]) expect(Buffer.byteLength(name ?? '')).toBeLessThanOrEqual(200)
  if (warnings.length > 0) expect(receipt.warnings.at(-1)).toBe('warnings;cut')
})

const special: TokenPrice = {
  ...price,
  cacheWriteLong: 3_000_000n,
  reasoning: 6_000_000n,
  longContext: [{ above: 1_000, figures: { ...price, input: 2_000_000n } }],
  tiers: new Map([['priority', { multiplierMillionths: 2_000_000n }]]),
  tools: new Map([['web_search', 10_000_000n]]),
}
const priority: PricedOptions = { ...NO_OPTIONS, tier: 'priority' }

// [what, usage, options, the cost, what of the receipt]
const SPECIAL: [string, Usage, PricedOptions, bigint, { price?: object; [field: string]: unknown }][] = [
  [
    'units by the price that applies',
    usage(100, 20, { cachedInput: 10, cacheWrite: 30, cacheWriteLong: 20, reasoning: 5 }),
    NO_OPTIONS,
    60n + 5n + 20n + 60n + 60n + 30n,
    { units: { input: 60, cached_input: 10, cache_write: 10, cache_write_1h: 20, output: 15, reasoning: 5 } },
  ],
  ['a long context: all of it', usage(1_001, 0), NO_OPTIONS, 2_002n, { price: { long_context_above: 1_000 } }],
  ['not so long a context', usage(1_000, 0), NO_OPTIONS, 1_000n, { price: { input: '1000000' } }],
  ['the tier asked for', usage(10, 20), priority, 180n, { tier: 'priority' }],
  ['served at the usual tier', usage(10, 20, { tier: 'default' }), priority, 90n, { units: { input: 10 } }],
  [
    'served at a tier that was not requested',
    usage(10, 20, { tier: 'priority' }),
    NO_OPTIONS,
    180n,
    { tier: 'priority' },
  ],
  ['served at a tier without a price', usage(10, 20, { tier: 'scale' }), NO_OPTIONS, 90n, { tier: 'scale' }],
  [
    'the same, but one with a price was asked for',
    usage(10, 20, { tier: 'scale' }),
    priority,
    180n,
    { tier: 'priority' },
  ],
  [
    'calls of tools cost the same at every tier',
    usage(10, 20, { toolCalls: { web_search: 2, file_search: 9 } }),
    priority,
    180n + 20_000_000n,
    {
      tools: { web_search: 2 },
      price: { tools: { web_search: '10000000' }, tiers_millionths: { priority: '2000000' } },
    },
  ],
]

test.each(SPECIAL)('%s', (_, reported, options, cost, receipt) => {
  const call = callOf('nothing', { price: special, options })
  const completed = outcome('completed', { usage: reported })
  const charge = chargeOf(call, completed, createStatistics().of('a'))
  expect(charge.cost).toBe(cost)
  const written = JSON.parse(receiptOf(call, completed, charge))
  expect(written).toMatchObject({ ...receipt, price: { version: 'v1', ...receipt.price } })
  expect(recompute(written)).toBe(cost)
  expect(formulaOf(written)).toContain(' = ')
})

test('the usual tier is not on the receipt, and tokens without calls have no tools', () => {
  const call = callOf('nothing', { price: special })
  const completed = outcome('completed', { usage: usage(1, 1, { tier: 'standard' }) })
  const written = JSON.parse(receiptOf(call, completed, chargeOf(call, completed, createStatistics().of('a'))))
  for (const name of ['tier', 'tools', 'upstream_cost']) expect(written).not.toHaveProperty(name)
})

test('what the operator pays: what the upstream says, else the cost of the route, else unknown', () => {
  const cost = { ...price, input: 500_000n }
  const paid = (reported: Usage | undefined, at: TokenPrice | undefined) => {
    const call = callOf('nothing', at ? { cost: at } : {})
    const end = outcome(reported ? 'completed' : 'failed', { usage: reported })
    return JSON.parse(receiptOf(call, end, chargeOf(call, end, createStatistics().of('a')))).upstream_cost
  }
  expect(paid(usage(1_000, 0), cost)).toBe('0.0000005')
  expect(paid(usage(1_000, 0, { upstreamCost: '0.0123' }), cost)).toBe('0.0123')
  expect(paid(usage(1_000, 0, { upstreamCost: '0.00000000012' }), undefined)).toBe('0.000000001')
  expect(paid(usage(1_000, 0, { upstreamCost: 'nonsense' }), cost)).toBe('0.0000005')
  expect(paid(usage(1_000, 0), undefined)).toBeUndefined()
  expect(paid(undefined, cost)).toBeUndefined()
})

test.each<[what: string, outcome: Outcome, held: bigint, grows: boolean]>([
  ['costs more than was held at its end', 'completed', 89n, true],
  ['was extended to what it costs', 'completed', 90n, false],
  ['was stopped where its hold ended, one event too late', 'stopped_by_balance', 80n, false],
])('a request that %s: %s', (_, kind, held, grows) => {
  const call = callOf()
  const statistics = createStatistics().of('a')
  const { margin } = statistics
  const ended = outcome(kind, { ...delivered, usage: usage(10, 20) })
  learn({ plainBytes: 1_000, held }, ended, chargeOf(call, ended, statistics), statistics)
  expect(statistics.margin > margin).toBe(grows)
})
