// An audit reads every row; it must not read every row for every row.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { migrate } from '../migrations/migrate-sqlite.ts'
import { AUDIT } from './audit.ts'

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
