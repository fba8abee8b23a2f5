// Beside requests, what lists of operators show of a gateway in use for weeks: caps of keys, rejected requests, codes in batches, the audit
// log. Of a SQLite store that fill-many.ts has filled.
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { NANOS_PER_USD } from '../../packages/gateway/src/money/amount.ts'
import { SQLITE_FILE } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const DAYS = 7
const CODES_OF_BATCH = 100
const ERRORS = ['insufficient_balance', 'rate_limited', 'model_not_found']

export type RecordsPlan = { rejected: number; codes: number; audited: number; keys: number }

export function fillRecords(dataDir: string, { rejected, codes, audited, keys }: RecordsPlan): void {
  const now = Date.now()
  const db = new Database(join(dataDir, SQLITE_FILE), { readwrite: true, safeIntegers: true, strict: true })
  const each = (count: number, insert: (index: number) => void) => {
    for (let index = 0; index < count; index += 1) insert(index)
  }
  const reject =
    db.prepare(`INSERT OR IGNORE INTO rejected_request (account, key, minute, code, count, last_request, reason)
    SELECT account, id, ?2, ?3, 1, 'req_filled', 'filled' FROM api_key WHERE id = ?1`)
  const code = db.prepare(`INSERT INTO redemption_code (hash, amount, created_at, label, last_four)
    VALUES (randomblob(32), ?1, ?2, ?3, hex(randomblob(2)))`)
  const audit = db.prepare(`INSERT INTO audit_log (at, actor_type, actor, address, action, object, reason)
    VALUES (?1, 'command-line', 'root', '127.0.0.1', 'account credit', ?2, 'filled')`)
  try {
    db.transaction(() => {
      // One of three keys has a cap, and few of these have nearly spent it.
      db.run('UPDATE api_key SET cap = spent * 10 / (1 + id % 10) + 1 WHERE id % 3 = 0')
      each(rejected, (index) => {
        const minute = now - Math.floor((index / rejected) * DAYS * DAY_MS)
        reject.run(1 + ((index * 7) % keys), minute - (minute % MINUTE_MS), ERRORS[index % ERRORS.length] ?? '')
      })
      each(codes, (index) => {
        code.run(5n * NANOS_PER_USD, now - index * MINUTE_MS, `batch ${Math.floor(index / CODES_OF_BATCH)}`)
      })
      each(audited, (index) => void audit.run(now - (audited - index) * MINUTE_MS, `account/${index % 1_000}`))
    })()
  } finally {
    db.close(true)
  }
}
