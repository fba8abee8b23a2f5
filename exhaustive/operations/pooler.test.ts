// Two gateways behind a pooler in transaction mode. TRIVIUM_TEST_PGBOUNCER names a PgBouncer to be used instead of the tests' own.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../../test/support/eventually.ts'
import { newKey } from '../../test/support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { homeOnSameDatabase } from '../../test/support/gateway/home.ts'
import { type Pooler, startPooler } from '../../test/support/postgres/pooler.ts'
import { startPostgres } from '../../test/support/postgres/postgres.ts'
import { ask } from '../../test/support/postgres/schemas.ts'

const CLIENTS = 16
const REQUESTS = 400
/** Fewer than the 12 that the two would open. */
const SESSIONS = 5

let direct = ''
let pooler: Pooler
const gateways: Gateway[] = []
beforeAll(async () => {
  direct = await (await startPostgres()).freshDatabase()
  pooler = await startPooler({ url: direct, sessions: SESSIONS })
  for (let count = 0; count < 2; count += 1) {
    const home = homeOnSameDatabase({ dataDir: '', configFile: '', databaseUrl: pooler.url }, '')
    gateways.push(await startGateway({ home }))
  }
})
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()))
  await pooler.stop()
})

test('requests are answered and charged once, over fewer sessions than connections', async () => {
  const [first, second] = gateways
  if (!first || !second) throw new Error('no gateway')
  const { secret, rows } = await newKey(first, '1000')
  let sent = 0
  const clients = Array.from({ length: CLIENTS }, async (_, index) => {
    while (sent < REQUESTS) {
      sent += 1
      const body = {
        model: 'sandbox-text',
        stream: sent % 3 === 0,
        messages: [{ role: 'user', content: 'say 3 words' }],
      }
      const keyed = sent % 4 === 0 ? { 'idempotency-key': `order-${sent}` } : {}
      const answer = await chat((index % 2 === 0 ? first : second).url, secret, body, keyed)
      expect(answer.status).toBe(200)
      await answer.text()
    }
  })
  await Promise.all(clients)
  await eventually(async () => (await rows()).every(({ outcome }) => outcome === 'completed'))
  expect(await first.command('audit')).toMatchObject({ ok: true, requests: REQUESTS, open_holds: 0 })
  const sessions = await ask(
    direct,
    "select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'",
  )
  expect(sessions.length).toBe(SESSIONS)
  const { checks } = JSON.parse((await second.cli('doctor', '--json')).stdout) as {
    checks: { check: string; note: string }[]
  }
  expect(checks.find(({ check }) => check === 'database sessions')?.note).toContain('a pooler shares them')
})

test('a gateway that is killed frees its sessions, and the other resolves what it held', async () => {
  const [first, second] = gateways
  if (!first || !second) throw new Error('no gateway')
  const { secret, rows } = await newKey(first, '10')
  const messages = [{ role: 'user', content: 'say 200 words, pace 150 ms' }]
  const running = await chat(second.url, secret, { model: 'sandbox-text', stream: true, messages })
  expect(running.status).toBe(200)
  await second.kill()
  await running.text().catch(() => '')
  await eventually(async () => (await rows())[0]?.outcome === 'reaped')
  expect(await first.command('audit')).toMatchObject({ ok: true, open_holds: 0 })
})
