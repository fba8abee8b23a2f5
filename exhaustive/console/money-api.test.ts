// Usage, models and wallet of the console API, on both engines: every figure is the ledger's, exact to the last digit.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type {
  KeyPage,
  KeyRow,
  ModelRow,
  Overview,
  Receipt,
  RequestPage,
  RequestSummary,
  Statement,
  UsageSeries,
  Wallet,
  WalletHistory,
} from '../../packages/console/src/api/types.ts'
import { formatUsd, parseUsd } from '../../packages/gateway/src/money/amount.ts'
import {
  sendImage,
  sendText,
  sendUnpriced,
  sendVideo,
  startStream,
  THIRD_GROUP,
  VARIED_MODELS,
  VARIED_UPSTREAMS,
} from '../../test/support/console/varied-requests.ts'
import { eventually } from '../../test/support/eventually.ts'
import { type ConsoleClient, consoleClient, outcomeOf, PASSWORD } from '../../test/support/gateway/console.ts'
import { chat, type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { ENGINES } from '../../test/support/gateway/home.ts'

const CONFIG = `
sandbox: { faults: true }
upstreams: ${VARIED_UPSTREAMS}
models:${VARIED_MODELS}
  - { id: gpt-x, routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 2, output: 8 }, limits: { context: 1000 } }
groups:
  - { id: default, models: ["*"] }
  - { id: batch, models: [gpt-x], multiplier: 0.5, console: true }
  - { id: staff, models: [gpt-x], multiplier: 0.1, accounts: [staff@example.com] }
  - { id: hidden, models: ["*"], multiplier: 0 }
  - ${THIRD_GROUP}
`
const sum = (amounts: readonly string[]): string =>
  formatUsd(amounts.reduce((total, usd) => total + (parseUsd(usd) ?? 0n), 0n))

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  let otherHolder: ConsoleClient
  beforeAll(async () => {
    gateway = await startGateway({ engine, config: CONFIG, streamTiming: { usageWaitMs: 100 } })
    otherHolder = await person('other-holder')
  })
  afterAll(() => gateway.stop())

  async function person(name: string, credit = '10'): Promise<ConsoleClient> {
    const email = `${name}@example.com`
    await gateway.command('account', 'create', '--email', email, '--password', PASSWORD, '--credit', credit)
    const client = consoleClient(gateway.url)
    expect(outcomeOf(await client.post('sign-in', { email, password: PASSWORD }))).toBe('200')
    return client
  }
  async function newKey(
    client: ConsoleClient,
    name: string,
    group = 'default',
  ): Promise<{ id: string; secret: string }> {
    const { body } = await client.post<{ key: { id: string }; secret: string }>('keys', { name, group })
    return { id: body.key.id, secret: body.secret }
  }
  async function ask(secret: string, model: string): Promise<string> {
    const response = await chat(gateway.url, secret, { model, messages: [{ role: 'user', content: 'Hello' }] })
    expect(response.status).toBe(200)
    await response.text()
    return response.headers.get('x-request-id') ?? ''
  }
  const wide = `from=${new Date(Date.now() - 86_400_000).toISOString()}&to=${new Date(Date.now() + 86_400_000).toISOString()}`

  test('what the operator set on a key is a ceiling for its holder', async () => {
    const client = await person('bounded')
    const terms = ['--cap', '20', '--rpm', '60', '--models', 'gpt-x', '--ips', '127.0.0.0/8']
    const { id } = await gateway.command<{ id: string }>(
      ...(['key', 'create', '--account', 'bounded@example.com', '--name', 'given', ...terms] as const),
    )
    const change = (body: object) => client.post<{ error?: { message: string } }>(`keys/${id}`, body)
    const raised = [
      { cap_usd: '5000' },
      { cap_usd: null },
      { cap_usd: '1', cap_period: 'day' },
      { limits: { rpm: null } },
      { models: null },
      { networks: ['0.0.0.0/0'] },
    ]
    for (const body of raised) {
      const answer = await change(body)
      expect(outcomeOf(answer)).toBe('400 bad_request')
      expect(answer.body.error?.message).toContain('The operator of this gateway has set it')
    }
    const { ceiling } = (await client.get<KeyRow>(`keys/${id}`)).body
    expect(ceiling).toMatchObject({ cap_usd: '20.00', cap_period: null, limits: { rpm: 60, tpm: null } })
    expect(outcomeOf(await change({ cap_usd: '5', limits: { rpm: 10 }, networks: ['127.0.0.1'] }))).toBe('200')
    // The operator raises the ceiling: the holder's choice stays, and may be raised up to it.
    const { cap_usd } = await gateway.command<{ cap_usd: string }>('key', 'limit', id, '--cap', '30')
    expect(cap_usd).toBe('5.00')
    expect(outcomeOf(await change({ cap_usd: '30' }))).toBe('200')
    expect(outcomeOf(await change({ cap_usd: '31' }))).toBe('400 bad_request')
  })

  test('credit line and cap of an account: in the wallet, and as conditions of every request', async () => {
    const client = await person('invoiced', '0')
    const { secret } = await newKey(client, 'first')
    const account = ['--account', 'invoiced@example.com']
    const outcome = async (key: string) => {
      const response = await chat(gateway.url, key, { model: 'gpt-x', messages: [{ role: 'user', content: 'Hello' }] })
      const body = (await response.json()) as { error?: { code: string } }
      return [response.status, body.error?.code]
    }
    expect(await outcome(secret)).toEqual([402, 'insufficient_balance'])
    await gateway.command('account', 'credit-line', ...account, '--amount', 'unlimited')
    // A 402 is remembered for half a second.
    await eventually(async () => (await outcome(secret))[0] === 200)
    await gateway.command('account', 'limit', ...account, '--cap', '0.000001', '--cap-period', 'month')
    // A new key is under the cap, too.
    const second = await newKey(client, 'second')
    for (const key of [secret, second.secret]) expect(await outcome(key)).toEqual([402, 'account_quota_exceeded'])
    expect((await client.get<Wallet>('wallet')).body).toMatchObject({
      balance_usd: expect.stringMatching(/^-0\.0/),
      credit_line_usd: 'unlimited',
      available_usd: 'unlimited',
      cap_usd: '0.000001',
      cap_period: 'month',
      cap_left_usd: '0.00',
    })
    await gateway.command('account', 'credit-line', ...account, '--amount', '0')
    const audit = await gateway.command<{ ok: boolean; overdrawn_accounts: string[] }>('audit')
    expect([audit.ok, audit.overdrawn_accounts.length]).toEqual([true, 1])
  })

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
    expect(await found(`key=${one.id}&model=gpt-x&outcome=completed`)).toEqual([1])
    expect(await found('outcome=failed')).toEqual([])
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
    expect(outcomeOf(await otherHolder.get(path))).toBe(expected)
  })

  test('models with the prices of the groups that the account may choose', async () => {
    const pricesOf = async (client: ConsoleClient) => {
      const { body } = await client.get<ModelRow[]>('models')
      const found = body.find(({ id }) => id === 'gpt-x')
      expect(found).toMatchObject({ capabilities: ['images', 'tools', 'reasoning'], limits: { context: 1000 } })
      return found?.prices.map(({ group, price }) => [group, price.input])
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
    const history = async () => (await client.get<WalletHistory>('wallet/history')).body.items
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

  test('hundreds of varied requests: usage, CSV, overview, wallet, statement, keys and receipts agree', async () => {
    const client = await person('busy', '50')
    const keys = [await newKey(client, 'one'), await newKey(client, 'two'), await newKey(client, 'third', 'third')]
    const [one, two, third] = keys.map(({ secret }) => secret)
    const { url } = gateway
    await sendVideo(url, one ?? '')
    const stream = await startStream(url, two ?? '')
    for (let index = 0; index < 300; index += 20)
      await Promise.all(
        Array.from({ length: 20 }, (_, each) => sendText(url, [one, two, third][each % 3] ?? '', index + each)),
      )
    await Promise.all([sendUnpriced(url, one ?? ''), sendImage(url, two ?? ''), sendImage(url, third ?? '')])
    const read = async <T>(path: string): Promise<T> => (await client.get<T>(path)).body
    // A running request is listed, held, and not yet counted.
    const running = await read<RequestPage>(`requests?${wide}&outcome=running`)
    expect(running.items.map(({ request_id }) => request_id)).toContain(stream.id)
    stream.disconnect()
    await eventually(async () => (await read<Wallet>('wallet')).open.length === 0)
    const ended = 300 + 1 + 1 + 2 + 2
    await eventually(async () => (await read<UsageSeries>(`usage?${wide}`)).total.requests === ended)

    const rows: RequestSummary[] = []
    for (let next: string | null = ''; next !== null; ) {
      const page: RequestPage = await read(`requests?${wide}${next && `&before=${next}`}`)
      rows.push(...page.items)
      next = page.next
    }
    expect(rows).toHaveLength(ended)
    expect([...new Set(rows.map(({ outcome }) => outcome))].sort()).toEqual([
      'client_disconnected',
      'completed',
      'content_filtered',
      'failed',
      'incomplete',
    ])
    const tokensOf = (row: RequestSummary) => (row.input_tokens ?? 0) + (row.output_tokens ?? 0)
    const sums = (of: readonly RequestSummary[]) => ({
      requests: of.length,
      tokens: of.reduce((total, row) => total + tokensOf(row), 0),
      cost_usd: sum(of.map(({ cost_usd }) => cost_usd)),
    })
    const all = sums(rows)

    // Every filter, in every grouping and step, has the sums of the rows that it admits; so has its CSV file.
    const filters: [query: string, admits: (row: RequestSummary) => boolean][] = [
      ['', () => true],
      ...['gpt-y', 'flaky', 'free', 'broken', 'painter', 'filmer'].map(
        (model): [string, (row: RequestSummary) => boolean] => [`&model=${model}`, (row) => row.model === model],
      ),
      ...keys.map(({ id }): [string, (row: RequestSummary) => boolean] => [`&key=${id}`, (row) => row.key_id === id]),
      [`&model=gpt-y&key=${keys[2]?.id}`, (row) => row.model === 'gpt-y' && row.key_id === keys[2]?.id],
    ]
    for (const [query, admits] of filters) {
      const expected = sums(rows.filter(admits))
      for (const by of ['none', 'model', 'key'])
        for (const step of ['hour', 'day']) {
          const { total, points } = await read<UsageSeries>(`usage?${wide}&by=${by}&step=${step}${query}`)
          expect([query, by, step, total]).toEqual([query, by, step, expected])
          expect(sum(points.map(({ cost_usd }) => cost_usd))).toBe(expected.cost_usd)
        }
      const [head, ...lines] = (await client.get(`requests.csv?${wide}${query}`)).text.trim().split('\r\n')
      const cost = head?.split(',').indexOf('cost_usd') ?? -1
      expect([query, lines.length, sum(lines.map((line) => line.split(',')[cost] ?? ''))]).toEqual([
        query,
        expected.requests,
        expected.cost_usd,
      ])
    }

    const overview = await read<Overview>('overview')
    const today = overview.days.at(-1)
    expect(sum(overview.days.map(({ cost_usd }) => cost_usd))).toBe(all.cost_usd)
    expect(overview.spent_today_usd).toBe(today?.cost_usd ?? '')
    const ofMonth = overview.days.filter(({ at }) => at.slice(0, 7) === today?.at.slice(0, 7))
    expect(overview.spent_this_month_usd).toBe(sum(ofMonth.map(({ cost_usd }) => cost_usd)))

    const usage = (await read<WalletHistory>('wallet/history')).items.filter(({ kind }) => kind === 'usage')
    expect(sum(usage.map(({ amount_usd }) => amount_usd))).toBe(`-${all.cost_usd}`)
    expect(usage.reduce((total, { requests }) => total + requests, 0)).toBe(ended)
    const statements = await read<Statement[]>('wallet/statements')
    expect(sum(statements.map(({ spent_usd }) => spent_usd))).toBe(all.cost_usd)
    expect(sum([(await read<Wallet>('wallet')).balance_usd, all.cost_usd])).toBe('50.00')
    const { items } = await read<KeyPage>('keys')
    for (const { id, spent_usd } of items)
      expect([id, spent_usd]).toEqual([id, sums(rows.filter(({ key_id }) => key_id === id)).cost_usd])

    // What a receipt shows adds up to its charge, digit by digit.
    const receipts: Receipt[] = []
    // In batches: an account may have only so many calls of the console at once.
    for (let index = 0; index < rows.length; index += 8)
      receipts.push(
        ...(await Promise.all(rows.slice(index, index + 8).map((row) => read<Receipt>(`requests/${row.request_id}`)))),
      )
    for (const { lines, rounding_usd, cost_usd, shortfall_usd } of receipts) {
      const shown = [...(lines ?? []).map((line) => line.cost_usd), rounding_usd ?? '0'].map(exact)
      expect(shown.reduce((total, each) => total + each)).toBe(exact(cost_usd) + exact(shortfall_usd))
    }
    expect(receipts.some(({ rounding_usd }) => rounding_usd !== null && exact(rounding_usd) > 0n)).toBe(true)
    expect(await gateway.command('audit')).toMatchObject({ ok: true, spending_mismatches: [] })
  })
})

/** With more decimals than any line of a receipt has. */
function exact(usd: string): bigint {
  const [whole = '', fraction = ''] = usd.split('.')
  return BigInt(whole + fraction.padEnd(40, '0'))
}
