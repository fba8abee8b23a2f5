// The ledger as a whole, for operators: what its accounts hold, and the runs of its audit.
import { sql } from 'kysely'
import type { Nanos } from '../../../money/amount.ts'
import { REVENUE, SHORTFALL } from '../../../money/book.ts'
import type { AuditActor } from '../../console/audit-log.ts'
import { fieldsOf, flag, integer, maybe, type Row, small, text } from '../../fields.ts'
import { checkText } from '../guard.ts'
import { type Connection, type Database, rawStatement, required, statement } from '../statements.ts'
import { newestFirst } from './pages.ts'
import { ADDED_UNTIL } from './usage-sums.ts'

/** All of one moment. A balance is what an account received less what it gave; all of them together are 0 in a correct ledger. */
export type BookBalances = {
  /** The sum of all wallets. */
  wallets: Nanos
  held: Nanos
  /** By the ids of money/book.ts. That of revenue is the sum of what was charged, not that of its transfers. */
  accounts: ReadonlyMap<bigint, Nanos>
}

const readRun = fieldsOf({
  id: integer,
  startedAt: small,
  /** undefined: it runs, or was stopped if `renewedAt` is long ago. */
  endedAt: maybe(small),
  renewedAt: small,
  step: small,
  steps: small,
  /** undefined: it has no result. */
  ok: maybe(flag),
  /** JSON. */
  report: maybe(text),
})
export type AuditRun = ReturnType<typeof readRun> & { actor: AuditActor }

const MOST_RUNS = 200

export const booksOver = ({ db, runner, clock }: Connection) => ({
  async balances(): Promise<BookBalances> {
    const [wallets = [], accounts = [], charged = []] = await runner.readSlowly([
      rawStatement(db, WALLETS),
      rawStatement(db, OWN_ACCOUNTS),
      rawStatement(db, CHARGED),
    ])
    const sums = new Map(accounts.map((row) => [integer(row.id), integer(row.balance)]))
    // A shortfall is paid to revenue as a charge is.
    const revenue = integer(charged[0]?.cost ?? 0n) - (sums.get(SHORTFALL) ?? 0n) + (sums.get(REVENUE) ?? 0n)
    sums.set(REVENUE, revenue)
    return {
      wallets: integer(wallets[0]?.balance ?? 0n),
      held: integer(wallets[0]?.held ?? 0n),
      accounts: sums,
    }
  },
  /** Forgets all but the last runs. */
  async beginAudit({ type, id }: AuditActor): Promise<bigint> {
    const now = clock()
    const run = {
      started_at: now,
      renewed_at: now,
      actor_type: checkText('actor', type),
      actor: checkText('actor', id),
      step: 0,
      steps: 0,
    }
    const rows = await runner.write([
      required(db.insertInto('ledger_audit').values(run).returning('id')),
      statement(
        db
          .deleteFrom('ledger_audit')
          .where(sql<boolean>`id <= (SELECT max(newest.id) FROM ledger_audit newest) - ${MOST_RUNS}`),
      ),
    ])
    return integer(rows?.[0]?.[0]?.id)
  },
  async renewAudit(run: bigint, step: number, steps: number): Promise<void> {
    await runner.write([statement(changed(db, run).set({ step, steps, renewed_at: clock() }))])
  },
  /** `ok` undefined: it failed before it had a result. */
  async endAudit(run: bigint, ok: boolean | undefined, report: string | undefined): Promise<void> {
    const end = { ended_at: clock(), ok: ok === undefined ? null : ok ? 1 : 0, report: report ?? null }
    await runner.write([statement(changed(db, run).set(end))])
  },
  /** Newest first, after and before these ids. */
  async audits(range: { before?: bigint; after?: bigint }, limit: number): Promise<AuditRun[]> {
    return (await newestFirst(runner.readPage, db.selectFrom('ledger_audit').selectAll(), range, limit)).map(toRun)
  },
})

const changed = (db: Database, run: bigint) => db.updateTable('ledger_audit').where('id', '=', run)

const WALLETS = sql`SELECT CAST(coalesce(sum(balance), 0) AS bigint) AS balance,
  CAST(coalesce(sum(held), 0) AS bigint) AS held FROM account`

/** Apart from what requests paid to revenue: of these transfers there are too many. */
const OWN_ACCOUNTS = sql`SELECT id, CAST(sum(amount) AS bigint) AS balance FROM (
    SELECT credit AS id, amount FROM transfer WHERE request IS NULL AND credit < 0
    UNION ALL SELECT debit AS id, -amount FROM transfer WHERE request IS NULL AND debit < 0
    UNION ALL SELECT ${sql.lit(SHORTFALL)}, CASE WHEN credit = ${sql.lit(SHORTFALL)} THEN amount ELSE -amount END
      FROM transfer WHERE debit = ${sql.lit(SHORTFALL)} OR credit = ${sql.lit(SHORTFALL)}
  ) sides GROUP BY id`

/** Days that are added up, and the others. */
const UNTIL = sql`(SELECT coalesce(max(CAST(value AS bigint)), 0) FROM meta WHERE name = ${sql.lit(ADDED_UNTIL)})`
const CHARGED = sql`SELECT CAST(coalesce(sum(cost), 0) AS bigint) AS cost FROM (
    SELECT cost FROM daily_total WHERE day < ${UNTIL}
    UNION ALL SELECT cost FROM daily_spending WHERE day >= ${UNTIL}
  ) charged`

const toRun = (row: Row): AuditRun => ({
  ...readRun(row),
  actor: { type: row.actor_type as AuditActor['type'], id: text(row.actor) },
})
