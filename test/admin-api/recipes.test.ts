// The recipes of docs/operate/admin-api.md, in their order, against a gateway: as they stand there, with address, credential and ids filled in.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSandboxServer } from '../../packages/sandbox/src/server.ts'
import { eventually } from '../support/eventually.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { operate } from '../support/gateway/operate.ts'

type Body = Record<string, unknown> & { data?: Record<string, unknown>[] }
type Answer = { status: number; headers: Headers; body: Body }

const page = readFileSync(join(import.meta.dir, '../../docs/operate/admin-api.md'), 'utf8')
const recipes = new Map(
  [...page.matchAll(/^### (.+)\n[\s\S]*?```sh\n([\s\S]*?)```$/gm)].map(([, title = '', code = '']) => [
    title,
    code.split(/\n(?=curl )/),
  ]),
)

let gateway: Gateway
/** Two vendors. */
const vendors = [0, 1].map(() => startSandboxServer({ host: '127.0.0.1', port: 0, faults: false }))
/** What a reader fills in, as soon as it is known. */
const known: Record<string, string> = {}
beforeAll(async () => {
  gateway = await startGateway()
  const { secret } = await operate<{ secret: string }>(gateway, 'admin-key create', { name: 'recipes', role: 'owner' })
  const month = new Date().toISOString().slice(0, 7)
  const next = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)))).toISOString().slice(0, 10)
  Object.assign(known, {
    'http://127.0.0.1:3333': gateway.url,
    'ak-...': secret,
    'https://models.example.com': vendors[0]?.url,
    'https://other.example.com': vendors[1]?.url,
    '2027-01-01': `${month}-01`,
    '2027-02-01': next,
  })
})
afterAll(async () => {
  await gateway.stop()
  await Promise.all(vendors.map((vendor) => vendor.stop()))
})

/** As a shell and curl read it. The machine that runs the tests may have no curl. */
async function send(written: string): Promise<Answer> {
  const command = Object.entries(known).reduce((text, [name, value]) => text.replaceAll(name, value), written)
  const [, url = ''] = /'(http[^']+)'/.exec(command) ?? []
  const headers = [...command.matchAll(/-H '([^:']+): ([^']*)'/g)].map(([, name = '', value = '']) => [name, value])
  const body = /-d '([^']*)'/.exec(command)?.[1]
  const method = /-X (\w+)/.exec(command)?.[1] ?? (body === undefined ? 'GET' : 'POST')
  const response = await fetch(url, {
    method,
    headers: headers as [string, string][],
    ...(body === undefined ? {} : { body }),
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
}

async function call(secret: unknown, model = 'sandbox-text'): Promise<number> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await response.text()
  return response.status
}

const secrets: unknown[] = []

