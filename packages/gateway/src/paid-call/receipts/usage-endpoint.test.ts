// GET /v1/usage as the app routes it, on books of the test's own.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { testRequest } from '../../../../http/test-support/serve.ts'
import { createTestDependencies, TEST_CALLER } from '../../../test-support/dependencies.ts'
import { createApp } from '../../app.ts'
import { NANOS_PER_USD } from '../../money/amount.ts'
import { NO_LIMITS } from '../../money/limits.ts'
import { type Account, type Key, NO_RESTRICTIONS, type UsageRow } from '../../storage/storage.ts'

const NOW = Date.UTC(2026, 1, 25, 13)
const USD = NANOS_PER_USD

const ACCOUNT: Account = {
  id: 1n,
  name: 'ada@example.com',
  balance: 10n * USD,
  held: 3n * USD,
  creditLine: 0n,
  cap: undefined,
  capPeriod: undefined,
  spentUnderCap: 0n,
  disabled: false,
  createdAt: 0,
  limits: { ...NO_LIMITS, requestsPerMinute: 60 },
  spentToday: 2n * USD,
  spentThisMonth: 5n * USD,
  deletedAt: undefined,
}
const KEY: Key = {
  id: 1n,
  account: 1n,
  person: undefined,
  name: 'laptop',
  group: 'default',
  deleted: false,
  expiresAt: undefined,
  createdAt: 0,
  cap: undefined,
  capPeriod: undefined,
  limits: NO_LIMITS,
  restrictions: NO_RESTRICTIONS,
  held: USD,
  tags: [],
  areTagsLocked: false,
  lastFour: '',
  purpose: 'client',
  madeBy: 'console',
  ceiling: {},
  operator: undefined,
  ownSince: undefined,
  revision: 0,
  formerUntil: undefined,
  spent: 4n * USD,
  spentUnderCap: 4n * USD,
  spentToday: USD,
  spentThisMonth: 3n * USD,
}
const row = (request: bigint): UsageRow => ({
  request,
  key: 1n,
  model: 'same',
  upstream: 'own',
  state: 1,
  outcome: 'completed',
  held: 5n,
  heldAt: 0,
  tokens: 3,
  cost: request,
  shortfall: 0n,
  receipt: '{}',
  tags: [],
  endUser: '',
  session: '',
  budgets: [],
})

let key: Key | undefined
let rows: UsageRow[]
let asked: unknown[]
const { deps } = createTestDependencies({ send: () => Promise.reject(new Error('no upstream is called')) })
afterAll(() => deps.ticker.stop())
deps.clock = () => NOW
deps.store.keys.findWithAccount = async (id) => {
  asked.push(['standing', id])
  return key && { account: ACCOUNT, key }
}
deps.store.spending.requests = async (account, { before }, limit) => {
  asked.push(['usage', account, limit, before])
  const page = rows.slice(0, limit)
  return { rows: page, next: rows.length > limit ? page.at(-1)?.request : undefined }
}
deps.store.ledger.findRequest = async (account, id) => {
  asked.push(['find', account, id])
  return rows.find(({ request }) => request === id)
}
const secrets: string[] = []
deps.callers.find = (secret) => {
  secrets.push(secret)
  return TEST_CALLER
}
const app = createApp(deps, { ready: () => true, accepting: () => true })

beforeEach(() => {
  key = KEY
  rows = [3n, 2n, 1n].map(row)
  asked = []
  secrets.length = 0
})

type Body = Record<string, unknown> & { key: unknown; requests: { request_id: string }[]; error: { code: string } }
async function get(path: string, headers: Record<string, string> = { authorization: 'Bearer sk-one' }) {
  const answer = await app(testRequest(path, headers))
  return { status: answer.status, headers: answer.headers, body: JSON.parse(String(answer.body)) as Body }
}

test('a page ends early when its receipts are large, and the next one continues after it', async () => {
  const receipt = JSON.stringify({ warnings: ['x'.repeat(16_000)] })
  rows = Array.from({ length: 100 }, (_, index) => ({ ...row(BigInt(100 - index)), receipt }))
  const { body } = await get('/v1/usage?limit=100')
  expect(body.has_more).toBe(true)
  expect(body.requests.length).toBeGreaterThan(0)
  expect(body.requests.length).toBeLessThan(40)
  rows = rows.slice(0, 1).map((one) => ({ ...one, receipt: JSON.stringify({ warnings: ['x'.repeat(2_000_000)] }) }))
  expect((await get('/v1/usage')).body.requests).toHaveLength(1)
})

test('the balance, the sums of the account and the key, and the newest receipts', async () => {
  const { status, headers, body } = await get('/v1/usage')
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toContain('no-store')
  expect(body).toMatchObject({
    object: 'usage',
    balance_usd: '10.00',
    held_usd: '3.00',
    available_usd: '7.00',
    has_more: false,
    account: {
      spent_today_usd: '2.00',
      spent_this_month_usd: '5.00',
      limits: { rpm: 60, tpm: null, concurrent: null },
    },
  })
  expect(body.key).toEqual({
    id: '1',
    name: 'laptop',
    group: 'default',
    expires_at: null,
    models: null,
    cap_usd: null,
    cap_period: null,
    cap_resets_at: null,
    cap_left_usd: null,
    spent_usd: '4.00',
    held_usd: '1.00',
    spent_today_usd: '1.00',
    spent_this_month_usd: '3.00',
    limits: { rpm: null, tpm: null, concurrent: null },
  })
  expect(body.requests).toMatchObject(
    [3, 2, 1].map((id) => ({ request_id: `req_000000000000000${id}`, outcome: 'completed' })),
  )
  expect(asked).toEqual([
    ['standing', 1n],
    ['usage', 1n, 20, undefined],
  ])
})

