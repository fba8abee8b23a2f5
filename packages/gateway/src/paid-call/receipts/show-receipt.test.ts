import { describe, expect, test } from 'bun:test'
import { NANOS_PER_USD } from '../../money/amount.ts'
import { HELD, REAPED, SETTLED, VOIDED } from '../../money/ledger.ts'
import type { UsageRow } from '../../storage/storage.ts'
import { responseOf, showReceipt, summarize } from './show-receipt.ts'

const ROW: UsageRow = {
  request: (86_400_000n << 22n) | 5n,
  key: 3n,
  model: 'gpt-x',
  upstream: 'main',
  state: SETTLED,
  outcome: 'completed',
  held: 9_000_000n,
  heldAt: 0,
  tokens: 140,
  cost: 600_000n,
  shortfall: 0n,
  receipt: '',
  tags: [],
  endUser: '',
  session: '',
  budgets: [],
}
const PRICE = {
  version: 'v7',
  input: '2000000000',
  cached_input: '500000000',
  cache_write: '2500000000',
  output: '8000000000',
  multiplier_millionths: '1500000',
}
const STORED = {
  ids: { client: 'mine-1', upstream: 'theirs-1' },
  group: 'staff',
  upstream_model: 'vendor-model-4',
  configuration: { revision: 7, file: 'abcdef012345' },
  units: { input: 120, output: 20 },
  finish: 'stop',
  first_token_ms: 12,
  total_ms: 340,
  warnings: ['seed;dropped'],
  upstream_cost: '0.0003',
  price: PRICE,
}
const show = (row: Partial<UsageRow>, stored: unknown = STORED) =>
  showReceipt({ ...ROW, receipt: typeof stored === 'string' ? stored : JSON.stringify(stored), ...row }, 'caller')

test('a receipt has everything that its charge follows from', () => {
  expect(show({})).toEqual({
    request_id: 'req_0001499700000005',
    client_request_id: 'mine-1',
    at: '2024-01-02T00:00:00.000Z',
    key_id: '3',
    tags: [],
    end_user: null,
    session: null,
    budgets: [],
    model: 'gpt-x',
    group: 'staff',
    configuration: { revision: 7, file: 'abcdef012345' },
    attempts: [{ model: 'gpt-x', outcome: 'completed' }],
    state: 'settled',
    outcome: 'completed',
    finish: 'stop',
    error: null,
    units: { input: 120, output: 20 },
    reasoning_tokens: null,
    tools: null,
    tier: null,
    counted: null,
    price: {
      version: 'v7',
      usd_per_million_tokens: { input: '2.00', cached_input: '0.50', cache_write: '2.50', output: '8.00' },
      multiplier: '1.5',
    },
    formula: '(120 input x 2.00 + 20 output x 8.00) / 1,000,000 x 1.5 = 0.0006 USD',
    cost_usd: '0.0006',
    shortfall_usd: '0.00',
    held_usd: '0.009',
    timing: { first_token_ms: 12, total_ms: 340 },
    warnings: ['seed;dropped'],
  })
})

test('a failed request says why; only the operator, or callers who may know upstreams, see the id of the vendor', () => {
  const error = { code: 'upstream_error', status: 500, upstream_request_id: 'req_vendor' }
  const row = { ...ROW, receipt: JSON.stringify({ ...STORED, error }) }
  expect(showReceipt(row, 'caller').error).toEqual({ code: 'upstream_error', status: 500 })
  expect(showReceipt(row, 'caller', true).error).toEqual(error)
  expect(showReceipt(row, 'operator').error).toEqual(error)
  expect(show({}, { ...STORED, error: { code: 'upstream_error' } }).error).toEqual({
    code: 'upstream_error',
    status: null,
  })
})

/** Lists by status find the same rows: see the contract of stores. */
test.each<[string, string, object, number | null]>([
  ['a response', 'completed', {}, 200],
  ['its beginning, then an error', 'cut', { error: { code: 'upstream_error' }, first_token_ms: 5 }, 200],
  ['an error', 'failed', { error: { code: 'upstream_error' } }, 502],
  ['another one', 'timeout', { error: { code: 'upstream_timeout' } }, 504],
  ['nothing, since it disconnected', 'client_disconnected', { error: { code: 'upstream_error' } }, null],
  ['a task that failed later', 'expired', { error: { code: 'TaskExpired' } }, null],
])('what the client got: %s', (_, outcome, stored, status) => {
  const row = { ...ROW, outcome, receipt: JSON.stringify(stored) }
  expect([responseOf(row).status, summarize(row).status]).toEqual([status, status])
  expect(responseOf({ ...row, state: HELD }).status).toBeNull()
})

