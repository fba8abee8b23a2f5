// Redemption codes on both engines.

import { sql } from 'kysely'
import { MAX_AMOUNT } from '../../../money/amount.ts'
import { CREDIT } from '../../../money/ledger.ts'
import {
  type BatchPlace,
  type Code,
  type CodeBatch,
  type CodeFilter,
  type NewCode,
  type Redeemed,
  type RedeemRejection,
  toBatch,
} from '../../console/codes.ts'
import { checkHash, checkText, MAX_BALANCE } from '../guard.ts'
import { integer, optional, type Row, small, text } from '../rows.ts'
import {
  type Connection,
  changing,
  type Database,
  rawStatement,
  required,
  type Statement,
  statement,
} from '../statements.ts'

/** So many rows are inserted by one statement: both engines limit its parameters. */
const AT_ONCE = 1_000

export function codesOver({ db, runner, clock }: Connection) {
  /** Why nothing was redeemed. What makes a code unusable is never undone. */
  async function rejection(hash: Uint8Array, now: number): Promise<RedeemRejection> {
    const query = db
      .selectFrom('redemption_code')
      .select(['expires_at', 'redeemed_by', 'revoked_at'])
      .where('hash', '=', hash)
    const [row] = await runner.read(statement(query))
    if (!row) return 'unknown'
    if (row.redeemed_by !== null) return 'used'
    if (row.revoked_at !== null) return 'revoked'
    return row.expires_at !== null && Number(row.expires_at) <= now ? 'expired' : 'too_much'
  }
  return {
    async create(codes: readonly NewCode[]): Promise<void> {
      const rows = codes.map(check).map(({ hash, amount, expiresAt, label = '', lastFour = '' }) => ({
        hash,
        amount,
        created_at: clock(),
        expires_at: expiresAt ?? null,
        redeemed_by: null,
        redeemed_at: null,
        label: checkText('label', label),
        last_four: checkText('lastFour', lastFour),
      }))
      const inserts: Statement[] = []
      for (let at = 0; at < rows.length; at += AT_ONCE)
        inserts.push(statement(db.insertInto('redemption_code').values(rows.slice(at, at + AT_ONCE))))
      if (inserts.length > 0) await runner.write(inserts)
    },
    /** One transaction with the transfer that credits the account: a code is worth its amount exactly once. */
    async redeem(account: bigint, hash: Uint8Array): Promise<Redeemed | RedeemRejection> {
      const now = clock()
      const [taken, credited] = (await runner.write(redeem(db, account, checkHash(hash), now))) ?? []
      const amount = optional(taken?.[0]?.amount, integer)
      if (amount === undefined) return rejection(hash, now)
      return { amount, balance: integer(credited?.[0]?.balance) }
    },
    /** Newest first. */
    async list({ label, before, after }: CodeFilter, limit: number): Promise<Code[]> {
      let query = db.selectFrom('redemption_code').selectAll()
      if (label !== undefined) query = query.where('label', '=', checkText('label', label))
      if (before) query = query.where(sql<boolean>`(created_at, hash) < (${before.createdAt}, ${before.hash})`)
      if (after) query = query.where(sql<boolean>`(created_at, hash) > (${after.createdAt}, ${after.hash})`)
      const order = after ? 'asc' : 'desc'
      const page = query.orderBy('created_at', order).orderBy('hash', order).limit(limit)
      const codes = (await runner.readPage(statement(page))).map(toCode)
      return after ? codes.reverse() : codes
    },
    /** Newest first. */
    async withLastFour(lastFour: string, limit: number): Promise<Code[]> {
      const query = db
        .selectFrom('redemption_code')
        .selectAll()
        .where('last_four', '=', checkText('lastFour', lastFour))
      const newest = query.orderBy('created_at', 'desc').orderBy('hash', 'desc').limit(limit)
      return (await runner.readPage(statement(newest))).map(toCode)
    },
    /** Newest first. Without a label it reads all codes, at the pace of a long report. */
    async batches(
      { label, before, after }: { label?: string; before?: BatchPlace; after?: BatchPlace },
      limit: number,
    ): Promise<CodeBatch[]> {
      const newest = sql`max(created_at)`
      const place = before ?? after
      const beyond =
        place && sql`HAVING (${newest}, label) ${before ? sql`<` : sql`>`} (${place.createdAt}, ${place.label})`
      const order = after ? sql`ASC` : sql`DESC`
      const [rows = []] = await runner.readSlowly([
        rawStatement(
          db,
          sql`SELECT label, ${newest} AS created_at, ${sumsOfCodes(clock())} FROM redemption_code
            ${label === undefined ? sql`` : sql`WHERE label = ${checkText('label', label)}`} GROUP BY label
            ${beyond ?? sql``} ORDER BY ${newest} ${order}, label ${order} LIMIT ${limit}`,
        ),
      ])
      const batches = rows.map(toBatch)
      return after ? batches.reverse() : batches
    },
    /** Those of the label, or the one with the hash, that are neither redeemed nor revoked. Resolves with how many. */
    async revoke(which: { label: string } | { hash: Uint8Array }): Promise<number> {
      const open = db
        .updateTable('redemption_code')
        .set({ revoked_at: clock() })
        .where('redeemed_by', 'is', null)
        .where('revoked_at', 'is', null)
      const chosen =
        'label' in which
          ? open.where('label', '=', checkText('label', which.label))
          : open.where('hash', '=', checkHash(which.hash))
      return (await runner.write([statement(chosen.returning('amount'))]))?.[0]?.length ?? 0
    },
  }
}

