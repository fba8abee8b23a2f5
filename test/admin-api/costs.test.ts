// What upstreams cost is told to those alone who may see it, whichever way others ask: every route that reads, as JSON and as a file.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { adminRoutes } from '../../packages/gateway/src/admin-api/routes.ts'
import type { GatewayRole } from '../../packages/gateway/src/storage/people/people.ts'
import { type AdminClient, adminClient, adminOutcome } from '../support/admin/admin-client.ts'
import { askStore, changeStore } from '../support/gateway/ask-store.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { operate } from '../support/gateway/operate.ts'

type Book = { id: string; balance_usd: string }

// No other figure has these digits: the cost of a route, what a model lost, what a test cost, and what a request cost.
const PLANTED = { route: '0.7391', loss: '0.7392', test: '0.7393', request: '0.7394' }
const CONFIG = 'sandbox: true'

let gateway: Gateway
let as: Record<'finance' | 'support' | 'viewer', AdminClient>
const secrets: Partial<Record<GatewayRole, string>> = {}
const ids: Record<string, string> = { model: 'loss', upstream: 'main', group: 'default', revision: '1' }

beforeAll(async () => {
  gateway = await startGateway({ config: CONFIG })
  const client = async (role: GatewayRole) => {
    const { secret } = await operate<{ secret: string }>(gateway, 'admin-key create', { name: role, role })
    secrets[role] = secret
    return adminClient(gateway.url, secret)
  }
  const owner = await client('owner')
  as = { finance: await client('finance'), support: await client('support'), viewer: await client('viewer') }
  const account = await operate<{ id: string }>(gateway, 'account create', { email: 'ada@example.com', credit: '5' })
  const key = await operate<{ id: string; secret: string }>(gateway, 'key create', { account: account.id, name: 'k' })
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await answer.text()
  Object.assign(ids, { account: account.id, key: key.id, request: answer.headers.get('x-request-id') ?? '' })
  const upstream = { id: 'main', dialect: 'chat', base_url: 'https://one.example.com/v1', keys: ['secret-of-main'] }
  const cost = { input: PLANTED.route, output: PLANTED.route }
  const model = { id: 'loss', routes: [{ upstream: 'main', cost }], price: { input: '0.1', output: '0.1' } }
  expect((await owner('POST', 'upstreams', { body: upstream })).status).toBe(201)
  expect((await owner('POST', 'models', { body: model })).status).toBe(201)
  const now = Date.now()
  const nanos = (usd: string) => String(BigInt(Math.round(Number(usd) * 10_000)) * 100_000n)
  await changeStore(
    gateway.home,
    `INSERT INTO alert (rule, object, value, since, fired_at) VALUES
     ('margin_negative', 'model loss', 'lost ${PLANTED.loss} USD within 24 hours', ${now}, ${now})`,
  )
  await changeStore(
    gateway.home,
    `INSERT INTO transfer (request, debit, credit, amount, at, reason) VALUES
     (NULL, -6, -1, ${nanos(PLANTED.test)}, ${now}, 'test of the upstream main')`,
  )
  await changeStore(gateway.home, `UPDATE request SET upstream_cost = ${nanos(PLANTED.request)}`)
})
afterAll(() => gateway.stop())

const READ = adminRoutes().filter(({ method }) => method === 'GET')
const pathOf = (path: string) => path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '1')

async function textsOf(role: keyof typeof as): Promise<string> {
  const headers = { authorization: `Bearer ${secrets[role]}` }
  const texts: string[] = []
  for (const { path, query } of READ)
    for (const format of Object.hasOwn(query.properties, 'format') ? ['', '?format=csv', '?format=jsonl'] : ['']) {
      const answer = await fetch(`${gateway.url}/admin/v1/${pathOf(path)}${format}`, { headers })
      texts.push(`${path}${format}: ${await answer.text()}`)
    }
  return texts.join('\n')
}

test('each cost is in some response to those who may see it, and in none to others', async () => {
  const seen = await textsOf('finance')
  expect(Object.values(PLANTED).filter((figure) => !seen.includes(figure))).toEqual([])
  for (const role of ['support', 'viewer'] as const) {
    const texts = await textsOf(role)
    expect([role, Object.values(PLANTED).filter((figure) => texts.includes(figure))]).toEqual([role, []])
    expect(texts).not.toContain('model loss')
  }
})

test.each([
  'models?problem=below_cost',
  'ledger/transfers?kind=test',
  'requests?unknown_cost=true',
  'usage?sort=-margin',
  'usage?sort=upstream_cost',
  'usage?sort=unknown_costs',
])('%s asks for costs', async (path) => {
  expect((await as.finance('GET', path)).status).toBe(200)
  for (const role of ['support', 'viewer'] as const)
    expect(adminOutcome(await as[role]('GET', path))).toBe('403 forbidden')
})

test('the accounts of the ledger add up to nothing for everyone, without what tests cost', async () => {
  for (const [role, hasTests] of [
    ['finance', true],
    ['viewer', false],
  ] as const) {
    const { data } = (await as[role]<{ data: Book[] }>('GET', 'ledger/accounts')).body
    expect(data.some(({ id }) => id === 'tests')).toBe(hasTests)
    const sum = data.reduce((all, { balance_usd }) => all + Math.round(Number(balance_usd) * 1e9), 0)
    expect([role, sum]).toEqual([role, 0])
  }
  const [row] = await askStore(gateway.home, 'SELECT count(*) AS count FROM transfer WHERE debit = -6')
  expect(row).toEqual({ count: 1 })
})
