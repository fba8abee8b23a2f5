// Two gateways on one PostgreSQL, one key: its limits are exact, whichever gateway gets the requests.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { homeOnSameDatabase, newHome } from '../support/gateway/home.ts'
import { chatBody } from '../support/requests/client.ts'
import {
  type Behaviour,
  configFor,
  reply,
  respondWith,
  startUpstream,
  type Upstream,
} from '../support/upstreams/raw-upstream.ts'

const CALLS = 100
const ANSWERED = respondWith(reply())

let upstream: Upstream
let gateways: Gateway[]
beforeAll(async () => {
  upstream = await startUpstream()
  const config = configFor(upstream)
  const home = await newHome('postgres', config)
  const other = homeOnSameDatabase(home, config)
  gateways = [await startGateway({ home }), await startGateway({ home: other })]
})
afterAll(async () => {
  expect(await first().command<object>('audit')).toMatchObject({ ok: true, open_holds: 0 })
  for (const gateway of gateways) await gateway.stop()
  upstream.stop()
})

function first(): Gateway {
  const [gateway] = gateways
  if (!gateway) throw new Error('no gateway')
  return gateway
}

/** Clients repeat what a gateway without CPU to spare rejects, which no limit of the account has counted. */
async function repeated(url: string, secret: string, body: object): Promise<Response> {
  const response = await chat(url, secret, body)
  if (response.status !== 503) return response
  await response.text()
  return await repeated(url, secret, body)
}

/** Sends all requests at once, half of them to each gateway, and counts the statuses. */
async function race(secret: string, meanwhile: () => Promise<void> = async () => {}): Promise<Record<number, number>> {
  const body = chatBody('same', false, { max_tokens: 50 })
  const calls = Array.from({ length: CALLS }, (_, at) => repeated(gateways[at % 2]?.url ?? '', secret, body))
  await meanwhile()
  const seen: Record<number, number> = {}
  for (const response of await Promise.all(calls)) {
    seen[response.status] = (seen[response.status] ?? 0) + 1
    await response.text()
  }
  return seen
}

test('requests per minute: the limit is served, and every other request gets 429 with retry-after', async () => {
  upstream.behave(ANSWERED)
  const { secret, email } = await newKey(first(), undefined, { rpm: '10' })
  expect(await race(secret)).toEqual({ 200: 10, 429: CALLS - 10 })
  const rows = await first().command<{ outcome: string }[]>('usage', '--account', email)
  expect(rows.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 10 }, () => 'completed'))
})

test('requests per minute of an account, shared by its keys', async () => {
  upstream.behave(ANSWERED)
  const { secret, email } = await newKey(first())
  const { secret: other } = await first().command<{ secret: string }>(
    'key',
    'create',
    '--account',
    email,
    '--name',
    'other',
  )
  await first().command('account', 'limit', '--account', email, '--rpm', '10')
  const [one, two] = await Promise.all([race(secret), race(other)])
  expect((one[200] ?? 0) + (two[200] ?? 0)).toBe(10)
  expect((one[429] ?? 0) + (two[429] ?? 0)).toBe(2 * CALLS - 10)
})

test('concurrency: the upstream never has more requests than the limit', async () => {
  let running = 0
  let most = 0
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const counting: Behaviour = async (socket, request) => {
    most = Math.max(most, ++running)
    await held
    running--
    await ANSWERED(socket, request)
  }
  upstream.behave(counting)
  const { secret } = await newKey(first(), undefined, { concurrent: '5' })
  const seen = await race(secret, async () => {
    await eventually(() => running === 5)
    // The others have been rejected by now, or soon are; later ones find the limit reached, too.
    await Bun.sleep(300)
    release()
  })
  expect(most).toBe(5)
  expect(seen[200]).toBeGreaterThanOrEqual(5)
  expect((seen[200] ?? 0) + (seen[429] ?? 0)).toBe(CALLS)
})

test('tokens per minute: the served requests together never exceed the limit', async () => {
  upstream.behave(ANSWERED)
  const { secret, email } = await newKey(first(), undefined, { tpm: '500' })
  const seen = await race(secret)
  expect(seen[200]).toBeGreaterThan(0)
  expect(seen[429]).toBeGreaterThan(0)
  const rows = await first().command<{ receipt: { units: { input: number; output: number } } }[]>(
    'usage',
    '--account',
    email,
  )
  const used = rows.reduce((sum, { receipt }) => sum + receipt.units.input + receipt.units.output, 0)
  expect(used).toBe(30 * (seen[200] ?? 0))
  expect(used).toBeLessThanOrEqual(500)
})

test('a cap that renews: the served requests together never exceed it', async () => {
  upstream.behave(ANSWERED)
  // The cost of ten requests; each holds more than its cost, so that not even ten fit at once.
  const { secret, email } = await newKey(first(), undefined, { cap: '0.0009', 'cap-period': 'day' })
  const seen = await race(secret)
  expect(seen[200]).toBeGreaterThan(0)
  expect((seen[200] ?? 0) + (seen[402] ?? 0)).toBe(CALLS)
  const [key] = await first().command<{ spent_under_cap_usd: string; held_usd: string }[]>(
    'key',
    'list',
    '--account',
    email,
  )
  expect(Number(key?.spent_under_cap_usd)).toBeLessThanOrEqual(0.0009)
  expect(key?.held_usd).toBe('0.00')
})

test('a key whose account changes is used as it is now, on both nodes, and no request fails because of it', async () => {
  upstream.behave(ANSWERED)
  const { secret, email } = await newKey(first())
  const both = () =>
    Promise.all(gateways.map(async ({ url }) => (await chat(url, secret, chatBody('same', false))).status))
  expect(await both()).toEqual([200, 200])
  for (const limit of ['1000', '2000', '3']) {
    await first().command('account', 'limit', '--account', email, '--rpm', limit)
    if (limit !== '3') expect(await both()).toEqual([200, 200])
  }
  // Four requests of this minute are counted already.
  expect(await both()).toEqual([429, 429])
})
