// Reports about the ledger on both engines: usage, receipts, audit.
import { sql } from 'kysely'
import { HELD } from '../../money/book.ts'
import { TASK_NODE } from '../../money/ledger.ts'
import type { ListedRequest } from '../console/lists.ts'
import type { AuditReport, LedgerTotals, UsageRow } from '../ledger.ts'
import { toUsageRow } from '../ledger.ts'
import { lostTaskHolds, type TaskHold } from '../node/lost-task-holds.ts'
import { AUDIT, auditAfter, toAuditReport } from './audit.ts'
import { COUNTED_COLUMNS } from './budgets/rows.ts'
import { checkId } from './guard.ts'
import { monthName, type Seal } from './months/bounds.ts'
import { brokenSeals } from './months/check.ts'
import type { LedgerRows } from './months/ledger-rows.ts'
import { IS_FREE, lateTransfers } from './months/parts.ts'
import { seals } from './months/rows.ts'
import { integer, optional } from './rows.ts'
import { type Connection, type Database, type Statement, statement } from './statements.ts'
import type { tasksOver } from './tasks.ts'

/** Longer lists are read apart from requests. */
const LONGEST_SHORT_LIST = 25
/** Longer ones are no page. */
const LONGEST_PAGE = 1_000

/** What a deep audit reads of archives. */
type Archive = {
  /** The end of the last month of which rows may have left the tables; 0: of none. */
  until(): Promise<number>
  allRows: LedgerRows
  unchanged<T>(read: () => Promise<T>): Promise<T>
  all(): readonly unknown[]
  damaged(onPart: () => void): Promise<string[]>
}

