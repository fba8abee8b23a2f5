// Two gateways on a PostgreSQL whose machine is lost under load: a synchronous standby takes over, then one that was behind.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../../test/support/eventually.ts'
import { newKey, type Row } from '../../test/support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { homeOnSameDatabase } from '../../test/support/gateway/home.ts'
import { type FlakyProxy, startFlakyProxy } from '../../test/support/postgres/flaky-proxy.ts'
import { childrenOf, launchPostgres, type PostgresServer } from '../../test/support/postgres/postgres.ts'
import { ask } from '../../test/support/postgres/schemas.ts'

// Three database starts on a busy machine.
const CLIENTS = 12
/** Answered before the primary is lost, and again after the promotion. */
const ANSWERS = 60

let primary: PostgresServer
let standby: PostgresServer
/** Where the proxy leads: an address that follows the primary. */
const place = { hostname: '127.0.0.1', port: 0 }
let proxy: FlakyProxy
const gateways: Gateway[] = []
beforeAll(async () => {
  primary = await launchPostgres()
  standby = await primary.startStandby('second')
  await ask(primary.url, "alter system set synchronous_standby_names = 'ANY 1 (second)'")
  await ask(primary.url, 'select pg_reload_conf()')
  const state = `select sync_state from pg_stat_replication where application_name = 'second'`
  await eventually(async () => (await ask(primary.url, state))[0]?.sync_state === 'quorum')
  place.port = Number(new URL(primary.url).port)
  proxy = startFlakyProxy(place)
  const databaseUrl = new URL(await primary.freshDatabase())
  databaseUrl.port = String(proxy.port)
  for (let count = 0; count < 2; count += 1) {
    const home = homeOnSameDatabase({ dataDir: '', configFile: '', databaseUrl: databaseUrl.href }, '')
    gateways.push(await startGateway({ home }))
  }
})
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()))
  proxy.stop()
  // Its programs lie in the primary's folder.
  await standby.stop()
  await primary.stop()
})

test('whatever was answered is settled once on the promoted standby', async () => {
  const [first] = gateways
  if (!first) throw new Error('no gateway')
  const { secret, rows } = await newKey(first, '1000')
  const answered: string[] = []
  let going = true
  const clients = Array.from({ length: CLIENTS }, async (_, index) => {
    const url = gateways[index % gateways.length]?.url ?? ''
    const messages = [{ role: 'user', content: 'say 10 words' }]
    const body = { model: 'sandbox-text', stream: index % 3 === 0, messages }
    while (going) {
      const answer = await chat(url, secret, body)
      const text = await answer.text()
      const end = body.stream ? 'data: [DONE]' : '"finish_reason":"stop"'
      // 503 while there is no database. A stream that cannot be settled breaks off before its end.
      if (answer.status === 200 && text.includes(end)) answered.push(answer.headers.get('x-request-id') ?? '')
      else await Bun.sleep(20)
    }
  })
  await eventually(() => answered.length >= ANSWERS)
  // The standby falls behind, so that the primary is lost with commits that only it has.
  const following = childrenOf(standby.pid)
  for (const pid of following) process.kill(pid, 'SIGSTOP')
  const waiting = "select count(*) as n from pg_stat_activity where wait_event = 'SyncRep'"
  await eventually(async () => Number((await ask(primary.url, waiting))[0]?.n) > 0)
  await primary.kill()
  for (const pid of following) process.kill(pid, 'SIGCONT')
  await standby.promote()
  place.port = Number(new URL(standby.url).port)
  proxy.cut()
  const before = answered.length
  await eventually(() => answered.length >= before + ANSWERS)
  going = false
  await Promise.all(clients)

  const states = async (): Promise<Map<string, Row>> =>
    new Map((await rows()).map((row) => [row.request_id, row] as const))
  // What was settled into a journal while there was no database is applied in the background.
  const unsettled = async () => {
    const found = await states()
    return answered.filter((id) => found.get(id)?.outcome !== 'completed')
  }
  await eventually(async () => (await unsettled()).length === 0)
  const found = await states()
  expect(answered.filter((id) => Number(found.get(id)?.cost_usd) === 0)).toEqual([])
  expect(await first.command('audit')).toMatchObject({ ok: true })
})

test('a standby that was behind: what it lost is noticed, released, and booked from the journal', async () => {
  const [first, second] = gateways
  if (!first || !second) throw new Error('no gateway')
  const { secret, rows, account } = await newKey(first, '10')
  const ask = (prompt: string) =>
    chat(first.url, secret, { model: 'sandbox-text', stream: true, messages: [{ role: 'user', content: prompt }] })
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const responses = `${first.url}/v1/responses`
  const outcomes = async () => (await rows()).map(({ outcome }) => outcome).sort()

  // Held when the standby stops to follow, and settled before the primary is lost.
  const answered = await ask('say 10 words, pace 150 ms')
  const input = 'say 10 words, pace 150 ms'
  const body = JSON.stringify({ model: 'sandbox-text', input, background: true })
  const begun = (await (await fetch(responses, { method: 'POST', headers, body })).json()) as { id: string }
  const state = async () =>
    ((await (await fetch(`${responses}/${begun.id}`, { headers })).json()) as { status: string }).status
  await eventually(async () => (await state()) === 'in_progress')
  const database = new URL(first.home.databaseUrl ?? '').pathname.slice(1)
  await withoutDatabase(database, `create database behind template "${database}"`)
  expect(await answered.text()).toContain('data: [DONE]')
  // Unknown to that standby, and running while it takes over.
  const running = await ask('say 20 words, pace 150 ms')
  await eventually(async () => (await state()) === 'completed')
  await eventually(async () => String(await outcomes()) === 'completed,completed,running')
  const [settled] = (await rows()).filter(({ outcome }) => outcome === 'completed')
  await withoutDatabase(
    database,
    `alter database "${database}" rename to lost; alter database behind rename to "${database}"`,
  )

  expect(await running.text()).toContain('data: [DONE]')
  await eventually(async () => String(await outcomes()) === 'completed,reaped,reaped')
  const booked = (await rows()).find(({ outcome }) => outcome === 'completed')
  expect(booked?.request_id).toBe(running.headers.get('x-request-id') ?? '')
  expect(Number(booked?.cost_usd)).toBeGreaterThan(Number(settled?.cost_usd))
  const { balance_usd, held_usd } = await account()
  expect({ held_usd, balance: Number(balance_usd) }).toEqual({
    held_usd: '0.00',
    balance: 10 - Number(booked?.cost_usd),
  })
  await eventually(async () => (await state()) !== 'in_progress')
  expect(first.output().stderr).toContain('the database has lost commits that it had confirmed')
  expect(await (await fetch(`${first.url}/metrics`)).text()).toContain('trivium_lost_commits_total 1')
  expect(await first.command('audit')).toMatchObject({ ok: true })
})

/** No connection reaches the database while the statements run. */
async function withoutDatabase(database: string, statements: string): Promise<void> {
  const { port } = place
  const server = new URL(standby.url)
  server.pathname = '/postgres'
  place.port = 1
  proxy.cut()
  await ask(server.href, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`)
  for (const statement of statements.split('; ')) await ask(server.href, statement)
  place.port = port
}
