// The audit of a ledger with sealed months reads by indexes what came later, on PostgreSQL as well.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { freshSchema } from '../../../../../test/support/postgres/schemas.ts'
import { firstIdAt } from '../../money/request-ids.ts'
import { AUDIT, auditAfter } from '../sql/audit.ts'
import { NONE } from '../sql/months/bounds.ts'
import { openPostgres } from './open-postgres.ts'

const END = Date.UTC(2026, 9)
const [SEALED, OPEN] = [40_000, 200]
const SEAL = { ...NONE, endsAt: END, firstOpen: BigInt(SEALED), lastSealed: BigInt(SEALED) }

let shell: SQL
beforeAll(async () => {
  const url = await freshSchema()
  await (await openPostgres(url)).close()
  shell = new SQL(url, { max: 1 })
  const hour = 3_600_000
  const [from, to] = [1 - SEALED, OPEN]
  await shell.unsafe(`
    INSERT INTO request (id, account, key, node_id, epoch, state, held, held_at, model, upstream, cost, outcome)
      SELECT ${firstIdAt(END)} + n::bigint * 4194304, 1 + n % 7 + 7, 1, 1, 1, 1, 5, ${END} + n, 'm', 'u', 3, 'done' FROM generate_series(${from}, ${to}) n;
    INSERT INTO transfer (request, debit, credit, amount, at)
      SELECT ${firstIdAt(END)} + n::bigint * 4194304, 1 + n % 7 + 7, -1, 3, ${END} + n FROM generate_series(${from}, ${to}) n;
    INSERT INTO hourly_spending SELECT n % 100, ${END} + n::bigint * ${hour}, 1, 'm', 'u', 'done', 1, 0, 3, 0, 0, 0 FROM generate_series(${from}, ${to}) n;
    ANALYZE`)
})
afterAll(() => shell.close())

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  Plans?: Plan[]
} & {
  'Rows Removed by Filter'?: number
}

/** How many rows of large tables a plan has read. */
function rowsRead(plan: Plan): number {
  const isLarge = ['request', 'transfer', 'hourly_spending'].includes(plan['Relation Name'] ?? '')
  const own = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
  return (isLarge ? own : 0) + (plan.Plans ?? []).reduce((sum, each) => sum + rowsRead(each), 0)
}

async function countRead(sql: string): Promise<number> {
  const [row] = (await shell.unsafe(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`)) as { 'QUERY PLAN': { Plan: Plan }[] }[]
  return rowsRead(row?.['QUERY PLAN'][0]?.Plan as Plan)
}

test('an audit of the whole ledger reads all of it', async () => {
  expect(Math.max(...(await Promise.all(AUDIT.map(({ sql }) => countRead(sql)))))).toBeGreaterThan(SEALED)
})

test.each(
  auditAfter(SEAL).map(({ sql }) => [sql.trim().slice(0, 60), sql]),
)('after a seal few rows are read: %s', async (_, sql) => {
  expect(await countRead(sql)).toBeLessThan(10 * OPEN)
})
