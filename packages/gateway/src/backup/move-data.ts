// `trivium migrate`: all data of a SQLite folder into an empty PostgreSQL database. The folder stays as it is.
import { type Audited, auditCopy, type Sums, sumsOf } from '../storage/copying/check.ts'
import { NotEmpty, type Source, type Target } from '../storage/copying/copy.ts'
import { BackupError } from './errors.ts'
import { checkTarget, fillTarget } from './fill-target.ts'
import type { Progress } from './progress.ts'

/** In `meta` of the target: what was moved, so that a second run can tell. */
const MOVED = 'moved'
type Move = { at: string; requests: number; transfers: number; balance: string; held: string }

export type MoveOptions = {
  source: Source
  openTarget(): Promise<Target>
  /** Reads the target as it is. */
  openMoved(): Promise<Source>
  progress: Progress
}

/** `again`: an earlier run has moved the same data, and nothing was done. */
export type Moved = {
  again: boolean
  at: string
  rows: number
  sums: Sums
  audits: { source: Audited; target: Audited }
}

export async function moveData({ source, openTarget, openMoved, progress }: MoveOptions): Promise<Moved> {
  const sums = await sumsOf(source.query)
  const audit = await auditCopy(source.query)
  const move: Move = {
    at: new Date().toISOString(),
    requests: audit.requests,
    transfers: audit.transfers,
    balance: String(sums.balance),
    held: String(sums.held),
  }
  let target: Target
  try {
    target = await openTarget()
  } catch (error) {
    if (!(error instanceof NotEmpty)) throw error
    return await alreadyMoved(move, error, openMoved, sums, audit)
  }
  try {
    const tables = (await source.tables()).map((table) => ({ ...table, rows: () => source.rows(table) }))
    const rows = await fillTarget(target, source.version, tables, progress)
    const audited = await checkTarget(target, { rows, sums })
    await target.insert({ name: 'meta', columns: ['name', 'value'] }, [[MOVED, JSON.stringify(move)]])
    await target.finish()
    const all = [...rows.values()].reduce((sum, count) => sum + count, 0)
    return { again: false, at: move.at, rows: all, sums, audits: { source: audit, target: audited } }
  } catch (error) {
    await target.abort()
    throw error
  }
}

async function alreadyMoved(
  move: Move,
  notEmpty: NotEmpty,
  openMoved: () => Promise<Source>,
  sums: Sums,
  audit: Audited,
): Promise<Moved> {
  const there = await openMoved().catch(() => {
    throw notEmpty
  })
  try {
    const [row] = await there.query(`SELECT value FROM meta WHERE name = '${MOVED}'`)
    if (!row) throw notEmpty
    const before = JSON.parse(String(row.value)) as Move
    const isSame = JSON.stringify({ ...before, at: move.at }) === JSON.stringify(move)
    if (!isSame)
      throw new BackupError(
        `the database has data that were moved at ${before.at}, and the source has changed since: use an empty database`,
      )
    const audits = { source: audit, target: await auditCopy(there.query) }
    return { again: true, at: before.at, rows: 0, sums, audits }
  } finally {
    await there.close()
  }
}