/** What each step of a recipe answers, and what follows from it. */
const EXPECTED: Record<string, (run: (step: number) => Promise<Answer>) => Promise<void>> = {
  async 'Create an account with a key'(run) {
    expect((await run(0)).body).toMatchObject({ object: 'account', name: 'customer-42', balance_usd: '25.00' })
    const { id, secret } = (await run(1)).body as { id: string; secret: string }
    Object.assign(known, { KEY_ID: id, LAST_FOUR: secret.slice(-4) })
    secrets.push(secret)
    expect(await call(secret)).toBe(200)
  },
  async 'Give a team a monthly budget'(run) {
    await run(0)
    expect((await run(1)).body).toMatchObject({ credit_line_usd: 'unlimited' })
    expect((await run(2)).body).toMatchObject({ cap_usd: '500.00', cap_period: 'month' })
  },
  async 'Rotate a key'(run) {
    const { secret } = (await run(0)).body as { secret: string }
    known.LAST_FOUR = secret.slice(-4)
    expect([await call(secret), await call(secrets[0])]).toEqual([200, 200])
    secrets.push(secret)
  },
  async "Top up from a shop's webhook"(run) {
    const { body } = await run(0)
    const again = await run(0)
    expect(again.body).toEqual(body)
    const [credit, opening] = (await transfersOf('customer-42')).data ?? []
    expect([credit, opening]).toMatchObject([{ amount_usd: '10.00', reason: 'order 1001' }, { amount_usd: '25.00' }])
  },
  async 'Add an upstream and test it'(run) {
    expect((await run(0)).body).toMatchObject({
      object: 'dry_run',
      after: { effects: expect.arrayContaining([expect.stringContaining('sandbox')]) },
    })
    for (const step of [1, 2]) await run(step)
    expect((await run(3)).body).toMatchObject({ checks: [], cost_at_most_usd: expect.stringMatching(/^0\.0/) })
    const { checks, booked } = (await run(4)).body as { checks: { ok: boolean }[]; booked: boolean }
    expect([checks.length > 0, checks.every(({ ok }) => ok), booked]).toEqual([true, true, true])
  },
  async 'Change a price'(run) {
    expect((await run(0)).body).toMatchObject({ object: 'price_impact', is_part: false, accounts_pay_more: 0 })
    expect((await run(1)).body).toMatchObject({ price: { input: '2.00', output: '9.00' } })
    expect((await run(2)).body.data).toEqual([])
  },
  async 'Move a model to another upstream'(run) {
    await run(0)
    const { headers } = await run(1)
    known.ETAG = headers.get('etag') ?? ''
    expect((await run(2)).body).toMatchObject({ routes: [{ upstream: 'third' }] })
    expect((await run(3)).body).toMatchObject({ candidates: [{ upstream: 'third' }] })
    expect(await call(secrets[1], 'fast')).toBe(200)
  },
  async 'Export usage for accounting'(run) {
    const { data } = (await run(0)).body
    expect(data).toContainEqual(expect.objectContaining({ account: 'customer-42', model: 'fast', requests: 1 }))
  },
  async 'Audit the ledger'(run) {
    expect((await run(0)).body).toMatchObject({ object: 'ledger_audit_run' })
    await eventually(async () => (await run(1)).body.data?.[0]?.state === 'passed')
    expect((await run(2)).body.data?.map(({ id }) => id)).toContain('revenue')
  },
  async 'Take a leaked key out of use'(run) {
    expect((await run(0)).body.data).toMatchObject([{ id: known.KEY_ID }])
    const { secret } = (await run(1)).body
    expect(await Promise.all([secret, ...secrets].map((each) => call(each, 'fast')))).toEqual([200, 401, 401])
    expect((await run(2)).body.data?.map(({ model }) => model)).toContain('fast')
  },
  async 'Promote a colleague'(run) {
    await run(0)
    expect((await run(1)).body).toMatchObject({ email: 'grace@example.com', role: 'finance' })
    expect((await run(2)).body.url).toStartWith(`${gateway.url}/console/`)
  },
  async 'Restore a revision'(run) {
    const { data = [] } = (await run(0)).body
    known.REVISION = String(data[1]?.id)
    await run(1)
    expect((await run(2)).body).toMatchObject({ reason: 'the move was a mistake' })
    expect((await send(recipes.get('Move a model to another upstream')?.[1] ?? '')).body).toMatchObject({
      routes: [{ upstream: 'second' }],
    })
  },
}

const transfersOf = async (account: string) =>
  (
    await send(
      `curl 'http://127.0.0.1:3333/admin/v1/ledger/transfers?account=${account}&kind=credit' -H 'Authorization: Bearer ak-...'`,
    )
  ).body

test('the page has twelve recipes', () => {
  expect([...recipes.keys()]).toEqual(Object.keys(EXPECTED))
  expect(recipes.size).toBe(12)
})

test.each([...recipes])('%s', async (title, commands) => {
  const performed = new Set<number>()
  const run = async (step: number): Promise<Answer> => {
    const answer = await send(commands[step] ?? '')
    expect([commands[step], answer.status < 300, answer.body.error]).toEqual([commands[step], true, undefined])
    performed.add(step)
    return answer
  }
  await EXPECTED[title]?.(run)
  expect(performed.size).toBe(commands.length)
})
