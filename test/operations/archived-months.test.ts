// A gateway whose details of old months are in files: everything that shows requests shows them, with and without a running server.
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hold, newKey, newNode, settle } from '../../packages/gateway/contract/storage/harness.ts'
import { hashSecret } from '../../packages/gateway/src/access/authenticate.ts'
import { createDiskBlobs } from '../../packages/gateway/src/media/disk.ts'
import { firstIdAt, formatRequestId } from '../../packages/gateway/src/request/ids.ts'
import { openSqlite } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import type { Storage } from '../../packages/gateway/src/storage/storage.ts'
import { adminClient } from '../support/admin/admin-client.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { createDatabase, type Home, newHome, runCommand } from '../support/gateway/home.ts'
import { operate, runJson } from '../support/gateway/operate.ts'

const DAY = 86_400_000
const SECRET = `sk-${'a'.repeat(40)}`
const POLITE = `sk-${'b'.repeat(40)}`
const OF_MONTH = 1_200
const OF_POLITE = 5
const CONFIG = 'archive: { after: 4mo }\nretention: { requests: off }\n'

let home: Home
let gateway: Gateway
let ids: string[]

/** Requests of seven months ago and six months ago, which are archived, and of now. */
async function fill({ dataDir }: Home): Promise<string[]> {
  let now = Date.now() - 215 * DAY
  const storage = await openSqlite(dataDir, { clock: () => now })
  const account = await storage.accounts.create('ada@example.com', 10_000_000_000n, -1n)
  if (!account) throw new Error('the address is taken')
  const key = await newKey(storage, account.id, { hash: hashSecret(SECRET) })
  await fillPolite(storage, now)
  const found: string[] = []
  for (const count of [OF_MONTH, OF_MONTH, 10, 10, 10, 10, 10, 3]) {
    const node = await newNode(storage)
    const of = Array.from({ length: count }, (_, at) => firstIdAt(now) + BigInt(OF_POLITE + at))
    await Promise.all(
      of.map((id) => storage.ledger.apply(hold(id, { account: account.id, key: key.id, email: '' }, node))),
    )
    await Promise.all(of.map((id) => storage.ledger.apply(settle(id, node, 50n))))
    found.push(...of.map(formatRequestId))
    now = Math.min(now + 31 * DAY, Date.now())
  }
  for (let after = 0n, isMore = true; isMore; )
    ({ last: after, isMore } = await storage.ledger.clearReceipts(firstIdAt(now), after, 1_000))
  for await (const _ of storage.months.seal());
  storage.archive.attach(async () => createDiskBlobs(join(dataDir, 'media')))
  for await (const _ of storage.archive.archive(4, 0));
  expect((await storage.archive.state()).rows).toBeGreaterThanOrEqual(4 * OF_MONTH)
  await storage.close()
  return found.reverse()
}

/** An account with a few requests of the first month. */
async function fillPolite(storage: Storage, now: number): Promise<void> {
  const account = await storage.accounts.create('bob@example.com', 10_000_000_000n, -1n)
  const key = await newKey(storage, account?.id ?? 0n, { hash: hashSecret(POLITE) })
  const node = await newNode(storage, 2)
  for (let at = 0; at < OF_POLITE; at++) {
    const id = firstIdAt(now) + BigInt(at)
    await storage.ledger.apply(hold(id, { account: account?.id ?? 0n, key: key.id, email: '' }, node))
    await storage.ledger.apply(settle(id, node, 7n))
  }
}

beforeAll(async () => {
  home = await newHome('sqlite', CONFIG)
  await createDatabase(home)
  ids = await fill(home)
})
afterAll(() => gateway.stop())

test('commands read them without a server, and name a file that is damaged', async () => {
  const deep = () => runCommand(home, ['audit', '--deep', '--json'])
  expect(JSON.parse((await deep()).stdout)).toMatchObject({ ok: true, archive_mismatches: [] })
  const folder = join(home.dataDir, 'media')
  const [place = ''] = readdirSync(folder)
  const [name = ''] = readdirSync(join(folder, place))
  const file = join(folder, place, name)
  const bytes = readFileSync(file)
  writeFileSync(file, 'something else')
  const { code, stdout } = await deep()
  expect([code, JSON.parse(stdout)]).toMatchObject([1, { ok: false, archive_mismatches: [name] }])
  writeFileSync(file, bytes)
  gateway = await startGateway({ home, config: CONFIG })
})

