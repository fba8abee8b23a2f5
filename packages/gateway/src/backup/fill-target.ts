// Fills an empty target from a backup or from another engine, and proves that it has everything.

import { OLDEST_PROGRAM } from '../storage/archive/parts.ts'
import { type Audited, auditCopy, countRows, type Sums, sumsOf } from '../storage/copying/check.ts'
import type { Table, Target, Value } from '../storage/copying/copy.ts'
import { BackupError } from './errors.ts'
import type { Progress } from './progress.ts'

export type FilledTable = Table & { rows(): AsyncIterable<Value[][]> }

/** The number of rows of each table. */
export async function fillTarget(
  target: Target,
  version: number,
  tables: readonly FilledTable[],
  progress: Progress,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  await target.create(version)
  for (const table of tables) {
    let rows = 0
    for await (const batch of table.rows()) {
      await target.insert(table, batch)
      rows += batch.length
      progress(`${table.name}: ${rows} rows`)
    }
    await target.continueIds(table.name, table.lastId)
    counts.set(table.name, rows)
  }
  return counts
}

/** Throws a BackupError if a row or an amount is missing. */
export async function checkTarget(
  target: Target,
  expected: { rows: ReadonlyMap<string, number>; sums: Sums },
): Promise<Audited> {
  for (const [table, rows] of expected.rows) {
    const found = await countRows(target.query, table)
    if (found !== rows) throw new BackupError(`the table ${table} has ${found} rows instead of ${rows}`)
  }
  const { balance, held } = await sumsOf(target.query)
  if (balance !== expected.sums.balance || held !== expected.sums.held)
    throw new BackupError('the sums of balances and holds differ from those of the source')
  const audited = await auditCopy(target.query, expected.rows)
  // As the source did: programs that know of no archive would miss its rows.
  if ((expected.rows.get('archive_part') ?? 0) > 0) await target.query(OLDEST_PROGRAM)
  // The processes that held them do not run here: what they left open is resolved by the first start.
  await target.query('UPDATE node SET renewed_at = 0')
  await target.query('UPDATE lease SET expires_at = 0')
  return audited
}
