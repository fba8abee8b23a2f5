// Lists of the admin API over a gateway that has answered requests.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type AdminClient, adminClient } from '../support/admin/admin-client.ts'
import { eventually } from '../support/eventually.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { runCommand } from '../support/gateway/home.ts'
import { operate } from '../support/gateway/operate.ts'

type List = { data: Record<string, unknown>[]; has_more: boolean; first_id: string | null; last_id: string | null }

let gateway: Gateway
let owner: AdminClient
let viewer: AdminClient
const accounts: string[] = []

beforeAll(async () => {
  gateway = await startGateway()
  const client = async (role: string) =>
    adminClient(
      gateway.url,
      (await operate<{ secret: string }>(gateway, 'admin-key create', { name: role, role })).secret,
    )
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
