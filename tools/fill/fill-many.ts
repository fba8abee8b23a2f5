// Fills a SQLite store with many accounts that have been in use for weeks: what lists and reports of operators are measured on. Writes the
// rows that the ledger would have written, since by its verbs a million requests take long; an audit finds no error (fill.test.ts).
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { NANOS_PER_USD } from '../../packages/gateway/src/money/amount.ts'
import { REVENUE, SETTLED, VOIDED } from '../../packages/gateway/src/money/book.ts'
import { CREDIT } from '../../packages/gateway/src/money/ledger.ts'
import { bucketOf } from '../../packages/gateway/src/observe/latency-buckets.ts'
import { createIds } from '../../packages/gateway/src/request/ids.ts'
import { openSqlite, SQLITE_FILE } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import { type FilledModel, type MadeRequest, makeRequests } from './requests.ts'

export type ManyPlan = {
  accounts: number
  keysOfEach: number
  requests: number
  days: number
  models: readonly FilledModel[]
  /** The addresses of the first accounts; the others are numbered. */
  emails?: readonly string[]
  /** The names of the first keys of each account; the others are numbered. */
  keyNames?: readonly string[]
  /** USD that the first accounts began with; the others have enough for anything. */
  credits?: readonly number[]
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NODE_ID = 900
const CREDIT_OF_EACH_USD = 100_000
const GROUPS = ['default', 'default', 'default', 'staff', 'trial']
const GROUP = { id: 'default', multiplierMillionths: 1_000_000n }

export async function fillMany(dataDir: string, plan: ManyPlan): Promise<void> {
  // Creates the tables.
  await (await openSqlite(dataDir)).close()
  const until = Date.now() - 60_000
  const from = until - plan.days * DAY_MS
  const db = new Database(join(dataDir, SQLITE_FILE), { readwrite: true, safeIntegers: true, strict: true })
  try {
    db.transaction(() => createWallets(db, plan, from))()
    const book = createBook(db, plan)
    const keys = Array.from({ length: plan.accounts * plan.keysOfEach }, () => GROUP)
    // Day by day: a month of requests would not fit into memory.
    for (let day = 0; day < plan.days; day += 1) {
      const begin = from + day * DAY_MS
      const use = { from: begin, until: begin + DAY_MS, requests: Math.round(plan.requests / plan.days) }
      db.transaction(() => book(makeRequests({ ...use, keys, models: plan.models }, day + 1)))()
    }
    db.transaction(() => addUpSpent(db, until))()
  } finally {
    db.close(true)
  }
  const storage = await openSqlite(dataDir)
  await storage.reports.addUp()
  await storage.close()
}

/** Keys of one account are not in a row, so that the most used ones are those of many accounts. */
export function createWallets(db: Database, plan: ManyPlan, at: number): void {
  const { accounts, keysOfEach, emails = [], keyNames = [], credits = [] } = plan
  const person = db.prepare('INSERT INTO person (id, email, created_at, proved_at) VALUES (?1, ?3, ?2, ?2)')
  const account = db.prepare('INSERT INTO account (id, name, balance, created_at) VALUES (?1, ?4, ?2, ?3)')
  const member = db.prepare("INSERT INTO member (account, person, role, created_at) VALUES (?1, ?1, 'owner', ?2)")
  const opening = db.prepare(
    "INSERT INTO transfer (debit, credit, amount, reason, at) VALUES (?, ?, ?, 'opening credit', ?)",
  )
  for (let id = 1; id <= accounts; id += 1) {
    const email = emails[id - 1] ?? `user-${id}@example.com`
    person.run(id, at, email)
    const credit = BigInt(credits[id - 1] ?? CREDIT_OF_EACH_USD) * NANOS_PER_USD
    account.run(id, credit, at, email)
    member.run(id, at)
    opening.run(CREDIT, id, credit, at)
  }
  const key = db.prepare(`INSERT INTO api_key (id, account, hash, last_four, name, group_name, created_at)
    VALUES (?1, ?2, randomblob(32), lower(hex(randomblob(2))), ?5, ?3, ?4)`)
  for (let id = 1; id <= accounts * keysOfEach; id += 1)
    key.run(
      id,
      accountOf(id, accounts),
      GROUPS[id % GROUPS.length] ?? 'default',
      at,
      keyNames[Math.floor((id - 1) / accounts)] ?? `key ${id}`,
    )
}

const accountOf = (key: number, accounts: number): number => ((key - 1) % accounts) + 1

/** Requests with their transfers and sums. Those that a node left open are voided here. */
function createBook(db: Database, { accounts }: ManyPlan): (made: readonly MadeRequest[]) => void {
  let now = 0
  const ids = createIds(
    () => NODE_ID,
    () => now,
  )
  const request =
    db.prepare(`INSERT INTO request (id, account, key, node_id, epoch, state, held, held_at, tokens, cost, model, upstream,
    upstream_cost, outcome, receipt) VALUES (?, ?, ?, ${NODE_ID}, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const transfer = db.prepare('INSERT INTO transfer (request, debit, credit, amount, at) VALUES (?, ?, ?, ?, ?)')
  const added = `ON CONFLICT DO UPDATE SET requests = requests + 1, tokens = tokens + excluded.tokens, cost = cost + excluded.cost,
    upstream_cost = upstream_cost + excluded.upstream_cost, unknown_costs = unknown_costs + excluded.unknown_costs, last_at = max(last_at, excluded.last_at)`
  const sums = (table: string, columns: string) =>
    db.prepare(`INSERT INTO ${table} (${columns}, model, upstream, outcome, requests, tokens, cost, upstream_cost, unknown_costs, last_at)
      VALUES (${columns.replace(/\w+/g, '?')}, ?, ?, ?, 1, ?, ?, ?, ?, ?) ${added}`)
  const hourly = sums('hourly_spending', 'account, hour, key')
  const daily = sums('daily_spending', 'account, day')
  const dailyKey = sums('daily_key_spending', 'key, day, account')
  const call = db.prepare(`INSERT INTO upstream_hour (hour, upstream, measure, bucket, count) VALUES (?, ?, ?, ?, 1)
    ON CONFLICT DO UPDATE SET count = count + 1`)
  const latency = db.prepare(`INSERT INTO latency (hour, model, bucket, count) VALUES (?, ?, ?, 1)
    ON CONFLICT DO UPDATE SET count = count + 1`)
  const countCall = ({ at, model, upstream, end, firstTokenMs, totalMs }: MadeRequest) => {
    const hour = at - (at % HOUR_MS)
    call.run(hour, upstream, end === 'settle' ? 'good' : 'failed', bucketOf(totalMs))
    if (firstTokenMs === undefined) return
    call.run(hour, upstream, 'first_token', bucketOf(firstTokenMs))
    latency.run(hour, model, bucketOf(firstTokenMs))
  }
  return (made) => {
    for (const each of made) {
      const { at, key: place, model, upstream, held, cost, upstreamCost, tokens, outcome, end, receipt } = each
      now = at
      const [id, key, account] = [ids.next(), place + 1, accountOf(place + 1, accounts)]
      const state = end === 'settle' ? SETTLED : VOIDED
      request.run(
        id,
        account,
        key,
        state,
        held,
        at,
        tokens,
        cost,
        model,
        upstream,
        upstreamCost ?? null,
        outcome,
        receipt,
      )
      if (cost > 0n) transfer.run(id, account, REVENUE, cost, at)
      const isUnknown = end === 'settle' && upstreamCost === undefined
      const sum = [model, upstream, outcome, tokens, cost, upstreamCost ?? 0n, isUnknown ? 1 : 0, at] as const
      hourly.run(account, at - (at % HOUR_MS), key, ...sum)
      daily.run(account, at - (at % DAY_MS), ...sum)
      dailyKey.run(key, at - (at % DAY_MS), account, ...sum)
      countCall(each)
    }
  }
}

export function addUpSpent(db: Database, at: number): void {
  const spent = (owner: string) => `coalesce((SELECT sum(cost) FROM daily_key_spending WHERE ${owner}), 0)`
  db.run(`UPDATE api_key SET spent = ${spent('key = api_key.id')}`)
  db.run(`UPDATE account SET spent = (SELECT sum(spent) FROM api_key WHERE api_key.account = account.id)`)
  db.run('UPDATE account SET balance = balance - spent')
  db.run(
    `UPDATE api_key SET spent_at = coalesce((SELECT max(last_at) FROM daily_key_spending WHERE key = api_key.id), 0)`,
  )
  db.run('UPDATE account SET spent_at = ? WHERE spent > 0', [at])
}