test('a backup has the files, also without media, and a restore proves them', async () => {
  const work = newDataFolder('trivium-archive-backup-')
  const [file, passphrase] = [join(work, 'all.tar'), join(work, 'passphrase')]
  writeFileSync(passphrase, 'a long passphrase\n')
  const run = async (at: Home, ...args: string[]) => {
    const { code, stderr } = await runCommand(at, [...args, '--passphrase-file', passphrase])
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  }
  await run(home, 'backup', file, '--without-media')
  const restored = await newHome('sqlite', CONFIG)
  await run(restored, 'restore', file)
  const { stdout } = await runCommand(restored, ['audit', '--deep', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, deep: true, archive_mismatches: [] })
  using copy = new Database(join(restored.dataDir, 'ledger.db'), { readonly: true })
  expect(copy.query('SELECT max(oldest_program) AS oldest FROM schema_version').get()).toEqual({ oldest: 4 })
  for (const folder of [work, restored.dataDir]) rmSync(folder, { recursive: true })
})

const own = async <T>(path: string): Promise<T> =>
  (await (await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${SECRET}` } })).json()) as T

test('callers page through all their requests, and get the receipt of each', async () => {
  type Usage = { requests: { request_id: string }[]; has_more: boolean; next_before?: string }
  const found: string[] = []
  for (let path = '/v1/usage?limit=100'; ; ) {
    const { requests, has_more, next_before } = await own<Usage>(path)
    found.push(...requests.map(({ request_id }) => request_id))
    if (!has_more) break
    path = `/v1/usage?limit=100&before=${next_before ?? found.at(-1)}`
  }
  expect(found).toEqual(ids)
  const oldest = ids.at(-1) ?? ''
  expect(await own<object>(`/v1/usage/${oldest}`)).toMatchObject({ request_id: oldest, outcome: 'done' })
})

/** More than one account may have under way and waiting, and few enough that the machine itself is not the bottleneck. */
const GREEDY_LOOPS = 12

test('one account reads archived pages without end, and another is served: its receipts, and its requests', async () => {
  const before = ids.at(-OF_MONTH)
  const headers = { authorization: `Bearer ${SECRET}` }
  const answers = new Map<number, number>()
  let isOver = false
  const greedy = Array.from({ length: GREEDY_LOOPS }, async () => {
    while (!isOver) {
      const answer = await fetch(`${gateway.url}/v1/usage?limit=100&before=${before}`, { headers })
      await answer.body?.cancel()
      answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1)
      if (answer.status !== 200) expect(answer.headers.get('retry-after')).not.toBeNull()
    }
  })
  try {
    await politeRounds(before)
  } finally {
    isOver = true
    await Promise.all(greedy)
  }
  // It was served as well, and told to wait where it asked for too much at once.
  expect(answers.get(200) ?? 0).toBeGreaterThan(0)
  expect([...answers.keys()].filter((status) => ![200, 429, 503].includes(status))).toEqual([])
})

async function politeRounds(before: string | undefined): Promise<void> {
  const messages = [{ role: 'user', content: 'Hello' }]
  for (let round = 0; round < 5; round++) {
    const page = await fetch(`${gateway.url}/v1/usage?before=${before}`, {
      headers: { authorization: `Bearer ${POLITE}` },
    })
    expect(await page.json()).toMatchObject({ requests: Array(OF_POLITE).fill({ outcome: 'done' }), has_more: false })
    const called = await chat(gateway.url, POLITE, { model: 'sandbox-text', messages })
    expect(called.status).toBe(200)
    await called.body?.cancel()
  }
}

test('operators list them as pages and as CSV, show and refund them, and audit them in depth', async () => {
  const { secret } = await operate<{ secret: string }>(gateway, 'admin-key create', { name: 'owner', role: 'owner' })
  const client = adminClient(gateway.url, secret)
  type List = { data: { id: string }[]; has_more: boolean; last_id: string | null }
  const old = `to=${new Date(Date.now() - 184 * DAY).toISOString().slice(0, 10)}T00:00:00Z`
  const { body } = await client<List>('GET', `requests?limit=20&${old}`)
  expect(body.data.map(({ id }) => ids.indexOf(id) > ids.length - 2 * OF_MONTH - 1)).toEqual(Array(20).fill(true))
  const headers = { authorization: `Bearer ${secret}`, accept: 'text/csv' }
  const csv = await (await fetch(`${gateway.url}/admin/v1/requests?${old}`, { headers })).text()
  expect(body.data.filter(({ id }) => csv.includes(id)).length).toBe(20)
  const oldest = ids.at(-1) ?? ''
  expect(await runJson<object>(gateway, 'request', 'show', oldest)).toMatchObject({ id: oldest, outcome: 'done' })
  await runJson<object>(gateway, 'request', 'refund', oldest, '--reason', 'sorry')
  expect(await runJson<object>(gateway, 'request', 'show', oldest)).toMatchObject({ refunded_usd: '0.00000005' })
  expect(await runJson<object>(gateway, 'audit', '--deep')).toMatchObject({ ok: true, deep: true })
  const early = ['report', 'failures', '--from', new Date(Date.now() - 200 * DAY).toISOString().slice(0, 10)]
  expect((await runCommand(gateway.home, early)).stderr).toContain('are archived')
})