export function reportsOver(
  connection: Connection,
  tasks: Pick<ReturnType<typeof tasksOver>, 'existing'>,
  archive: Archive,
) {
  const { db, runner, clock } = connection
  const openTaskHolds = async (after: bigint, limit: number): Promise<TaskHold[]> =>
    (await runner.readLedger(taskHoldsAfter(db, after, limit))).map(({ id, held }) => ({
      id: integer(id),
      held: integer(held),
    }))

  async function audit({ deep = false, onStep }: AuditOptions): Promise<AuditReport> {
    const until = await archive.until()
    const all = await seals(connection)
    const last = all.at(-1)
    const base = deep ? all.findLast(({ endsAt }) => endsAt <= until) : last
    const parts = [...(base ? auditAfter(base) : AUDIT), ...(last ? [countLate(last)] : [])]
    const files = deep ? archive.all().length : 0
    const steps = parts.length + all.length + files
    const answers = await runner.readSlowly(parts, onStep && ((done) => onStep(done, steps)))
    const late = last ? Number(answers.pop()?.[0]?.late) : 0
    const rows = toAuditReport(answers)
    let done = parts.length
    const step = () => onStep?.(++done, steps)
    const archiveMismatches = deep ? await archive.damaged(step) : []
    const ledger = deep ? archive.allRows : undefined
    const broken = new Set(await brokenSeals(connection, all, ledger, step))
    if (last && late > 0) broken.add(monthName(last.endsAt))
    const lost = (await lostTaskHolds({ ledger: { openTaskHolds }, tasks })).map(({ id }) => id)
    return {
      ...rows,
      ok: rows.ok && broken.size === 0 && archiveMismatches.length === 0,
      isDeep: deep,
      sealedMonths: all.length,
      sealedUntil: last?.endsAt,
      lastSeal: last?.hash,
      sealMismatches: [...broken],
      archiveMismatches,
      lostTaskHolds: lost,
    }
  }

  return {
    /** Open holds of tasks with ids above `after`, in the order of their ids. */
    openTaskHolds,
    /** undefined also for a request of another account. */
    async findRequest(account: bigint, request: bigint): Promise<UsageRow | undefined> {
      const [row] = await runner.readLedger(findRequest(db, account, checkId(request)))
      return row && toUsageRow(row)
    },
    /** Whosever it is. `upstreamCost`: undefined where it is not known. */
    async requestOfAny(request: bigint): Promise<ListedRequest | undefined> {
      const query = db.selectFrom('request').select(['account', 'upstream_cost', ...USAGE, receipt.as('receipt')])
      const [row] = await runner.readLedger(statement(query.where('id', '=', checkId(request))))
      if (!row) return undefined
      const upstreamCost = optional(row.upstream_cost, integer)
      return { account: integer(row.account), row: toUsageRow(row), upstreamCost }
    },
    /** Newest first; limit 0 = all. `before`: only requests with a lower id. */
    async usage(account: bigint, limit: number, before?: bigint): Promise<UsageRow[]> {
      if (!Number.isSafeInteger(limit) || limit < 0) throw new RangeError(`limit: ${limit}`)
      const query = usage(db, account, limit, before === undefined ? undefined : checkId(before))
      if (limit === 0 || limit > LONGEST_PAGE) return ((await runner.readSlowly([query]))[0] ?? []).map(toUsageRow)
      const rows = limit > LONGEST_SHORT_LIST ? await runner.readPage(query) : await runner.readLedger(query)
      return rows.map(toUsageRow)
    },
    /**
     * Clears the text of receipts, and nothing else, of the next `limit` requests with ids between `after` and `below`. Stops
     * at a request that is still open. `last`: where to continue.
     */
    async clearReceipts(below: bigint, after: bigint, limit: number): Promise<{ last: bigint; isMore: boolean }> {
      const rows = await runner.read(receiptsAfter(db, after, below, limit))
      const open = rows.findIndex(({ state }) => Number(state) === HELD)
      const ended = open < 0 ? rows : rows.slice(0, open)
      const last = ended.length === 0 ? after : integer(ended[ended.length - 1]?.id)
      if (ended.some((row) => Number(row.has_receipt) === 1)) await runner.write([clearReceipts(db, after, last)])
      return { last, isMore: open < 0 && rows.length === limit }
    },
    /**
     * Removes the rows of at most `limit` ended requests at price 0 with ids below `below`, and adds them to the sums that the audit needs;
     * sums of usage stay as they are. Resolves with their number; 0 also if another process does the same.
     */
    async foldFreeRequests(below: bigint, limit: number): Promise<number> {
      const [rows = [], [fold] = []] = await runner.readSlowly([freeRequests(below, limit), lastFold(db)])
      if (rows.length === 0) return 0
      const ids = rows.map(({ id }) => integer(id))
      const written = await runner.write(foldRequests(db, ids, fold === undefined ? undefined : String(fold.value)))
      return written ? ids.length : 0
    },
    /**
     * Removes at most `limit` leases of tasks with ids below `below` that no process holds and whose request is not open; resolves with
     * their number. An ended request stays as it is, also if the lease is acquired again. A request that was never begun must be so old
     * that no hold for it can be under way.
     */
    async removeTaskLeases(below: bigint, limit: number): Promise<number> {
      const [removed] = (await runner.write([removeTaskLeases(db, BigInt(clock()), below, limit)])) ?? []
      return removed?.length ?? 0
    },
    async totals(): Promise<LedgerTotals> {
      const [row] = await runner.readPage(totals(db))
      const oldest = row?.oldest ?? undefined
      return {
        openHolds: Number(row?.holds ?? 0),
        held: integer(row?.held ?? 0n),
        oldestHoldMs: oldest === undefined ? 0 : Math.max(0, clock() - Number(oldest)),
        shortfall: integer(row?.shortfall ?? 0n),
      }
    },
    /**
     * Proves the sealed months by their seals, and the rest in full; `deep`: all of it in full. Months with rows in archives are then
     * added up again with these. `onStep`: told how many of its parts are done.
     */
    audit: (options: AuditOptions = {}): Promise<AuditReport> =>
      options.deep ? archive.unchanged(() => audit(options)) : audit(options),
  }
}

export type AuditOptions = { deep?: boolean | undefined; onStep?: ((done: number, of: number) => void) | undefined }

const countLate = (seal: Seal): Statement => ({ sql: lateTransfers(seal), parameters: [], required: false })

export const USAGE = [
  ...(['id', 'key', 'model', 'upstream', 'state', 'outcome', 'held', 'held_at', 'tokens', 'cost'] as const),
  ...(['shortfall', ...COUNTED_COLUMNS] as const),
] as const
/** Shown instead of a receipt that is larger than the gateway writes: a page of such receipts would exhaust memory. */
const OVERSIZED_RECEIPT = JSON.stringify({ warnings: ['receipt;cut'] })
const RECEIPT_CHARACTERS = 16 * 1024
export const receipt = sql<string>`CASE WHEN length(receipt) <= ${sql.lit(RECEIPT_CHARACTERS)} THEN receipt ELSE ${sql.lit(OVERSIZED_RECEIPT)} END`

function usage(db: Database, account: bigint, limit: number, before: bigint | undefined): Statement {
  const all = db
    .selectFrom('request')
    .select([...USAGE, receipt.as('receipt')])
    .where('account', '=', account)
    .orderBy('id', 'desc')
  const older = before === undefined ? all : all.where('id', '<', before)
  return statement(limit === 0 ? older : older.limit(limit))
}

