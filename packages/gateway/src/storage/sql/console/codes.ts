// Redemption codes on both engines.
import { MAX_AMOUNT } from '../../../money/amount.ts'
import { CREDIT } from '../../../money/ledger.ts'
import type { Codes, NewCode, RedeemRejection } from '../../console/codes.ts'
import { checkHash, MAX_BALANCE } from '../guard.ts'
import { integer, optional } from '../rows.ts'
import { type Connection, changing, type Database, required, type Statement, statement } from '../statements.ts'

/** So many rows are inserted by one statement: both engines limit its parameters. */
const AT_ONCE = 1_000

export function codesOver({ db, runner, clock }: Connection): Codes {
  /** Why nothing was redeemed. What makes a code unusable is never undone. */
  async function rejection(hash: Uint8Array, now: number): Promise<RedeemRejection> {
    const query = db.selectFrom('redemption_code').select(['expires_at', 'redeemed_by']).where('hash', '=', hash)
    const [row] = await runner.read(statement(query))
    if (!row) return 'unknown'
    if (row.redeemed_by !== null) return 'used'
    return row.expires_at !== null && Number(row.expires_at) <= now ? 'expired' : 'too_much'
  }
  return {
    async create(codes) {
      const rows = codes.map(check).map(({ hash, amount, expiresAt }) => ({
        hash,
        amount,
        created_at: clock(),
        expires_at: expiresAt ?? null,
        redeemed_by: null,
        redeemed_at: null,
      }))
      const inserts: Statement[] = []
      for (let at = 0; at < rows.length; at += AT_ONCE)
        inserts.push(statement(db.insertInto('redemption_code').values(rows.slice(at, at + AT_ONCE))))
      if (inserts.length > 0) await runner.write(inserts)
    },
    async redeem(account, hash) {
      const now = clock()
      const [taken, credited] = (await runner.write(redeem(db, account, checkHash(hash), now))) ?? []
      const amount = optional(taken?.[0]?.amount, integer)
      if (amount === undefined) return rejection(hash, now)
      return { amount, balance: integer(credited?.[0]?.balance) }
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

function check(code: NewCode): NewCode {
  checkHash(code.hash)
  if (code.amount <= 0n || code.amount > MAX_AMOUNT) throw new RangeError(`amount: ${code.amount}`)
  if (code.expiresAt !== undefined && !Number.isSafeInteger(code.expiresAt))
    throw new RangeError(`expiresAt: ${code.expiresAt}`)
  return code
}
