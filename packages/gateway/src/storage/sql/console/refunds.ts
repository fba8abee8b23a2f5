// Refunds: what operators give back of what a request cost.
import { sql } from 'kysely'
import { MAX_AMOUNT, type Nanos } from '../../../money/amount.ts'
import { CREDIT, SETTLED } from '../../../money/book.ts'
import { checkId, checkText } from '../guard.ts'
import { moveCredit } from '../people/trials.ts'
import { integer, type Row } from '../rows.ts'
import { type Connection, type Database, rawStatement, type Statement, statement } from '../statements.ts'

/** undefined: the request is not archived. */
type Archived = { find(kind: 'request', id: bigint): Promise<Row | undefined> }

/** `reference`: a refund with the same one is not booked again. */
export type Refund = { request: bigint; account: bigint; amount: Nanos; reason: string; reference: string | undefined }

export const refundsOver = ({ db, runner, clock, archive }: Connection & { archive: Archived }) => ({
  /** What was refunded in all, for the requests that have refunds. */
  async of(requests: readonly bigint[]): Promise<Map<bigint, Nanos>> {
    if (requests.length === 0) return new Map()
    const query = db.selectFrom('refund').select(['request', 'amount']).where('request', 'in', requests.map(checkId))
    const rows = await runner.read(statement(query))
    return new Map(rows.map(({ request, amount }) => [integer(request), integer(amount)]))
  },
  /**
   * A credit on the account's balance. false, and nothing is booked: all refunds of the request would exceed its cost, its cost is not final,
   * the balance would be too large, or there is a transfer with the same reference.
   */
  async book(refund: Refund): Promise<boolean> {
    const { account, amount, reason, reference } = refund
    if (amount <= 0n || amount > MAX_AMOUNT) throw new RangeError(`amount: ${amount} is outside 1..${MAX_AMOUNT}`)
    const why = { reason: checkText('reason', reason), reference: reference && checkText('reference', reference) }
    const credit = moveCredit(db, account, amount, CREDIT, why, clock())
    if ((await runner.write([addRefund(db, refund), ...credit])) !== undefined) return true
    const archived = await archive.find('request', refund.request)
    if (!archived || integer(archived.account) !== account) return false
    return (await runner.write([addArchivedRefund(db, refund, archived), ...credit])) !== undefined
  },
})

/**
 * The row is locked from here to the commit, so that refunds of one request follow each other. Only a settled request has a final cost: that
 * of a reaped one may still be corrected by the node that began it.
 */
const addRefund = (db: Database, { request, account, amount }: Refund): Statement => ({
  ...rawStatement(
    db,
    sql`INSERT INTO refund (request, amount)
      SELECT id, CAST(${amount} AS bigint) FROM request
      WHERE id = ${checkId(request)} AND account = ${account} AND state = ${sql.lit(SETTLED)} AND cost >= ${amount}
      ON CONFLICT (request) DO UPDATE SET amount = refund.amount + excluded.amount
      WHERE refund.amount + excluded.amount <= (SELECT cost FROM request WHERE request.id = refund.request)
      RETURNING request`,
  ),
  required: true,
})

/** The same for a request whose row does not change any more. */
const addArchivedRefund = (db: Database, { request, amount }: Refund, { state, cost }: Row): Statement => ({
  ...rawStatement(
    db,
    sql`INSERT INTO refund (request, amount) SELECT CAST(${request} AS bigint), CAST(${amount} AS bigint)
      WHERE CAST(${integer(state)} AS bigint) = ${sql.lit(SETTLED)} AND CAST(${integer(cost)} AS bigint) >= ${amount}
      ON CONFLICT (request) DO UPDATE SET amount = refund.amount + excluded.amount
      WHERE refund.amount + excluded.amount <= ${integer(cost)}
      RETURNING request`,
  ),
  required: true,
})
