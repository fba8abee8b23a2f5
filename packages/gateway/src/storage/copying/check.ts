// Proves that a copy is complete: the same number of rows, the same sums of money, and a ledger that is consistent in itself.
import { TASK_NODE } from '../../money/ledger.ts'
import { AUDIT, auditAfter, auditWithout, toAuditReport } from '../sql/audit.ts'
import { toSeal } from '../sql/months/bounds.ts'
import { integer } from '../sql/rows.ts'
import type { Statement } from '../sql/statements.ts'
import type { Part, Query } from './copy.ts'
import { CONTENTS_TABLES } from './tables.ts'

export type Sums = { balance: bigint; held: bigint }

export const partOf = (table: string): Part =>
  (CONTENTS_TABLES as readonly string[]).includes(table) ? 'contents' : 'ledger'

export async function countRows(query: Query, table: string): Promise<number> {
  const [row] = await query(`SELECT count(*) AS rows FROM ${table}`, partOf(table))
  return Number(row?.rows)
}

export async function sumsOf(query: Query): Promise<Sums> {
  const sum = (column: string) => `CAST(coalesce(sum(${column}), 0) AS bigint) AS ${column}`
  const [row] = await query(`SELECT ${sum('balance')}, ${sum('held')} FROM account`)
  return { balance: integer(row?.balance), held: integer(row?.held) }
}

/** `failed`: the names of the checks that failed. Holds of tasks that are not in the copy are voided by the next start. */
export type Audited = { ok: boolean; requests: number; transfers: number; failed: string[]; lostTaskHolds: number }

/** `tables`: those that it has; absent: all of this version. */
export async function auditCopy(query: Query, tables?: { has(table: string): boolean }): Promise<Audited> {
  const answers = []
  const audit = tables?.has('archive_part') === false ? AUDIT : await auditOfTables(query)
  for (const { sql } of tables ? auditWithout(audit, tables) : audit) answers.push(await query(sql))
  const {
    ok,
    requests,
    transfers,
    openHolds: _,
    accounts: __,
    overdrawnAccounts: ___,
    ...lists
  } = toAuditReport(answers)
  const failed = Object.entries(lists).flatMap(([name, ids]) => (ids.length > 0 ? [name] : []))
  const holds = await query(`SELECT id FROM request WHERE state = 0 AND node_id = ${TASK_NODE}`)
  const tasks = new Set((await query('SELECT id FROM task', 'contents')).map(({ id }) => String(id)))
  const lostTaskHolds = holds.filter(({ id }) => !tasks.has(String(id))).length
  return { ok, requests, transfers, failed, lostTaskHolds }
}

/** Months with rows in files are proved by their seal: the tables lack these rows. */
async function auditOfTables(query: Query): Promise<readonly Statement[]> {
  const [seal] = await query(
    'SELECT * FROM month_seal WHERE ends_at = (SELECT max(ends_at) FROM archive_part WHERE state > 0)',
  )
  return seal ? auditAfter(toSeal(seal)) : AUDIT
}
