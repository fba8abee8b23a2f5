// Sign-up on both engines: limits are exact for fifty concurrent requests.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'

const CONFIG = `
server: { public_url: "https://gw.example.com", trusted_proxies: [127.0.0.1] }
registration: { trial_credit: 2, trial_budget_per_day: 7, accounts_per_network_per_day: 3 }
`

type Body = { id?: string; trial_credit_usd?: string; notice?: string | null; error?: { code: string } }

function register(gateway: Gateway, email: string, from: string, headers: Record<string, string> = {}) {
  return fetch(`${gateway.url}/console/api/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from, ...headers },
    body: JSON.stringify({ email, password: 'correct horse' }),
  })
}

const statusOf = async (response: Promise<Response>): Promise<string> => {
  const { status, body } = await response.then(async (it) => ({ status: it.status, body: (await it.json()) as Body }))
  return status === 201 ? `201 with ${body.trial_credit_usd}` : `${status} ${body.error?.code}`
}
const times = (count: number, what: string): string[] => Array(count).fill(what)

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway({ engine, config: CONFIG })
  })
  afterAll(async () => {
    await gateway.stop()
    rmSync(gateway.home.dataDir, { recursive: true, force: true })
  })

  test('fifty concurrent sign-ups from one network: three accounts', async () => {
    const all = await Promise.all(
      // All in one IPv6 /64 network.
      Array.from({ length: 50 }, (_, index) =>
        statusOf(register(gateway, `p${index}@example.com`, `2001:db8::${index + 1}`)),
      ),
    )
    expect(all.filter((answer) => answer.startsWith('201'))).toEqual(times(3, '201 with 2.00'))
    // The others hit the limit of password hashing, or of attempts.
    expect(all.filter((answer) => !/^(201 with|429 |503 service_unavailable)/.test(answer))).toEqual([])
  })

  test('fifty concurrent sign-ups of one person: one account', async () => {
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        statusOf(register(gateway, `a.da+${index}@gmail.com`, `192.0.2.${index}`)),
      ),
    )
    // The trial budget covers three accounts at any time of day.
    expect(all.filter((answer) => answer.startsWith('201'))).toEqual(['201 with 0.00'])
    expect(all.filter((answer) => !/^(201 with|409 address_taken|503 service_unavailable)/.test(answer))).toEqual([])
    expect(await statusOf(register(gateway, 'ADA@googlemail.com', '192.0.2.99'))).toBe('409 address_taken')
  })

  test('with the daily budget used up, accounts get no credit, and the ledger agrees', async () => {
    // Three accounts got 2 USD each; the last 1 USD of the day is less than a trial credit.
    const response = await register(gateway, 'late@example.com', '198.51.100.1')
    expect(response.status).toBe(201)
    expect(response.headers.get('x-request-id')).toStartWith('req_')
    expect(response.headers.get('cache-control')).toContain('no-store')
    const body = (await response.json()) as Body
    expect(body).toMatchObject({ trial_credit_usd: '0.00', notice: expect.stringContaining('used up') })
    const shown = await gateway.command<object>('account', 'show', '--account', 'late@example.com')
    expect(shown).toMatchObject({ id: body.id, balance_usd: '0.00' })
    const rows = await gateway.command<object[]>('audit-log', '--object', `account/${body.id}`)
    const by = { action: 'sign-up', address: '198.51.100.1', request_id: response.headers.get('x-request-id') }
    expect(rows).toMatchObject([
      { ...by, actor: expect.stringMatching(/^person\/\d+$/), after: { email: 'late@example.com' } },
    ])
    expect(await gateway.command<object>('audit')).toMatchObject({ ok: true })
    // Logged once each, however many requests there were.
    const told = (words: string) => gateway.output().stderr.split(words).length - 1
    expect(told('a network has reached its daily limit of new accounts')).toBe(1)
    expect(told("today's trial budget is used up")).toBe(1)
  })

  test("an operator's account reserves its email address", async () => {
    await gateway.command('account', 'create', '--email', 'bob+work@example.com', '--credit', '0')
    expect(await statusOf(register(gateway, 'bob@example.com', '198.51.100.2'))).toBe('409 address_taken')
    await gateway.command('account', 'create', '--email', 'bob@example.com', '--credit', '0')
  })

  test('pages of other origins, other methods and other content types are rejected', async () => {
    const foreign = { origin: 'https://evil.example' }
    expect(await statusOf(register(gateway, 'x@example.com', '198.51.100.3', foreign))).toBe('403 foreign_page')
    const own = { origin: 'https://gw.example.com' }
    expect(await statusOf(register(gateway, 'x@example.com', '198.51.100.3', own))).toBe('201 with 0.00')
    const url = `${gateway.url}/console/api/register`
    expect((await fetch(url)).status).toBe(405)
    expect((await fetch(url, { method: 'OPTIONS', headers: foreign })).status).toBe(405)
    const form = await fetch(url, { method: 'POST', body: new URLSearchParams({ email: 'x@y.z' }) })
    expect(form.status).toBe(415)
  })
})

test('closed registration is rejected with its own code', async () => {
  const gateway = await startGateway({ config: 'registration: { open: false }' })
  expect(await statusOf(register(gateway, 'x@example.com', '198.51.100.3'))).toBe('403 registration_closed')
  await gateway.stop()
  rmSync(gateway.home.dataDir, { recursive: true, force: true })
})
