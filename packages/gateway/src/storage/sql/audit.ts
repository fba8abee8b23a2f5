// What `trivium audit` asks, as plain SQL that both engines understand. All of it reads one snapshot.
import { REVENUE, SHORTFALL } from '../../money/ledger.ts'
import type { AuditReport } from '../storage.ts'
import type { Statement } from './queries.ts'
import { integer, type Row } from './rows.ts'

const COUNTS = `
  SELECT (SELECT count(*) FROM account) AS accounts, (SELECT count(*) FROM request) AS requests,
    (SELECT count(*) FROM transfer) AS transfers, (SELECT count(*) FROM request WHERE state = 0) AS open_holds`

const BALANCE_MISMATCHES = `
  SELECT coalesce(a.id, t.wallet) AS id
  FROM account a FULL JOIN (
    SELECT wallet, sum(amount) AS total FROM (
      SELECT credit AS wallet, amount FROM transfer WHERE credit > 0
      UNION ALL SELECT debit AS wallet, -amount AS amount FROM transfer WHERE debit > 0
    ) sides GROUP BY wallet
  ) t ON t.wallet = a.id
  WHERE a.id IS NULL OR a.balance <> coalesce(t.total, 0)
  ORDER BY 1`

const openHolds = (owner: 'account' | 'key') =>
  `(SELECT ${owner} AS owner, sum(held) AS total FROM request WHERE state = 0 GROUP BY ${owner})`

const ACCOUNT_HELD_MISMATCHES = `
  SELECT coalesce(a.id, h.owner) AS id FROM account a FULL JOIN ${openHolds('account')} h ON h.owner = a.id
  WHERE a.id IS NULL OR a.held <> coalesce(h.total, 0) ORDER BY 1`

const KEY_HELD_MISMATCHES = `
  SELECT coalesce(k.id, h.owner) AS id FROM api_key k FULL JOIN ${openHolds('key')} h ON h.owner = k.id
  WHERE k.id IS NULL OR k.held <> coalesce(h.total, 0) ORDER BY 1`

/** Holds beyond the balance count as well: what is available would be below zero. */
const NEGATIVE_ACCOUNTS = 'SELECT id FROM account WHERE balance < 0 OR held < 0 OR held > balance ORDER BY id'

/** A second settlement shows as transfers that exceed the cost; an open or voided request must have cost nothing. */
const REQUEST_MISMATCHES = `
  SELECT coalesce(r.id, t.request) AS id
  FROM request r FULL JOIN (
    SELECT request,
      sum(CASE WHEN debit > 0 AND credit = ${REVENUE} THEN amount
               WHEN debit = ${REVENUE} AND credit > 0 THEN -amount ELSE 0 END) AS paid,
      sum(CASE WHEN debit = ${SHORTFALL} AND credit = ${REVENUE} THEN amount
               WHEN debit = ${REVENUE} AND credit = ${SHORTFALL} THEN -amount ELSE 0 END) AS short,
      sum(CASE WHEN debit = ${REVENUE} OR credit = ${REVENUE} THEN 0 ELSE 1 END) AS strange,
      min(CASE WHEN debit > 0 THEN debit WHEN credit > 0 THEN credit END) AS first_wallet,
      max(CASE WHEN debit > 0 THEN debit WHEN credit > 0 THEN credit END) AS last_wallet
    FROM transfer WHERE request IS NOT NULL GROUP BY request
  ) t ON t.request = r.id
  WHERE r.id IS NULL OR r.cost <> coalesce(t.paid, 0) OR r.shortfall <> coalesce(t.short, 0) OR t.strange > 0
    OR t.first_wallet <> r.account OR t.last_wallet <> r.account
    OR (r.state IN (0, 2) AND (r.cost <> 0 OR r.shortfall <> 0))
  ORDER BY 1`

export const AUDIT: readonly Statement[] = [
  COUNTS,
  BALANCE_MISMATCHES,
  ACCOUNT_HELD_MISMATCHES,
  KEY_HELD_MISMATCHES,
  NEGATIVE_ACCOUNTS,
  REQUEST_MISMATCHES,
].map((sql) => ({ sql, parameters: [], required: false }))

/** Reads the answers to AUDIT, in its order. */
export function toAuditReport(answers: readonly Row[][]): AuditReport {
  const [counts = [], ...lists] = answers
  const [balanceMismatches = [], accounts = [], keys = [], negativeAccounts = [], requestMismatches = []] = lists.map(
    (rows) => rows.map((row) => integer(row.id)),
  )
  const count = (name: string): number => Number(counts[0]?.[name])
  return {
    ok: lists.every((rows) => rows.length === 0),
    accounts: count('accounts'),
    requests: count('requests'),
    transfers: count('transfers'),
    openHolds: count('open_holds'),
    balanceMismatches,
    heldMismatches: [...accounts, ...keys],
    negativeAccounts,
    requestMismatches,
  }
}
