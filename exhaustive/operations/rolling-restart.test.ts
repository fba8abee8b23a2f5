// Three gateways on one PostgreSQL behind a load balancer, restarted under load one after the other, each with the next version of the
// stored data: the first upgrades it, while the others go on with the version before.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { MIGRATIONS } from '../../packages/gateway/src/storage/migrations/migrations.ts'
import { eventually } from '../../test/support/eventually.ts'
import { newKey } from '../../test/support/gateway/accounts.ts'
import { chat, type Gateway, startGateway, type UsageEntry } from '../../test/support/gateway/gateway.ts'
import { homeOnSameDatabase, newHome } from '../../test/support/gateway/home.ts'
import { NEXT_VERSION } from '../../test/support/next-version.ts'
import { ask } from '../../test/support/postgres/schemas.ts'
import { type Balancer, startBalancer } from '../support/balancer.ts'

const NODES = 3
const CONFIG = 'server: { drain: 20s }\n'

type Asked = { id: string | null; status: number; complete: boolean }

/** Clients that keep their connections, and clients that open one for each request. */
const CLIENTS = [
  { stream: true, headers: {} },
  { stream: true, headers: { connection: 'close' } },
  { stream: false, headers: {} },
  { stream: false, headers: { connection: 'close' } },
] as const

let nodes: Gateway[] = []
let balancer: Balancer
beforeAll(async () => {
  const first = await newHome('postgres', CONFIG)
  for (let index = 0; index < NODES; index += 1) {
    const own = index === 0 ? first : homeOnSameDatabase(first, CONFIG)
    nodes.push(await startGateway({ home: own }))
  }
  balancer = await startBalancer(nodes.map(({ url }) => url))
})
afterAll(async () => {
  balancer.stop()
  await Promise.all(nodes.map((node) => node.stop()))
})

async function one(url: string, secret: string, client: (typeof CLIENTS)[number]): Promise<Asked> {
  const words = client.stream ? 'say 40 words, pace 20 ms' : 'say 20 words'
  const body = { model: 'sandbox-text', stream: client.stream, messages: [{ role: 'user', content: words }] }
  const answer = await chat(url, secret, body, client.headers)
  const text = await answer.text()
  const complete = client.stream ? text.endsWith('data: [DONE]\n\n') : text.includes('"finish_reason":"stop"')
  return { id: answer.headers.get('x-request-id'), status: answer.status, complete }
}

test('every request is accepted, completed and settled', async () => {
  const [first] = nodes
  if (!first) throw new Error('no node')
  const { secret, email } = await newKey(first, '1000')
  let going = true
  const asked: Asked[] = []
  const failures: string[] = []
  const clients = [...CLIENTS, ...CLIENTS].map(async (client) => {
    while (going) {
      try {
        asked.push(await one(balancer.url, secret, client))
      } catch (error) {
        failures.push(String(error))
      }
      await Bun.sleep(10)
    }
  })

  const restarted: Gateway[] = []
  for (const gateway of nodes) {
    await eventually(() => balancer.inUse() === NODES)
    const before = asked.length
    gateway.signal('SIGTERM')
    expect(await gateway.exited).toBe(0)
    expect(gateway.output().stderr).not.toContain('still running')
    expect(asked.length).toBeGreaterThan(before)
    // The balancer expects it at the same port.
    const { port } = new URL(gateway.url)
    restarted.push(await startGateway({ home: gateway.home, env: { PORT: port }, migrations: [NEXT_VERSION] }))
  }
  nodes = restarted
  await eventually(() => balancer.inUse() === NODES)
  going = false
  await Promise.all(clients)

  expect(failures).toEqual([])
  expect(asked.filter(({ status, complete }) => status !== 200 || !complete)).toEqual([])
  expect(balancer.rejected()).toBe(0)
  expect(asked.length).toBeGreaterThan(100)
  const [next] = nodes
  const rows = (await next?.command<UsageEntry[]>('usage', '--account', email, '--limit', '0')) ?? []
  expect(rows.map(({ request_id }) => request_id).sort()).toEqual(asked.map(({ id }) => id ?? '').sort())
  expect(rows.filter(({ outcome, cost_usd }) => outcome !== 'completed' || Number(cost_usd) === 0)).toEqual([])
  expect(await next?.command('audit')).toMatchObject({ ok: true, open_holds: 0 })
  const versions = await ask(next?.home.databaseUrl ?? '', 'select version from schema_version order by version')
  expect(versions.map(({ version }) => Number(version))).toEqual([
    ...MIGRATIONS.map((each) => each.version),
    NEXT_VERSION.version,
  ])
})