test('the message that the client got is kept for the operator alone', () => {
  const error = { code: 'upstream_error', message: 'The upstream failed.' }
  const row = { ...ROW, outcome: 'failed', receipt: JSON.stringify({ error }) }
  expect(responseOf(row)).toEqual({ status: 502, ...error })
  expect(JSON.stringify(showReceipt(row, 'caller', true))).not.toContain(error.message)
})

test('the operator also sees what is behind the model, what it cost there, and the receipt as it is stored', () => {
  const shown = showReceipt({ ...ROW, receipt: JSON.stringify(STORED) }, 'operator')
  expect(shown).toMatchObject({
    upstream: 'main',
    attempts: [{ upstream: 'main', model: 'gpt-x', outcome: 'completed', upstream_model: 'vendor-model-4' }],
    upstream_cost_usd: '0.0003',
    receipt: STORED,
  })
  const shownToCaller = JSON.stringify(show({}))
  for (const secret of ['vendor-model-4', 'main', '0.0003"', 'upstream_cost'])
    expect(shownToCaller).not.toContain(secret)
})

test('terms that only some prices have', () => {
  const { tools, tier, units, price } = show(
    {},
    {
      ...STORED,
      units: { input: 10, output: 5, reasoning: 3 },
      tools: { web_search: 2 },
      tier: 'priority',
      price: {
        version: 'v8',
        input: '1',
        output: '2',
        reasoning: '3',
        multiplier_millionths: '1000000',
        long_context_above: 200_000,
        tiers_millionths: { priority: '2000000' },
        tools: { web_search: '10000000' },
      },
    },
  )
  expect({ tools, tier, units }).toEqual({
    tools: { web_search: 2 },
    tier: 'priority',
    units: { input: 10, output: 5, reasoning: 3 },
  })
  expect(price).toEqual({
    version: 'v8',
    usd_per_million_tokens: { input: '0.000000001', output: '0.000000002', reasoning: '0.000000003' },
    usd_per_call: { web_search: '0.01' },
    long_context_above: 200_000,
    tiers: { priority: '2' },
    multiplier: '1',
  })
})

test('an old receipt shows its units under the current names', () => {
  const units = { input: 100, cachedInput: 20, cacheWrite: 0, output: 20 }
  const shown = show({}, { ...STORED, units })
  expect(shown.units).toEqual({ input: 100, cached_input: 20, cache_write: 0, output: 20 })
  expect(shown.formula).toContain('100 input x 2.00 + 20 cached input x 0.50 + 20 output x 8.00')
})

describe('requests that did not end well', () => {
  test('an open one says what is held', () => {
    expect(show({ state: HELD, outcome: '', cost: 0n }, '')).toMatchObject({
      state: 'open',
      outcome: 'running',
      held_usd: '0.009',
      cost_usd: '0.00',
      price: null,
      formula: null,
      units: null,
      timing: { first_token_ms: null, total_ms: null },
      warnings: [],
      attempts: [{ outcome: 'running' }],
    })
  })

  test.each<[string, Partial<UsageRow>, object]>([
    ['for nothing', { state: VOIDED, outcome: 'failed', cost: 0n }, { state: 'voided', cost_usd: '0.00' }],
    ['with its gateway', { state: REAPED, outcome: 'reaped', cost: 7n }, { state: 'reaped', cost_usd: '0.000000007' }],
    ['unpaid in part', { shortfall: NANOS_PER_USD }, { cost_usd: '0.0006', shortfall_usd: '1.00' }],
  ])('one that ended %s', (_, row, shown) => {
    expect(show(row, '')).toMatchObject({ formula: null, ...shown })
  })
})

test.each([
  ['not JSON', '{"units":'],
  ['no object', '7'],
  ['nothing in it', '{}'],
  ['units that are none', '{"units":1}'],
  ['a price that is none', JSON.stringify({ ...STORED, price: { version: 'v', input: 'expensive' } })],
])('a receipt that cannot be read hides nothing else: %s', (_, stored) => {
  expect(show({}, stored)).toMatchObject({ cost_usd: '0.0006', outcome: 'completed', price: null, formula: null })
  expect(() => showReceipt({ ...ROW, receipt: stored }, 'operator')).not.toThrow()
})
