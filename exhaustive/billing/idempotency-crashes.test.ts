// Idempotency keys across crashes, and across nodes that share a database: never a second charge.
import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { SQL } from 'bun'
import { eventually } from '../../test/support/eventually.ts'
import { cost, newKey } from '../../test/support/gateway/accounts.ts'
import { chat, type Gateway, startGateway, type UsageEntry } from '../../test/support/gateway/gateway.ts'
import { ENGINES, type Home, homeOnSameDatabase } from '../../test/support/gateway/home.ts'
import { chatBody, requestReceived } from '../../test/support/requests/client.ts'
import { configFor, reply, respondWith, startUpstream } from '../../test/support/upstreams/raw-upstream.ts'

const upstream = await startUpstream()
const config = configFor(upstream)
afterAll(() => upstream.stop())

const KEYED = { 'idempotency-key': 'order-4711' }
const ONCE = cost(10, 20)
const call = (gateway: Gateway, secret: string) => chat(gateway.url, secret, chatBody('renamed', false), KEYED)
const usageOf = (gateway: Gateway, email: string) => gateway.command<UsageEntry[]>('usage', '--account', email)

/** Keeps the gateway from storing the outcome of a claimed request; released once the gateway was killed. */
async function blockKeeping({ dataDir, databaseUrl }: Home): Promise<() => Promise<void>> {
  if (databaseUrl === undefined) {
    const file = new Database(join(dataDir, 'contents.db'))
    file.run('BEGIN IMMEDIATE')
    return async () => file.close()
  }
  const sql = new SQL(databaseUrl, { max: 1 })
  await sql.unsafe('begin')
  await sql.unsafe('select from idempotency for update')
  return async () => {
    // The server would still execute the last statement of the killed gateway.
    await sql.unsafe(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'trivium work'`)
    await sql.unsafe('rollback')
    await sql.close()
  }
}

test.each(
  ENGINES,
)('%s: killed between settling the request and storing the response: 409 that names the cost', async (engine) => {
  const gateway = await startGateway({ engine, config })
  const { secret, email } = await newKey(gateway)
  const gate = Promise.withResolvers<void>()
  upstream.behave((socket, request) => gate.promise.then(() => respondWith(reply())(socket, request)))
  const before = upstream.received.length
  const first = call(gateway, secret)
  first.catch(() => {})
  await requestReceived(upstream, before)
  const unblock = await blockKeeping(gateway.home)
  gate.resolve()
  await eventually(async () => (await usageOf(gateway, email))[0]?.outcome === 'completed')
  await gateway.kill()
  await unblock()

  const next = await startGateway({ home: gateway.home })
  const again = await call(next, secret)
  const { error } = (await again.json()) as { error: { message: string } }
  expect([again.status, again.headers.get('x-should-retry')]).toEqual([409, 'false'])
  const [row, ...others] = await usageOf(next, email)
  expect(error.message).toContain(`${row?.request_id}, charged ${ONCE} USD`)
  expect([row?.cost_usd, others]).toEqual([ONCE, []])
  expect(upstream.received.length).toBe(before + 1)
  expect(await next.command('audit')).toMatchObject({ ok: true })
  await next.stop()
})

test.each(
  ENGINES,
)('%s: killed while waiting for the upstream: the next request runs and is charged once', async (engine) => {
  const gateway = await startGateway({ engine, config })
  const { secret, email } = await newKey(gateway)
  upstream.behave(() => {})
  const before = upstream.received.length
  const first = call(gateway, secret)
  first.catch(() => {})
  await requestReceived(upstream, before)
  await gateway.kill()

  upstream.behave(respondWith(reply()))
  const next = await startGateway({ home: gateway.home })
  // On PostgreSQL the request counts as running until the lease of the killed node has expired.
  await eventually(async () => {
    const response = await call(next, secret)
    await response.text()
    if (response.status !== 200) expect(response.status).toBe(409)
    return response.status === 200
  })
  expect((await call(next, secret)).headers.get('idempotent-replayed')).toBe('true')
  expect((await usageOf(next, email)).map((row) => [row.outcome, row.cost_usd])).toEqual([
    ['completed', ONCE],
    ['reaped', '0.00'],
  ])
  expect(upstream.received.length).toBe(before + 2)
  expect(await next.command('audit')).toMatchObject({ ok: true })
  await next.stop()
})

test.each(ENGINES)('%s: a stored response survives the process', async (engine) => {
  const gateway = await startGateway({ engine, config })
  const { secret, email } = await newKey(gateway)
  upstream.behave(respondWith(reply()))
  const first = await (await call(gateway, secret)).text()
  await gateway.kill()
  const next = await startGateway({ home: gateway.home })
  const again = await call(next, secret)
  expect([again.headers.get('idempotent-replayed'), await again.text()]).toEqual(['true', first])
  expect(await usageOf(next, email)).toHaveLength(1)
  await next.stop()
})

test('two gateways on one database: 50 concurrent requests with one key are one upstream call and one charge', async () => {
  const one = await startGateway({ engine: 'postgres', config })
  const home = homeOnSameDatabase(one.home, config)
  const two = await startGateway({ home })
  const { secret, email } = await newKey(one)
  upstream.behave((socket, request) => void Bun.sleep(50).then(() => respondWith(reply())(socket, request)))
  const before = upstream.received.length
  const all = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const response = await call(index % 2 === 0 ? one : two, secret)
      await response.text()
      return response.headers.get('idempotent-replayed') ? 'replayed' : response.status
    }),
  )
  expect(all.filter((outcome) => outcome === 200)).toHaveLength(1)
  expect(all.filter((outcome) => outcome !== 200 && outcome !== 409 && outcome !== 'replayed')).toEqual([])
  expect(upstream.received.length).toBe(before + 1)
  for (const gateway of [one, two])
    expect((await call(gateway, secret)).headers.get('idempotent-replayed')).toBe('true')
  expect(await usageOf(one, email)).toMatchObject([{ cost_usd: ONCE }])
  expect(await one.command('audit')).toMatchObject({ ok: true, open_holds: 0 })
  await Promise.all([one.stop(), two.stop()])
})
