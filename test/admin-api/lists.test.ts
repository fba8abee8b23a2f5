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
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect(answer.status).toBe(200)
    accounts.push(id)
  }
})
afterAll(() => gateway.stop())

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
    expect(head).toStartWith('id,account_id,account,day,requests,tokens,charged_usd,upstream_cost_usd,unknown_costs')
    const { data } = await list('usage?group_by=account,day')
    expect(rows).toHaveLength(2)
    expect(rows[0]).toContain(`,${accounts[0]},one,${data[0]?.day},1,${data[0]?.tokens},${data[0]?.charged_usd},`)
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