const findRequest = (db: Database, account: bigint, request: bigint): Statement =>
  statement(
    db
      .selectFrom('request')
      .select([...USAGE, receipt.as('receipt')])
      .where('id', '=', request)
      .where('account', '=', account),
  )

const taskHoldsAfter = (db: Database, after: bigint, limit: number): Statement =>
  statement(
    db
      .selectFrom('request')
      .select(['id', 'held'])
      .where('node_id', '=', TASK_NODE)
      .where('state', '=', HELD)
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit),
  )

/** Both SELECTs read a partial index: few requests are open, and fewer have a shortfall. PostgreSQL would sum integers to a decimal number. */
const totals = (db: Database): Statement => ({
  ...sql`SELECT count(*) AS holds, CAST(sum(held) AS bigint) AS held, min(held_at) AS oldest,
    (SELECT CAST(sum(shortfall) AS bigint) FROM request WHERE shortfall <> 0) AS shortfall
  FROM request WHERE state = 0`.compile(db),
  required: false,
})

/** Which of the next requests have ended, and which have a receipt, without reading it. */
const receiptsAfter = (db: Database, after: bigint, below: bigint, limit: number): Statement =>
  statement(
    db
      .selectFrom('request')
      .select(['id', 'state', sql<number>`CASE WHEN receipt = '' THEN 0 ELSE 1 END`.as('has_receipt')])
      .where('id', '>', after)
      .where('id', '<', below)
      .orderBy('id')
      .limit(limit),
  )

const clearReceipts = (db: Database, after: bigint, last: bigint): Statement =>
  statement(
    db
      .updateTable('request')
      .set({ receipt: '' })
      .where('id', '>', after)
      .where('id', '<=', last)
      .where('state', '<>', HELD)
      .where('receipt', '<>', ''),
  )

/** The name of a task's lease is that of `taskLease`. Checks the time again: since the first check, the lease may have been acquired. */
const removeTaskLeases = (db: Database, now: bigint, below: bigint, limit: number): Statement => ({
  ...sql`DELETE FROM lease WHERE expires_at <= ${now} AND name IN (
    SELECT name FROM (
      SELECT name, expires_at, CASE WHEN name LIKE 'task/%' THEN CAST(substr(name, 6) AS bigint) END AS task FROM lease
    ) AS named
    WHERE expires_at <= ${now} AND task < ${below} AND NOT EXISTS (
      SELECT 1 FROM request WHERE request.id = task AND state = 0)
    LIMIT ${limit})
  RETURNING name`.compile(db),
  required: false,
})

/** Changes with each fold: of two processes that read the same rows, one writes. */
const LAST_FOLD = 'last_fold'

const freeRequests = (below: bigint, limit: number): Statement => ({
  sql: `SELECT id FROM request WHERE ${IS_FREE} AND id < ${below} ORDER BY id LIMIT ${limit}`,
  parameters: [],
  required: false,
})

const lastFold = (db: Database): Statement =>
  statement(db.selectFrom('meta').select('value').where('name', '=', LAST_FOLD))

/** `last`: what `lastFold` gave before the ids were read. */
function foldRequests(db: Database, ids: readonly bigint[], last: string | undefined): Statement[] {
  const value = String(ids.at(-1) ?? 0n)
  const first = db
    .insertInto('meta')
    .values({ name: LAST_FOLD, value })
    .onConflict((conflict) => conflict.doNothing())
  const next = db
    .updateTable('meta')
    .set({ value })
    .where('name', '=', LAST_FOLD)
    .where('value', '=', last ?? '')
  const mark = last === undefined ? first.returning('name') : next.returning('name')
  const isFolded = sql`${sql.raw(IS_FREE)} AND id IN (${sql.join(ids)})`
  const sums = sql`
    INSERT INTO folded_request (account, requests, tokens, upstream_cost)
    SELECT account, count(*), CAST(sum(tokens) AS bigint), CAST(sum(coalesce(upstream_cost, 0)) AS bigint)
    FROM request WHERE ${isFolded} GROUP BY account
    ON CONFLICT (account) DO UPDATE SET requests = folded_request.requests + excluded.requests,
      tokens = folded_request.tokens + excluded.tokens,
      upstream_cost = folded_request.upstream_cost + excluded.upstream_cost`
  const removed = sql`DELETE FROM request WHERE ${isFolded}`
  return [statement(mark, true), { ...sums.compile(db), required: false }, { ...removed.compile(db), required: false }]
}
