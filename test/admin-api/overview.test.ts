// The overview and the search of the admin API, over a gateway that has answered requests, and responses that callers share.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type AdminClient, adminClient } from '../support/admin/admin-client.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { operate } from '../support/gateway/operate.ts'

type Figures = { requests: number; failed: number; error_share: number | null; charged_usd: string }
type Overview = {
  needs_you: { kind: string; about: string; page: string }[]
  figures: Figures
  week_before: Figures
  outcomes: { at: string; outcome: string; requests: number }[]
  ticks: { kind: string; id: string }[]
  upstreams: { id: string; state: string; requests: number; failed: number }[]
  top: { accounts: object[]; models: object[]; errors: { code: string; count: number }[] }
}

const CONFIG = `
sandbox: true
upstreams: [{ id: dead, dialect: chat, base_url: "http://127.0.0.1:9/v1", keys: [any], allow_private: true }]
models:
  - { id: gone, routes: [{ upstream: dead, model: x }], price: { input: 1, output: 1 } }
  - { id: unpriced, routes: [{ upstream: dead, model: y }] }
`

let gateway: Gateway
let owner: AdminClient
let viewer: AdminClient
let account = ''
let key = { id: '', secret: '' }
const requests: string[] = []

beforeAll(async () => {
  gateway = await startGateway({ config: CONFIG })
  const client = async (role: string) =>
    adminClient(
      gateway.url,
      (await operate<{ secret: string }>(gateway, 'admin-key create', { name: role, role })).secret,
    )
  ;[owner, viewer] = await Promise.all([client('owner'), client('viewer')])
  const made = { email: 'ada@example.com', credit_usd: '5' }
  account = (await operate<{ id: string }>(gateway, 'account create', made)).id
  key = await operate<typeof key>(gateway, 'key create', { account, name: 'laptop' })
  for (const model of ['sandbox-text', 'sandbox-text', 'gone']) {
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    })
    requests.push(answer.headers.get('x-request-id') ?? '')
    await answer.text()
  }
})
afterAll(() => gateway.stop())

test.each([
  '1h',
  '24h',
  '7d',
])('the overview of %s sums up requests, and names what needs an operator', async (range) => {
  const { status, body } = await owner<Overview>('GET', `overview?range=${range}`)
  expect(status).toBe(200)
  expect(body.figures).toMatchObject({ requests: 3, failed: 1, error_share: 1 / 3 })
  expect(body.figures).toHaveProperty('margin_usd')
  expect(Number(body.figures.charged_usd)).toBeGreaterThan(0)
  expect(body.week_before).toMatchObject({ requests: 0, failed: 0, error_share: null, charged_usd: '0.00' })
  expect(body.outcomes.map(({ outcome, requests }) => [outcome, requests]).toSorted()).toEqual([
    ['completed', 2],
    ['failed', 1],
  ])
  expect(body.upstreams.toSorted((one, other) => (one.id < other.id ? -1 : 1))).toMatchObject([
    { id: 'dead', state: 'degraded', requests: 1, failed: 1 },
    { id: 'sandbox', state: 'ready', requests: 2, failed: 0 },
  ])
  expect(body.top.accounts).toMatchObject([{ id: account, name: 'ada@example.com', requests: 3 }])
  expect(body.top.models).toMatchObject([
    { id: 'sandbox-text', requests: 2 },
    { id: 'gone', failed: 1 },
  ])
  expect(body.top.errors).toMatchObject([{ count: 1, rejected: 0 }])
  expect(body.needs_you).toContainEqual(
    expect.objectContaining({ kind: 'model_without_price', about: 'unpriced', page: 'models' }),
  )
  const seen = (await viewer<Overview>('GET', `overview?range=${range}`)).body
  expect(seen.figures.requests).toBe(3)
  for (const shown of [seen.figures, seen.week_before, ...seen.upstreams])
    expect(Object.keys(shown).filter((name) => /cost|margin/.test(name))).toEqual([])
})

test('a search finds what was pasted, and says where it is', async () => {
  const { codes } = (
    await owner<{ codes: { code: string }[] }>('POST', 'codes', { body: { amount_usd: '5', label: 'spring' } })
  ).body
  const code = codes[0]?.code ?? ''
  const found = async (q: string) => {
    const { status, body } = await viewer<{ data: { kind: string; id: string }[] }>(
      'GET',
      `search?q=${encodeURIComponent(q)}`,
    )
    expect([q, status]).toEqual([q, 200])
    return body.data.map(({ kind, id }) => `${kind} ${id}`)
  }
  for (const [q, expected] of [
    ['ada@example.com', `account ${account}`],
    [' ADA@example.com ', `account ${account}`],
    ['a@exam', `account ${account}`],
    [account, `account ${account}`],
    [key.secret.slice(-4), `key ${key.id}`],
    [key.secret, `key ${key.id}`],
    [requests[0] ?? '', `request ${requests[0]}`],
    ['sandbox-t', 'model sandbox-text'],
    ['DEAD', 'upstream dead'],
    [code.slice(-4), 'code spring'],
    [code, 'code spring'],
  ] as const)
    expect({ q, found: await found(q) }).toEqual({ q, found: expect.arrayContaining([expected]) })
  expect(await found('nothing like it')).toEqual([])
  expect(await found('   ')).toEqual([])
  expect((await viewer('GET', 'search')).status).toBe(400)
})

test('an unchanged response is 304; callers with other roles and inputs do not share, and a change is seen at once', async () => {
  for (const path of ['overview', 'requests?limit=1']) {
    const { headers } = await owner('GET', path)
    const again = await owner('GET', path, { headers: { 'if-none-match': headers.get('etag') ?? '' } })
    expect([path, again.status]).toEqual([path, 304])
  }
  const ids = async (path: string) =>
    (await owner<{ data: { id: string }[] }>('GET', path)).body.data.map(({ id }) => id)
  expect(await ids('requests?limit=1')).toEqual(requests.slice(-1))
  expect(await ids('requests?limit=2')).toEqual(requests.slice(-2).reverse())
  const [cost, none] = await Promise.all(
    [owner, viewer].map(async (client) => JSON.stringify((await client('GET', 'requests')).body)),
  )
  expect([cost?.includes('upstream_cost_usd'), none?.includes('upstream_cost_usd')]).toEqual([true, false])
  const mutedUntil = async () =>
    (await owner<{ data: { id: string; muted_until: string | null }[] }>('GET', 'alerts/rules')).body.data.find(
      ({ id }) => id === 'disk_full',
    )?.muted_until
  const until = '2099-01-31T12:00:00.000Z'
  expect(await mutedUntil()).toBeNull()
  expect((await owner('POST', 'alerts/mute', { body: { rule: 'disk_full', until } })).status).toBe(200)
  expect(await mutedUntil()).toBe(until)
  expect((await owner('POST', 'alerts/unmute', { body: { rule: 'disk_full' } })).status).toBe(200)
  expect(await mutedUntil()).toBeNull()
  expect((await owner('POST', 'alerts/unmute', { body: { rule: 'disk_full' } })).status).toBe(409)
})
