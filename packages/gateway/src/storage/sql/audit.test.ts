// An audit reads every row; it must not read every row for every row.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { migrate } from '../migrations/migrate-sqlite.ts'
import { AUDIT, auditAfter } from './audit.ts'
import { NONE } from './months/bounds.ts'

function planOf(sql: string): string[] {
  const db = new Database(':memory:', { safeIntegers: true, strict: true })
  migrate(db, 'ledger.db', { id: 1, script: 'ledger', mayChange: true })
  const steps = db.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all()
  db.close(true)
  return steps.map(({ detail }) => detail)
}

const joins = (sql: string) => planOf(sql).filter((step) => /JOIN/.test(step))

test('the plan shows a join where there is one', () => {
  const summed = '(SELECT request, sum(amount) AS paid FROM transfer GROUP BY request)'
  expect(joins(`SELECT r.id FROM request r FULL JOIN ${summed} t ON t.request = r.id`)).not.toEqual([])
})

test.each(
  AUDIT.map(({ sql }) => [sql.trim().slice(0, 60), sql]),
)('no join of one whole table with another: %s', (_, sql) => {
  expect(joins(sql)).toEqual([])
})

const SEAL = { ...NONE, endsAt: Date.UTC(2026, 9), firstOpen: 1_000n, lastSealed: 1_000n }
/** These grow with every request. */
const LARGE = /\b(request|transfer|hourly_spending|daily_spending|daily_key_spending)\b/
/** Few requests are open, or cost nothing and are not removed yet. */
const FEW = /USING (COVERING )?INDEX request_(open|free)/

const scans = (sql: string) =>
  planOf(sql).filter(
    (step) => /SCAN/.test(step) && LARGE.test(step) && !/SCAN .*SUBQUERY/.test(step) && !FEW.test(step),
  )

test('the plan shows a scan where there is one', () => {
  expect(AUDIT.flatMap(({ sql }) => scans(sql)).length).toBeGreaterThan(5)
})

test.each(
  auditAfter(SEAL).map(({ sql }) => [sql.trim().slice(0, 60), sql]),
)('after a seal no sealed request or transfer is read: %s', (_, sql) => {
  expect(scans(sql)).toEqual([])
  expect(joins(sql)).toEqual([])
})
