// The history of a wallet on both engines: transfers that belong to no request one by one, charges as one entry per day (UTC).
import { sql } from 'kysely'
import type { Nanos } from '../../../money/amount.ts'
import type { WalletEntry, WalletMonth } from '../../console/spending.ts'
import { integer, optional, type Row, small, text } from '../rows.ts'
import { type Connection, type Database, rawStatement, type Statement } from '../statements.ts'
import { monthOf } from './series.ts'

const DAY_MS = 86_400_000
/** How many days one page looks at, or as many as it may have entries: the number of rows that are read has a bound. */
const LEAST_DAYS = 92
/** Charges come after a credit of the same time: they may have been paid from it. */
const LAST = 1n << 63n
/** Later than all. */
const END = Number.MAX_SAFE_INTEGER

type HistoryPage = { entries: WalletEntry[]; next: number | undefined }

export function historyOver({ db, runner }: Connection) {
  const entries = async (account: bigint, begin: number, end: number): Promise<WalletEntry[]> =>
    withBalances(await runner.readPage(entriesBetween(db, account, begin, end)))

  async function newestBefore(account: bigint, time: number): Promise<number | undefined> {
    const [row] = await runner.readLedger(newest(db, account, time))
    return optional(row?.at, small)
  }

  async function history(account: bigint, limit: number, end: number): Promise<HistoryPage> {
    const last = await newestBefore(account, end)
    if (last === undefined) return { entries: [], next: undefined }
    const begin = Math.max(0, dayOf(last) - Math.max(LEAST_DAYS, limit) * DAY_MS)
    const all = await entries(account, begin, end)
    const page = wholeDays(all, limit)
    const oldest = page.at(-1)
    if (oldest && page.length < all.length) return { entries: page, next: dayOf(oldest.at) }
    if ((await newestBefore(account, begin)) === undefined) return { entries: page, next: undefined }
    // What was charged on these days was also returned on them.
    return oldest ? { entries: page, next: begin } : history(account, limit, begin)
  }

  return {
    /** Newest first; `before`: entries of earlier days (UTC) than this time. A page has whole days, at least one with entries. */
    history(account: bigint, limit: number, before?: number): Promise<HistoryPage> {
      if (!Number.isSafeInteger(limit) || limit < 1) throw new RangeError(`limit: ${limit}`)
      return history(account, limit, before === undefined ? END : dayOf(before))
    },
    /** From `from` until before `to`, both the beginnings of days (UTC), newest first. */
    entries,
    /** Months with entries, newest first. */
    async months(account: bigint): Promise<WalletMonth[]> {
      return byMonth(await runner.readPage(sumsByDay(db, account)))
    },
  }
}

const dayOf = (time: number): number => Math.floor(time / DAY_MS) * DAY_MS

/** `entries` newest first. */
function wholeDays(entries: readonly WalletEntry[], limit: number): WalletEntry[] {
  const day = optional(entries[limit - 1]?.at, (at) => dayOf(small(at)))
  return day === undefined ? [...entries] : entries.filter(({ at }) => at >= day)
}

/** Computed backwards from the present balance, which one statement has read together with all changes since. */
function withBalances(rows: readonly Row[]): WalletEntry[] {
  let balance: Nanos = 0n
  const entries: WalletEntry[] = []
  for (const row of rows) {
    const [kind, amount] = [text(row.kind), integer(row.amount)]
    if (kind === 'balance') balance += amount
    else if (kind === 'later') balance -= amount
    else entries.push(toEntry(row, amount))
  }
  entries.sort((one, other) => other.at - one.at || Number((other.id ?? LAST) - (one.id ?? LAST)))
  for (const entry of entries) {
    entry.balanceAfter = balance
    balance -= entry.amount
  }
  return entries
}

const toEntry = (row: Row, amount: Nanos): WalletEntry => ({
  id: row.kind === 'usage' ? undefined : integer(row.id),
  kind: row.kind as WalletEntry['kind'],
  reason: text(row.reason),
  at: small(row.at),
  amount,
  requests: small(row.requests),
  balanceAfter: 0n,
})

const newest = (db: Database, account: bigint, end: number): Statement =>
  rawStatement(
    db,
    sql`SELECT max(at) AS at FROM (
      SELECT max(at) AS at FROM transfer WHERE request IS NULL AND credit = ${account} AND at < ${end}
      UNION ALL SELECT max(at) FROM transfer WHERE request IS NULL AND debit = ${account} AND at < ${end}
      UNION ALL SELECT max(day) FROM daily_spending WHERE account = ${account} AND day < ${end} AND cost <> 0
    ) AS latest`,
  )

const entriesBetween = (db: Database, account: bigint, begin: number, end: number): Statement =>
  rawStatement(
    db,
    sql`SELECT 'balance' AS kind, id, '' AS reason, 0 AS at, balance AS amount, 0 AS requests FROM account WHERE id = ${account}
    UNION ALL SELECT 'later', 0, '', 0, sum(amount), 0 FROM (
      SELECT amount FROM transfer WHERE request IS NULL AND credit = ${account} AND at >= ${end}
      UNION ALL SELECT -amount FROM transfer WHERE request IS NULL AND debit = ${account} AND at >= ${end}
      UNION ALL SELECT -cost FROM daily_spending WHERE account = ${account} AND day >= ${end}
    ) AS changes HAVING count(*) > 0
    UNION ALL SELECT 'credit', id, reason, at, amount, 0 FROM transfer
      WHERE request IS NULL AND credit = ${account} AND at >= ${begin} AND at < ${end}
    UNION ALL SELECT 'debit', id, reason, at, -amount, 0 FROM transfer
      WHERE request IS NULL AND debit = ${account} AND at >= ${begin} AND at < ${end}
    UNION ALL SELECT 'usage', 0, '', max(last_at), -sum(cost), sum(requests) FROM daily_spending
      WHERE account = ${account} AND day >= ${begin} AND day < ${end}
      GROUP BY day HAVING sum(cost) <> 0`,
  )

/** One row for each day and kind, however many transfers there were. */
const sumsByDay = (db: Database, account: bigint): Statement =>
  rawStatement(
    db,
    sql`SELECT 'credit' AS kind, at - at % ${sql.lit(DAY_MS)} AS at, sum(amount) AS amount FROM transfer
      WHERE request IS NULL AND credit = ${account} GROUP BY 2
    UNION ALL SELECT 'debit', at - at % ${sql.lit(DAY_MS)}, -sum(amount) FROM transfer
      WHERE request IS NULL AND debit = ${account} GROUP BY 2
    UNION ALL SELECT 'usage', day, -sum(cost) FROM daily_spending WHERE account = ${account} GROUP BY day HAVING sum(cost) <> 0`,
  )

function byMonth(rows: readonly Row[]): WalletMonth[] {
  const months = new Map<number, WalletMonth>()
  for (const row of rows) {
    const [at, amount] = [monthOf(small(row.at)), integer(row.amount)]
    const month = months.get(at) ?? { at, credited: 0n, spent: 0n }
    // What is taken back was never spent.
    if (row.kind === 'usage') month.spent -= amount
    else month.credited += amount
    months.set(at, month)
  }
  return [...months.values()].sort((one, other) => other.at - one.at)
}
