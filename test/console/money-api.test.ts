// Usage, models and wallet of the console API, on both engines: every figure is the ledger's, exact to the last digit.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type {
  ModelRow,
  Page,
  RequestPage,
  Statement,
  UsageSeries,
  Wallet,
  WalletEntry,
} from '../../packages/gateway/src/console-api/types.ts'
import { formatUsd, parseUsd } from '../../packages/gateway/src/money/amount.ts'
import { eventually } from '../support/eventually.ts'
import { type ConsoleClient, consoleClient, outcomeOf, PASSWORD } from '../support/gateway/console.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'

const CONFIG = `
sandbox: true
models:
  - { id: gpt-x, routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 2, output: 8 }, limits: { context: 1000 } }
groups:
  - { id: default, models: ["*"] }
  - { id: batch, models: [gpt-x], multiplier: 0.5, console: true }
  - { id: staff, models: [gpt-x], multiplier: 0.1, accounts: [staff@example.com] }
  - { id: hidden, models: ["*"], multiplier: 0 }
`
const sum = (amounts: readonly string[]): string =>
  formatUsd(amounts.reduce((total, usd) => total + (parseUsd(usd) ?? 0n), 0n))

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  let stranger: ConsoleClient
  beforeAll(async () => {
    gateway = await startGateway({ engine, config: CONFIG })
    stranger = await person('stranger')
  })
  afterAll(() => gateway.stop())

  async function person(name: string, credit = '10'): Promise<ConsoleClient> {
    const email = `${name}@example.com`
    await gateway.command('account', 'create', '--email', email, '--password', PASSWORD, '--credit', credit)
    const client = consoleClient(gateway.url)
    expect(outcomeOf(await client.post('sign-in', { email, password: PASSWORD }))).toBe('200')
    return client
  }
  async function newKey(client: ConsoleClient, name: string): Promise<{ id: string; secret: string }> {
    const { body } = await client.post<{ key: { id: string }; secret: string }>('keys', { name })
    return { id: body.key.id, secret: body.secret }
  }
  async function ask(secret: string, model: string): Promise<string> {
    const response = await chat(gateway.url, secret, { model, messages: [{ role: 'user', content: 'Hello' }] })
    expect(response.status).toBe(200)
    await response.text()
    return response.headers.get('x-request-id') ?? ''
  }
  const wide = `from=${new Date(Date.now() - 86_400_000).toISOString()}&to=${new Date(Date.now() + 86_400_000).toISOString()}`

  test('usage by model and by key, requests by every filter, and all of it as CSV', async () => {
    const client = await person('analyst')
    const [one, two] = [await newKey(client, 'one'), await newKey(client, '=two')]
    const ids = [await ask(one.secret, 'sandbox-text'), await ask(one.secret, 'gpt-x'), await ask(two.secret, 'gpt-x')]
    const series = async (query: string) => (await client.get<UsageSeries>(`usage?${wide}&step=day&${query}`)).body
    await eventually(async () => (await series('')).total.requests === 3)
    const { items } = (await client.get<RequestPage>(`requests?${wide}`)).body
    expect(items.map(({ request_id }) => request_id)).toEqual(ids.toReversed())
    const spent = sum(items.map(({ cost_usd }) => cost_usd))
    for (const by of ['none', 'model', 'key']) {
      const { total, points } = await series(`by=${by}`)
      expect([total.cost_usd, total.requests]).toEqual([spent, 3])
      expect(sum(points.map(({ cost_usd }) => cost_usd))).toBe(spent)
    }
    const labels = async (by: string) =>
      [...new Set((await series(`by=${by}`)).points.map(({ label }) => label))].sort()
    expect(await labels('model')).toEqual(['gpt-x', 'sandbox-text'])
    expect(await labels('key')).toEqual(['=two', 'one'])
    expect((await series('model=gpt-x')).total.requests).toBe(2)
    const found = async (query: string) =>
      (await client.get<RequestPage>(`requests?${query}`)).body.items.map(({ request_id }) => ids.indexOf(request_id))
    expect(await found('model=gpt-x')).toEqual([2, 1])
    expect(await found(`key=${one.id}`)).toEqual([1, 0])
    expect(await found(`key=${one.id}&model=gpt-x&ending=completed`)).toEqual([1])
    expect(await found('ending=failed')).toEqual([])
    expect(await found(`before=${ids[1]}`)).toEqual([0])
    expect(await found(`to=${new Date(Date.now() - 86_400_000).toISOString()}`)).toEqual([])
    const csv = await client.get<string>(`requests.csv?model=gpt-x`)
    const lines = String(csv.text).trim().split('\r\n')
    expect(lines).toHaveLength(3)
    // A spreadsheet would run a cell that begins with an equals sign.
    expect(lines[1]).toContain(",'=two,")
  })

  test.each([
    ['usage?from=2026-02-01&to=2026-01-01', '400 bad_request'],
    ['usage?from=1990-01-01', '400 bad_request'],
    ['usage?step=second', '400 bad_request'],
    ['usage?by=model&key=x', '400 bad_request'],
    ['requests?before=x', '400 bad_request'],
    ['requests?from=yesterday', '400 bad_request'],
    ['requests/req_0000000000000000', '404 not_found'],
    ['wallet/history?before=x', '400 bad_request'],
    ['wallet/statements/2026-13.csv', '400 bad_request'],
    ['playground/v1/models', '404 not_found'],
    ['playground/other', '404 not_found'],
  ])('%s: %s', async (path, expected) => {
    expect(outcomeOf(await stranger.get(path))).toBe(expected)
  })

  test('models with the prices of the groups that the account may choose', async () => {
    const pricesOf = async (client: ConsoleClient) => {
      const { body } = await client.get<ModelRow[]>('models')
      return body.find(({ id }) => id === 'gpt-x')?.prices.map(({ group, price }) => [group, price.input])
    }
    expect(await pricesOf(await person('reader'))).toEqual([
      ['default', '2.00'],
      ['batch', '1.00'],
    ])
    expect(await pricesOf(await person('staff'))).toEqual([
      ['default', '2.00'],
      ['batch', '1.00'],
      ['staff', '0.20'],
    ])
  })

  test('a wallet: history with a running balance, statements, a code that works once', async () => {
    const client = await person('saver', '5')
    const { secret } = await newKey(client, 'laptop')
    await ask(secret, 'gpt-x')
    const [code] = await gateway.command<{ code: string }[]>('code', 'create', '--amount', '2.50')
    const written = code?.code.toLowerCase().replaceAll('-', ' ') ?? ''
    const redeemed = await client.post<{ amount_usd: string }>('wallet/redeem', { code: written })
    expect(redeemed.body.amount_usd).toBe('2.50')
    expect(outcomeOf(await client.post('wallet/redeem', { code: written }))).toBe('409 code_used')
    expect(outcomeOf(await client.post('wallet/redeem', { code: 'AAAA-BBBB-CCCC-DDDD-EEEE' }))).toBe('404 unknown_code')
    const history = async () => (await client.get<Page<WalletEntry>>('wallet/history')).body.items
    await eventually(async () => (await history()).length === 3)
    const entries = await history()
    const wallet = (await client.get<Wallet>('wallet')).body
    expect(entries.map(({ kind }) => kind).sort()).toEqual(['credit', 'credit', 'usage'])
    expect(entries[0]?.balance_after_usd).toBe(wallet.balance_usd)
    // Each entry leads from the balance before it to the balance after it.
    for (const [index, entry] of entries.entries()) {
      const before = entries[index + 1]?.balance_after_usd ?? '0.00'
      expect(sum([before, entry.amount_usd])).toBe(entry.balance_after_usd)
    }
    const [statement] = (await client.get<Statement[]>('wallet/statements')).body
    expect(statement?.credited_usd).toBe('7.50')
    expect(sum([wallet.balance_usd, statement?.spent_usd ?? ''])).toBe('7.50')
    const csv = await client.get<string>(`wallet/statements/${statement?.month}.csv`)
    expect(String(csv.text).trim().split('\r\n')).toHaveLength(4)
    expect(await gateway.command('audit')).toMatchObject({ ok: true, spending_mismatches: [] })
  })
})
