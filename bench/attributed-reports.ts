// What lists and sums by tag, end user and session cost an account with a million requests and ten thousand tags, on both engines: CPU of the
// process that has the store, with the processes of PostgreSQL.
//
//   bun bench/attributed-reports.ts --requests 1000000 --tags 10000 --days 1,30
import { Database } from 'bun:sqlite'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SQL } from 'bun'
import { newWallet } from '../packages/gateway/contract/storage/harness.ts'
import { openPostgres } from '../packages/gateway/src/storage/postgres/open-postgres.ts'
import { openSqlite, SQLITE_FILE } from '../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import type { Storage } from '../packages/gateway/src/storage/storage.ts'
import { childrenOf, launchPostgres } from '../test/support/postgres/postgres.ts'
import { attributedRows } from '../tools/fill/fill-attributed.ts'
import { cpuMicros, median } from './harness/measure.ts'
import { table } from './harness/report.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    tags: { type: 'string', default: '10000' },
    days: { type: 'string', default: '1,30' },
    rounds: { type: 'string', default: '7' },
    engines: { type: 'string', default: 'sqlite,postgres' },
  },
})
const [requests, tags, rounds] = [values.requests, values.tags, values.rounds].map(Number) as [number, number, number]
const DAY_MS = 86_400_000

type Filled = { storage: Storage; account: bigint; pids(): readonly number[]; close(): Promise<void> }
type Read = [name: string, read: () => Promise<unknown>]

function reads({ storage, account }: Filled, days: number): Read[] {
  const to = Date.now() - (Date.now() % DAY_MS) + DAY_MS
  const range = { from: to - days * DAY_MS, to }
  const { attribution, lists, spending } = storage
  const largest = { sort: { by: 'charged', descends: true } } as const
  return [
    ['the 100 most expensive tags', () => attribution.sums('tag', ['value'], range, { account }, 100, largest)],
    ['a page of tags', () => attribution.sums('tag', ['value'], range, { account }, 100)],
    ['the values of one name', () => attribution.sums('tag', ['value'], range, { account, tagName: 'env' }, 100)],
    [
      'one tag by day and model',
      () => attribution.sums('tag', ['day', 'model'], range, { account, value: 'env=1' }, 400),
    ],
    ['end users of all accounts', () => attribution.sums('end_user', ['value'], range, {}, 100, largest)],
    ['chart of an account by tag', () => spending.series(account, range, 'day', 'tag')],
    ['breakdown of an account by tag', () => spending.totals(account, range, 'day', 'tag', 200)],
    ['chart of one tag', () => spending.series(account, { ...range, tag: 'team=t7' }, 'day', 'model')],
    ['requests of a tag', () => lists.requests({ account, tag: 'team=t7', ...range }, {}, 50)],
    ['requests of a session', () => lists.requests({ account, session: 's_777' }, {}, 50)],
    ['total of a session', () => attribution.session(account, 's_777')],
  ]
}

async function sqlite(days: number): Promise<Filled> {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-attributed-'))
  const created = await openSqlite(folder)
  const { account, key } = await newWallet(created, 1_000_000_000_000_000n)
  await created.close()
  const db = new Database(join(folder, SQLITE_FILE), { readwrite: true })
  const rows = attributedRows({ account, key, requests, tags, days }, Date.now())
  db.transaction(() => rows.forEach((each) => void db.run(each)))()
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close(true)
  const storage = await openSqlite(folder)
  const close = async () => {
    await storage.close()
    rmSync(folder, { recursive: true })
  }
  return { storage, account, pids: () => [process.pid], close }
}

async function postgres(days: number): Promise<Filled> {
  const server = await launchPostgres()
  const url = await server.freshDatabase()
  const storage = await openPostgres(url)
  const { account, key } = await newWallet(storage, 1_000_000_000_000_000n)
  const sql = new SQL(url, { max: 1 })
  for (const each of attributedRows({ account, key, requests, tags, days }, Date.now())) await sql.unsafe(each)
  await sql.unsafe('VACUUM ANALYZE')
  await sql.close()
  const pids = () => [process.pid, server.pid, ...childrenOf(server.pid)]
  return { storage, account, pids, close: () => storage.close() }
}

/** A process of PostgreSQL's vacuum may have ended meanwhile. */
const used = (pids: readonly number[]) =>
  new Map(pids.filter((pid) => existsSync(`/proc/${pid}`)).map((pid) => [pid, cpuMicros(pid)]))
const usedSince = (before: Map<number, number>): number =>
  [...used([...before.keys()])].reduce((sum, [pid, now]) => sum + now - (before.get(pid) ?? 0), 0)

for (const open of [sqlite, postgres].filter(({ name }) => values.engines.split(',').includes(name)))
  for (const days of values.days.split(',').map(Number)) {
    const filled = await open(days)
    const rows: string[][] = []
    for (const [name, read] of reads(filled, days)) {
      const costs: number[] = []
      for (let round = 0; round < rounds; round += 1) {
        const before = used(filled.pids())
        await read()
        costs.push(usedSince(before) / 1_000)
      }
      rows.push([name, costs[0]?.toFixed(1) ?? '', median(costs).toFixed(1)])
    }
    console.log(`${open.name}, ${requests} requests, ${tags} tags, ${days} days`)
    console.log(table(['read', 'first, ms of CPU', 'median, ms of CPU'], rows))
    await filled.close()
  }
process.exit(0)
