// Lists of the admin API over a gateway that has answered requests.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type AdminClient, adminClient } from '../support/admin/admin-client.ts'
import { eventually } from '../support/eventually.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { runCommand } from '../support/gateway/home.ts'
import { operate } from '../support/gateway/operate.ts'

type List = { data: Record<string, unknown>[]; has_more: boolean; first_id: string | null; last_id: string | null }

let gateway: Gateway
let owner: AdminClient
let viewer: AdminClient
const keys = { owner: '', viewer: '' }
const accounts: string[] = []
const secrets: string[] = []

beforeAll(async () => {
  gateway = await startGateway()
  const client = async (role: keyof typeof keys) => {
    keys[role] = (await operate<{ secret: string }>(gateway, 'admin-key create', { name: role, role })).secret
    return adminClient(gateway.url, keys[role])
  }
  ;[owner, viewer] = await Promise.all([client('owner'), client('viewer')])
  for (const name of ['one', 'two']) {
    const { id } = await operate<{ id: string }>(gateway, 'account create', { name, credit_usd: '5' })
    const { secret } = await operate<{ secret: string }>(gateway, 'key create', { account: id, name })
    expect((await ask(secret)).status).toBe(200)
    accounts.push(id)
    secrets.push(secret)
  }
})
afterAll(() => gateway.stop())

const ask = (secret: string, more: object = {}) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }], ...more }),
  })

const list = async (path: string, client = owner): Promise<List> => {
  const { status, body } = await client<List>('GET', path)
  expect([path, status]).toEqual([path, 200])
  return body
}

test('requests are listed in pages in both directions, and shown one by one', async () => {
  const all = await list('requests')
  expect(all.data.map(({ account_id }) => account_id)).toEqual([...accounts].reverse())
  const first = await list('requests?limit=1')
  expect([first.has_more, first.last_id]).toEqual([true, all.first_id])
  const second = await list(`requests?limit=1&after=${first.last_id}`)
  expect([second.data[0]?.account_id, second.has_more]).toEqual([accounts[0], false])
  expect((await list(`requests?limit=1&before=${second.first_id}`)).data).toEqual(first.data)
  expect((await list(`requests?account=${accounts[0]}&outcome=completed&model=sandbox-text`)).data).toEqual(second.data)
  const { body } = await viewer('GET', `requests/${first.last_id}`)
  expect(body).toMatchObject({ object: 'request', id: first.last_id, account: 'two', state: 'settled' })
  expect(body).not.toHaveProperty('upstream_cost_usd')
  expect(first.data[0]).toHaveProperty('upstream_cost_usd')
  const { body: shown } = await owner('GET', `requests/${first.last_id}`)
  expect(shown.upstream_cost_usd).toBe(first.data[0]?.upstream_cost_usd)
})

test('usage is grouped, and its sums are those of the ledger', async () => {
  const { data } = await list('usage?group_by=account,model,day')
  const of = { object: 'usage', model: 'sandbox-text', requests: 1, day: new Date().toISOString().slice(0, 10) }
  expect(data).toMatchObject([
    { ...of, account_id: accounts[0], account: 'one' },
    { ...of, account_id: accounts[1], account: 'two' },
  ])
  const charges = await list(`ledger/transfers?kind=charge&account=${accounts[1]}`)
  expect(charges.data).toMatchObject([
    { from: `account/${accounts[1]}`, to: 'revenue', amount_usd: data[1]?.charged_usd },
  ])
  expect((await list('usage', viewer)).data[0]).not.toHaveProperty('unknown_costs')
})

test('requests are found by what their client got, by id and by all errors', async () => {
  const [secret = ''] = secrets
  const failed = await ask(secret, { model: 'sandbox-text:status=500' })
  expect(failed.status).toBe(502)
  const id = failed.headers.get('x-request-id') ?? ''
  const { error } = (await failed.json()) as { error: { message: string; code: string } }
  const found = { id, account: 'one', key: 'one', status: 502, error_code: 'upstream_error' }
  for (const query of ['outcome=errors', 'status=502', `id=${id}`, `outcome=errors&account=${accounts[0]}&status=502`])
    expect((await list(`requests?${query}`)).data).toMatchObject([found])
  expect((await list(`requests?id=${id}&status=200`)).data).toEqual([])
  expect((await list('requests?status=200')).data).toHaveLength(2)
  expect((await viewer('GET', `requests/${id}`)).body).toMatchObject({
    response: { status: 502, code: 'upstream_error', message: error.message },
    refunded_usd: '0.00',
  })
  const outcomes = (await list(`usage?group_by=outcome,hour&from=${new Date().toISOString().slice(0, 10)}`)).data
  expect(outcomes.map(({ outcome, requests }) => [outcome, requests])).toEqual([
    ['completed', 2],
    ['failed', 1],
  ])
  const from = new Date(Date.now() - 9 * 86_400_000).toISOString().slice(0, 10)
  const { status, body } = await owner('GET', `usage?group_by=hour&from=${from}`)
  expect([status, (body as { error: { param: string } }).error.param]).toEqual([400, 'from'])
})