test.each([
  [false, undefined],
  [true, 'own'],
])('upstreams are named to callers only where the operator wants it: %p', async (showUpstreams, named) => {
  const catalogue = deps.catalogue()
  const { server } = catalogue.config
  const usual = deps.catalogue
  deps.catalogue = () => ({ ...catalogue, config: { ...catalogue.config, server: { ...server, showUpstreams } } })
  rows = [
    {
      ...row(1n),
      receipt: JSON.stringify({ attempts: [{ upstream: 'own', model: 'same', outcome: '503' }], upstream: 'own' }),
    },
  ]
  const one: Record<string, unknown> = (await get('/v1/usage/req_0000000000000001')).body
  const [listed] = (await get('/v1/usage')).body.requests
  deps.catalogue = usual
  expect(one).toEqual({ ...listed })
  expect([one.upstream, one.attempts]).toEqual([
    named,
    ['503', 'completed'].map((outcome) => ({ ...(named ? { upstream: named } : {}), model: 'same', outcome })),
  ])
})

test.each([
  ['day', '2026-02-26T00:00:00.000Z'],
  ['week', '2026-03-02T00:00:00.000Z'],
  ['month', '2026-03-01T00:00:00.000Z'],
  [undefined, null],
] as const)('a cap by the %s renews at %s', async (capPeriod, renews) => {
  key = { ...KEY, cap: 6n * USD, capPeriod, spentUnderCap: 2n * USD, expiresAt: NOW }
  expect((await get('/v1/usage')).body.key).toMatchObject({
    cap_usd: '6.00',
    cap_period: capPeriod ?? null,
    cap_resets_at: renews,
    cap_left_usd: '3.00',
    expires_at: '2026-02-25T13:00:00.000Z',
  })
})

test('a cap that was lowered below what is spent has nothing left', async () => {
  key = { ...KEY, cap: USD }
  expect((await get('/v1/usage')).body.key).toMatchObject({ cap_left_usd: '0.00' })
})

test('pages follow one another', async () => {
  const first = await get('/v1/usage?limit=2')
  expect(first.body.requests.map(({ request_id: id }) => id)).toEqual(['req_0000000000000003', 'req_0000000000000002'])
  expect(first.body.has_more).toBe(true)
  await get('/v1/usage?limit=100&before=req_0000000000000002')
  expect(asked.at(-1)).toEqual(['usage', 1n, 100, 2n])
})

test.each([
  'limit=0',
  'limit=101',
  'limit=-1',
  'limit=2.5',
  'limit=x',
  'limit=',
  'limit=1e1',
  'limit=010',
  'before=3',
  'before=',
])('?%s is rejected', async (query) => {
  const { status, body } = await get(`/v1/usage?${query}`)
  expect([status, body.error]).toMatchObject([400, { param: query.split('=')[0] }])
  expect(asked).toEqual([])
})

test('one receipt by its id', async () => {
  const { status, body } = await get('/v1/usage/req_0000000000000002')
  expect([status, body]).toMatchObject([200, { request_id: 'req_0000000000000002', cost_usd: '0.000000002' }])
  expect(asked).toEqual([['find', 1n, 2n]])
})

describe('what is not there', () => {
  test.each([
    ['an unknown request, or one of another account', 'req_0000000000000009', 404],
    ['no id', 'chatcmpl-1', 400],
    ['too short', 'req_1', 400],
    ['beyond 63 bits', 'req_ffffffffffffffff', 400],
    ['capitals', 'req_000000000000000A', 400],
    ['a path', 'req_0000000000000001/more', 400],
    ['a percent sign', '%', 400],
  ])('%s', async (_, id, status) => {
    expect((await get(`/v1/usage/${id}`)).status).toBe(status)
  })

  test('is an error in the caller’s dialect', async () => {
    const path = '/v1/usage/req_0000000000000009'
    expect((await get(path)).body).toMatchObject({ error: { code: 'not_found', type: 'invalid_request_error' } })
    const messages = { 'x-api-key': 'sk-one', 'anthropic-version': '2023-06-01' }
    expect((await get(path, messages)).body).toMatchObject({ type: 'error', error: { type: 'not_found_error' } })
  })

  test('a key that was deleted meanwhile', async () => {
    key = undefined
    expect((await get('/v1/usage')).status).toBe(401)
  })
})

test.each<[string, string, Record<string, string>]>([
  ['a bearer', '', { authorization: 'Bearer sk-one' }],
  ['x-api-key', '', { 'x-api-key': 'sk-one' }],
  ['x-goog-api-key', '', { 'x-goog-api-key': 'sk-one' }],
  ['x-gen-api-key', '', { 'x-gen-api-key': 'sk-one' }],
  ['the query', '?key=sk-one', {}],
])('the key may come as %s', async (_, query, headers) => {
  expect((await get(`/v1/usage${query}`, headers)).status).toBe(200)
  expect((await get(`/v1/usage/req_0000000000000001${query}`, headers)).status).toBe(200)
  expect(secrets).toEqual(['sk-one', 'sk-one'])
})

test('without a key the ledger is not read, and the parameters are not checked', async () => {
  for (const path of ['/v1/usage', '/v1/usage?limit=x', '/v1/usage/req_0000000000000001', '/v1/usage/x'])
    expect((await get(path, {})).status).toBe(401)
  expect(asked).toEqual([])
})

test('other methods get 405 with the allowed ones', async () => {
  expect((await app(testRequest('/v1/usage', {}, '{}'))).status).toBe(405)
})