function redeem(db: Database, account: bigint, hash: Uint8Array, now: number): Statement[] {
  const code = db
    .updateTable('redemption_code')
    .set({ redeemed_by: account, redeemed_at: now })
    .where('hash', '=', hash)
  const usable = code
    .where('redeemed_by', 'is', null)
    .where('revoked_at', 'is', null)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]))
  const amount = db.selectFrom('redemption_code').select('amount').where('hash', '=', hash)
  const credited = db
    .updateTable('account')
    .set((row) => ({ balance: row('balance', '+', amount) }))
    .where('id', '=', account)
    .where((row) => row('balance', '<=', row(row.val<bigint | number>(MAX_BALANCE), '-', amount)))
  const transfer = { request: null, debit: CREDIT, credit: account, amount, reason: 'redeemed code', at: now }
  return [
    required(usable.returning('amount')),
    required(credited.returning('balance')),
    changing(statement(db.insertInto('transfer').values(transfer))),
  ]
}

/** Sums of bigint are numeric on PostgreSQL. */
function sumsOfCodes(now: number) {
  const open = sql`redeemed_by IS NULL AND revoked_at IS NULL`
  const isOver = sql`expires_at IS NOT NULL AND expires_at <= ${now}`
  const count = (condition: typeof open, name: string) =>
    sql`CAST(sum(CASE WHEN ${condition} THEN 1 ELSE 0 END) AS bigint) AS ${sql.ref(name)}`
  const amount = (condition: typeof open, name: string) =>
    sql`CAST(sum(CASE WHEN ${condition} THEN amount ELSE 0 END) AS bigint) AS ${sql.ref(name)}`
  return sql.join([
    sql`CASE WHEN count(*) = count(expires_at) THEN max(expires_at) END AS expires_at`,
    sql`count(*) AS codes`,
    amount(sql`1 = 1`, 'amount'),
    count(sql`redeemed_by IS NOT NULL`, 'redeemed'),
    amount(sql`redeemed_by IS NOT NULL`, 'redeemed_amount'),
    count(sql`revoked_at IS NOT NULL`, 'revoked'),
    count(sql`${open} AND ${isOver}`, 'expired'),
    count(sql`${open} AND NOT (${isOver})`, 'open'),
    amount(sql`${open} AND NOT (${isOver})`, 'open_amount'),
  ])
}

const toCode = (row: Row): Code => ({
  hash: new Uint8Array(row.hash as Uint8Array),
  amount: integer(row.amount),
  createdAt: small(row.created_at),
  expiresAt: optional(row.expires_at, small),
  redeemed: optional(row.redeemed_by, (by) => ({ by: integer(by), at: small(row.redeemed_at) })),
  revokedAt: optional(row.revoked_at, small),
  label: text(row.label),
  lastFour: text(row.last_four),
})

function check(code: NewCode): NewCode {
  checkHash(code.hash)
  if (code.amount <= 0n || code.amount > MAX_AMOUNT) throw new RangeError(`amount: ${code.amount}`)
  if (code.expiresAt !== undefined && !Number.isSafeInteger(code.expiresAt))
    throw new RangeError(`expiresAt: ${code.expiresAt}`)
  return code
}
