// Fills a ledger with millions of requests by SQL, as consistent as if the gateway had served them, so that an audit
// finds no error.
import { Database } from 'bun:sqlite'
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { SQLITE_FILE } from '../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import type { Home } from '../test/support/gateway/home.ts'

const ACCOUNTS = 1_000
/** Above the ids of all accounts that the gateway creates. */
const FIRST_ACCOUNT = 1_000_000
const COST = 1_234
const RECEIPT =
  '{"group":"default","upstream_model":"bench","units":{"input":812,"cachedInput":0,"cacheWrite":0,"output":244},"total_ms":3177}'

/** On SQLite the gateway must not be running. */
export async function fillLedger(home: Home, rows: number): Promise<void> {
  if (home.databaseUrl === undefined) return fillSqlite(join(home.dataDir, SQLITE_FILE), rows)
  const sql = new SQL(home.databaseUrl, { max: 1 })
  try {
    const numbers = (count: number) => `generate_series(1, ${count}) AS numbers (n)`
    for (const statement of statements(rows, numbers, "sha256(convert_to('filled-' || n, 'UTF8'))"))
      await sql.unsafe(statement)
    await sql.unsafe('ANALYZE')
  } finally {
    await sql.close()
  }
}

function fillSqlite(file: string, rows: number): void {
  const db = new Database(file, { readwrite: true })
  // Nothing else uses the database, and after a crash the fill starts again.
  for (const setting of ['journal_mode = OFF', 'synchronous = OFF', 'cache_size = -200000']) db.run(`PRAGMA ${setting}`)
  const numbers = (count: number) =>
    `(WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count}) SELECT n FROM numbers)`
  for (const statement of statements(rows, numbers, 'randomblob(32)')) db.run(statement)
  db.close()
  // Otherwise the gateway's first commit would have to write it all to disk.
  const written = openSync(file, 'r+')
  fsyncSync(written)
  closeSync(written)
}

/** Request ids grow with time: these are the lowest possible. */
function statements(rows: number, numbers: (count: number) => string, hash: string): string[] {
  const each = Math.floor(rows / ACCOUNTS)
  const account = `${FIRST_ACCOUNT} + n % ${ACCOUNTS}`
  return [
    `INSERT INTO account (id, name, balance, spent, created_at)
     SELECT ${account}, 'filled-' || n || '@example.com', 0, ${each * COST}, 0 FROM ${numbers(ACCOUNTS)}`,
    `INSERT INTO api_key (id, account, hash, name, group_name, spent, created_at)
     SELECT ${account}, ${account}, ${hash}, 'filled', 'default', ${each * COST}, 0 FROM ${numbers(ACCOUNTS)}`,
    `INSERT INTO transfer (debit, credit, amount, reason, at) SELECT -3, ${account}, ${each * COST}, 'filled', 0 FROM ${numbers(ACCOUNTS)}`,
    `INSERT INTO request (id, account, key, node_id, epoch, state, held, held_at, cost, model, upstream, outcome, receipt)
     SELECT n, ${account}, ${account}, 0, 1, 1, 5000, 0, ${COST}, 'bench', 'fixed', 'completed', '${RECEIPT}' FROM ${numbers(each * ACCOUNTS)}`,
    `INSERT INTO transfer (request, debit, credit, amount, at) SELECT n, ${account}, -1, ${COST}, 0 FROM ${numbers(each * ACCOUNTS)}`,
    `INSERT INTO hourly_spending (account, hour, key, model, requests, tokens, cost, last_at, upstream, outcome, upstream_cost, unknown_costs)
     SELECT ${account}, 0, ${account}, 'bench', ${each}, 0, ${each * COST}, 0, 'fixed', 'completed', 0, 0 FROM ${numbers(ACCOUNTS)}`,
    `INSERT INTO daily_spending (account, day, model, upstream, outcome, requests, tokens, cost, upstream_cost, unknown_costs, last_at)
     SELECT account, hour, model, upstream, outcome, requests, tokens, cost, upstream_cost, unknown_costs, last_at FROM hourly_spending WHERE account >= ${FIRST_ACCOUNT}`,
    `INSERT INTO daily_key_spending (key, day, model, upstream, outcome, account, requests, tokens, cost, upstream_cost, unknown_costs, last_at)
     SELECT key, hour, model, upstream, outcome, account, requests, tokens, cost, upstream_cost, unknown_costs, last_at FROM hourly_spending WHERE account >= ${FIRST_ACCOUNT}`,
  ]
}