test('requests that were rejected before a hold are counted, with the message of the last', async () => {
  const [secret = ''] = secrets
  const rejected = await ask(secret, { model: 'no-such-model' })
  const { error } = (await rejected.json()) as { error: { message: string } }
  await eventually(async () => (await list('rejected-requests')).data.length > 0)
  const page = await list(`rejected-requests?account=${accounts[0]}&error_code=model_not_found&limit=1`)
  expect(page.data).toMatchObject([
    { object: 'rejected_requests', account: 'one', key: 'one', status: 404, count: 1, reason: error.message },
  ])
  expect(page.data[0]?.last_request_id).toBe(rejected.headers.get('x-request-id'))
  expect((await list(`rejected-requests?before=${page.last_id}`)).data).toEqual([])
  expect((await list('rejected-requests?error_code=other')).data).toEqual([])
})

test('a refund is a credit that names its request, once for each key, and never above the charge', async () => {
  const [id] = (await list(`requests?account=${accounts[1]}`)).data.map((row) => String(row.id))
  const path = `requests/${id}/refund`
  const balance = async () => (await owner('GET', `accounts/${accounts[1]}`)).body.balance_usd
  const [before, { body: charged }] = [await balance(), await owner('GET', `requests/${id}`)]
  const cost = String(charged.cost_usd)
  const part = '0.000000001'
  const reason = 'It was cut off.'
  const { body: planned } = await owner('POST', `${path}?dry_run=true`, { body: { reason } })
  expect(planned).toMatchObject({
    target: `request/${id}`,
    before: { refunded_usd: '0.00' },
    after: { refunded_usd: cost },
    effects: { refund_usd: cost, balance_after_usd: '10.00' },
  })
  expect(await balance()).toBe(before)
  for (const [client, body, status] of [
    [viewer, { reason }, 403],
    [owner, {}, 400],
    [owner, { reason, amount_usd: '0' }, 400],
    [owner, { reason, amount_usd: '1' }, 409],
  ] as const)
    expect([body, (await client('POST', path, { body })).status]).toEqual([body, status])
  const headers = { 'idempotency-key': 'part' }
  const parts = await Promise.all(
    Array.from({ length: 3 }, () => owner('POST', path, { body: { reason, amount_usd: part }, headers })),
  )
  expect(parts.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
  // All that is left, at the same time and with keys of their own: one gets it.
  const rest = await Promise.all(
    ['a', 'b', 'c'].map((key) => owner('POST', path, { body: { reason }, headers: { 'idempotency-key': key } })),
  )
  expect(rest.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
  expect((await owner('GET', `requests/${id}`)).body).toMatchObject({ cost_usd: cost, refunded_usd: cost })
  expect(await balance()).toBe('10.00')
  const credits = (await list(`ledger/transfers?kind=credit&account=${accounts[1]}&limit=2`)).data
  expect(credits.map((row) => row.reason)).toEqual(Array(2).fill(`refund of ${id}: ${reason}`))
  expect(credits[1]).toMatchObject({ amount_usd: part })
  expect(await operate<object>(gateway, 'audit', {})).toMatchObject({ ok: true })
  const log = (await list('audit-log?action=request%20refund')).data
  expect(log.map((row) => [row.target, row.reason])).toEqual(Array(2).fill([`request/${id}`, reason]))
})

test('the largest sums come first, and the accounts of the ledger add up to nothing', async () => {
  const [first, second] = (await list('usage?group_by=account&sort=-charged')).data
  expect(Number(first?.charged_usd)).toBeGreaterThanOrEqual(Number(second?.charged_usd))
  expect(first).toMatchObject({ object: 'usage', shortfall_usd: '0.00', unknown_costs: expect.any(Number) })
  expect((await list('usage?group_by=account&sort=charged&limit=1')).data).toHaveLength(1)
  const { data } = await list('ledger/accounts')
  const nanos = data.map(({ balance_usd }) => BigInt(Math.round(Number(balance_usd) * 1e9)))
  expect([data.length, nanos.reduce((sum, each) => sum + each, 0n)]).toEqual([7, 0n])
  const transfers = await list(
    `ledger/transfers?request=${(await list(`requests?account=${accounts[1]}&limit=1`)).last_id}`,
  )
  expect(transfers.data).toMatchObject([{ kind: 'charge', from: `account/${accounts[1]}` }])
})

test('a node tells that it is ready, and jobs when they last ran', async () => {
  await eventually(async () => (await list('nodes')).data[0]?.ready === true)
  expect((await list('nodes')).data).toMatchObject([{ object: 'node', id: '0', drift: false, faults: [] }])
  await eventually(async () => (await list('jobs')).data.length > 0)
  expect((await list('jobs')).data[0]).toMatchObject({ object: 'job', failing: false, last_error: null })
})

test('the audit log is filtered, and exported as JSON lines', async () => {
  const made = await list('audit-log?actor=command-line&action=account create')
  const objects = [...accounts].reverse().map((id) => `account/${id}`)
  expect(made.data.map(({ target }) => target)).toEqual(objects)
  const { stdout } = await runCommand(gateway.home, [
    'audit-log',
    '--actor',
    'command-line',
    '--action',
    'account create',
    '--jsonl',
  ])
  const exported = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { object: string })
  expect(exported.map(({ object }) => object)).toEqual(objects)
})

describe('a list as a file', () => {
  const file = (path: string, key = keys.owner) =>
    fetch(`${gateway.url}/admin/v1/${path}`, { headers: { authorization: `Bearer ${key}` } })
  const lines = (text: string): string[] => text.trimEnd().split('\r\n')

  test('has the fields of the list as columns, those that the role may see', async () => {
    const answer = await file('usage?group_by=account,day&format=csv')
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="usage.csv"')
    const [head, ...rows] = lines(await answer.text())
    expect(head).toBe(
      'id,account_id,account,day,requests,tokens,charged_usd,shortfall_usd,upstream_cost_usd,margin_usd,unknown_costs',
    )
    const { data } = await list('usage?group_by=account,day')
    expect(rows).toHaveLength(2)
    expect(rows[0]).toContain(
      `,${accounts[0]},one,${data[0]?.day},${data[0]?.requests},${data[0]?.tokens},${data[0]?.charged_usd},`,
    )
    const seen = lines(await (await file('usage?group_by=account,day&format=csv', keys.viewer)).text())
    expect(seen[0]).not.toContain('cost')
    const [columns] = lines(await (await file('requests?format=csv')).text())
    expect(columns).toContain('timing.first_token_ms,timing.total_ms')
  })

  test('a limit makes it that page; the audit log comes as JSON lines, too', async () => {
    expect(lines(await (await file('requests?limit=1&format=csv')).text())).toHaveLength(2)
    const answer = await file('audit-log?format=jsonl&actor=command-line&action=account create')
    expect(answer.headers.get('content-type')).toStartWith('application/jsonl')
    const rows = (await answer.text()).trimEnd().split('\n')
    expect(rows.map((row) => (JSON.parse(row) as { object: string }).object)).toEqual(['audit_row', 'audit_row'])
  })

  test.each(['requests?format=xml', 'requests?format=jsonl', 'nodes?format=csv'])('%s is rejected', async (path) => {
    expect((await file(path)).status).toBe(400)
  })

  test('a caller has one at a time; others, and other reads, are served meanwhile', async () => {
    const codes = (count: number, label: string) => owner('POST', 'codes', { body: { amount_usd: '1', count, label } })
    await Promise.all([codes(10_000, 'x'.repeat(100)), codes(10_000, 'x'.repeat(100)), codes(1_200, 'spring')])
    const greedy = connect(Number(new URL(gateway.url).port), '127.0.0.1')
    // It reads the head, and nothing more: the file is larger than what the system buffers.
    greedy.write(
      `GET /admin/v1/codes?format=csv HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${keys.owner}\r\n\r\n`,
    )
    const [head] = await once(greedy, 'data')
    greedy.pause()
    expect(String(head)).toStartWith('HTTP/1.1 200')
    const second = await file('codes?format=csv')
    expect([second.status, second.headers.get('retry-after')]).toEqual([429, '5'])
    expect((await file('codes?limit=1')).status).toBe(200)
    const polite = await file('codes?label=spring&format=csv', keys.viewer)
    const ids = lines(await polite.text()).map((line) => line.split(',')[0])
    expect([new Set(ids).size, ids.length]).toEqual([1_201, 1_201])
    greedy.destroy()
    await eventually(async () => (await file('codes?format=csv&limit=1')).status === 200)
  })
})
