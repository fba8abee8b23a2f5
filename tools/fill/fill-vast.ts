// Fills a SQLite store with tens of millions of requests by a few statements a day: what grows with their number is measured on it. Writes
// the rows that the ledger would have written for requests that are evenly spread over time, accounts and models (fill.test.ts).
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { REVENUE, SETTLED } from '../../packages/gateway/src/money/book.ts'
import { EPOCH_MS } from '../../packages/gateway/src/money/request-ids.ts'
import { openSqlite, SQLITE_FILE } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import { addUpSpent, createWallets } from './fill-many.ts'
import { makeRequests } from './requests.ts'

export type VastPlan = { accounts: number; keysOfEach: number; requests: number; days: number }

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Older receipts have lost their text, as a server with the default retention leaves them. */
const DAYS_WITH_TEXT = 30
const MODELS = 4
const DISCONNECTED = 50

export async function fillVast(dataDir: string, plan: VastPlan): Promise<void> {
  // Creates the tables.
  await (await openSqlite(dataDir)).close()
  const until = Date.now() - 60_000
  const from = until - plan.days * DAY_MS
  const db = new Database(join(dataDir, SQLITE_FILE), { readwrite: true, safeIntegers: true, strict: true })
  try {
    // A fill that is interrupted is begun anew.
    db.run('PRAGMA synchronous = OFF')
    db.run('PRAGMA cache_size = -200000')
    db.transaction(() => createWallets(db, { ...plan, models: [] }, from))()
    const book = bookDays(db, plan)
    for (let day = 0; day < plan.days; day += 1)
      db.transaction(() => book(from + day * DAY_MS, day >= plan.days - DAYS_WITH_TEXT))()
    db.transaction(() => addUpSpent(db, until))()
  } finally {
    db.close(true)
  }
  const storage = await openSqlite(dataDir)
  await storage.reports.addUp()
  await storage.close()
}

function bookDays(db: Database, { accounts, keysOfEach, requests, days }: VastPlan) {
  const ofDay = Math.round(requests / days)
  const account = `1 + (place * 7919) % ${accounts}`
  const request = db.prepare(`
    WITH RECURSIVE places (place) AS (SELECT 0 UNION ALL SELECT place + 1 FROM places WHERE place + 1 < ${ofDay}),
      made AS (SELECT place, ?1 + place * ${DAY_MS} / ${ofDay} AS at, ${account} AS account,
        1000 + (place * 31 % 5000) * 100 AS cost FROM places)
    INSERT INTO request (id, account, key, node_id, epoch, state, held, held_at, tokens, cost, model, upstream, upstream_cost, outcome, receipt)
    SELECT ((at - ${EPOCH_MS}) << 22) + place % 4096, account, account + ${accounts} * (place % ${keysOfEach}), 900, 1, ${SETTLED}, 2 * cost, at,
      100 + place % 3000, cost, 'model-' || (place % ${MODELS}), 'demo', cost / 2,
      CASE WHEN place % ${DISCONNECTED} = 0 THEN 'client_disconnected' ELSE 'completed' END, ?2 FROM made`)
  const isOfDay = `id >= (?1 - ${EPOCH_MS}) << 22 AND id < (?1 + ${DAY_MS} - ${EPOCH_MS}) << 22`
  const transfer = db.prepare(`INSERT INTO transfer (request, debit, credit, amount, at)
    SELECT id, account, ${REVENUE}, cost, held_at FROM request WHERE ${isOfDay} ORDER BY id`)
  const sums = (table: string, columns: Readonly<Record<string, string>>) => {
    const names = [...Object.keys(columns), 'model', 'upstream', 'outcome']
    const values = [...Object.values(columns), 'model', 'upstream', 'outcome']
    return db.prepare(`INSERT INTO ${table} (${names}, requests, tokens, cost, upstream_cost, unknown_costs, last_at)
      SELECT ${values}, count(*), sum(tokens), sum(cost), sum(upstream_cost), 0, max(held_at) FROM request WHERE ${isOfDay} GROUP BY ${values}
      ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, tokens = tokens + excluded.tokens, cost = cost + excluded.cost,
        upstream_cost = upstream_cost + excluded.upstream_cost, last_at = max(last_at, excluded.last_at)`)
  }
  const [hour, day] = [HOUR_MS, DAY_MS].map((ms) => `held_at - held_at % ${ms}`)
  const all = [
    sums('hourly_spending', { account: 'account', hour: hour ?? '', key: 'key' }),
    sums('daily_spending', { account: 'account', day: day ?? '' }),
    sums('daily_key_spending', { key: 'key', day: day ?? '', account: 'account' }),
  ]
  const [sample] = makeRequests({
    from: 0,
    until: DAY_MS,
    requests: 1,
    keys: [{ id: 'default', multiplierMillionths: 1_000_000n }],
    models: [{ id: 'model-0', input: 2_000_000_000n, output: 8_000_000_000n }],
  })
  return (begin: number, hasText: boolean): void => {
    request.run(begin, hasText ? (sample?.receipt ?? '') : '')
    transfer.run(begin)
    for (const sum of all) sum.run(begin)
  }
}
