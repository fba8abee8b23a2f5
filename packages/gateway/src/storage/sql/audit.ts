// The queries of `trivium audit`, as plain SQL for both engines. All of it reads one snapshot.
import { REVENUE, SHORTFALL, TASK_NODE } from '../../money/ledger.ts'
import type { AuditReport } from '../ledger.ts'
import { integer, type Row } from './rows.ts'
import type { Statement } from './statements.ts'

const COUNTS = `
  SELECT (SELECT count(*) FROM account) AS accounts, (SELECT count(*) FROM request) +
    (SELECT coalesce(CAST(sum(requests) AS bigint), 0) FROM folded_request) AS requests,
    (SELECT count(*) FROM transfer) AS transfers, (SELECT count(*) FROM request WHERE state = 0) AS open_holds`

// Each comparison unites both sides, one of them negative, and sums by id: a correct id gives zero. A join would be equivalent,
// but SQLite has no index for it and would take minutes instead of a second.

const unequal = (id: string, kept: string, counted: readonly string[]) => `
  SELECT id FROM (${[`SELECT id, 1 AS known, ${kept} AS amount FROM ${id}`, ...counted].join(' UNION ALL ')}) sides
  GROUP BY id HAVING sum(known) <> 1 OR sum(amount) <> 0 ORDER BY id`

const BALANCE_MISMATCHES = unequal('account', 'balance', [
  'SELECT credit AS id, 0 AS known, -amount AS amount FROM transfer WHERE credit > 0',
  'SELECT debit AS id, 0 AS known, amount FROM transfer WHERE debit > 0',
])

const openHolds = (owner: 'account' | 'key') =>
  `SELECT ${owner} AS id, 0 AS known, -held AS amount FROM request WHERE state = 0`

const ACCOUNT_HELD_MISMATCHES = unequal('account', 'held', [openHolds('account')])
const KEY_HELD_MISMATCHES = unequal('api_key', 'held', [openHolds('key')])

/** The holds of tasks are not running requests. */
const openCount = (owner: 'account' | 'key') =>
  `SELECT ${owner} AS id, 0 AS known, -1 AS amount FROM request WHERE state = 0 AND node_id <> ${TASK_NODE}`

const ACCOUNT_OPEN_MISMATCHES = unequal('account', 'open_requests', [openCount('account')])
const KEY_OPEN_MISMATCHES = unequal('api_key', 'open_requests', [openCount('key')])

const costs = (owner: 'account' | 'key') =>
  `SELECT ${owner} AS id, 0 AS known, -cost AS amount FROM request WHERE cost <> 0`

const ACCOUNT_SPENT_MISMATCHES = unequal('account', 'spent', [costs('account')])
const KEY_SPENT_MISMATCHES = unequal('api_key', 'spent', [costs('key')])

/**
 * Charges hour by hour; requests and tokens in all, because a request does not tell when it ended. The sums of days are those of
 * their hours.
 */
const SPENDING_MISMATCHES = `
  SELECT id FROM (
    SELECT account AS id, hour, cost AS amount FROM hourly_spending
    UNION ALL SELECT debit AS id, at - at % 3600000 AS hour, -amount FROM transfer WHERE request IS NOT NULL AND debit > 0
    UNION ALL SELECT credit AS id, at - at % 3600000 AS hour, amount FROM transfer WHERE request IS NOT NULL AND credit > 0
  ) charges GROUP BY id, hour HAVING sum(amount) <> 0
  UNION
  SELECT id FROM (
    SELECT account AS id, requests, tokens, upstream_cost FROM hourly_spending
    UNION ALL SELECT account AS id, -1, -tokens, -coalesce(upstream_cost, 0) FROM request WHERE state <> 0
    UNION ALL SELECT account AS id, -requests, -tokens, -upstream_cost FROM folded_request
  ) ended GROUP BY id HAVING sum(requests) <> 0 OR sum(tokens) <> 0 OR sum(upstream_cost) <> 0
  UNION
  SELECT id FROM (
    SELECT account AS id, hour - hour % 86400000 AS day, model, upstream, outcome, requests, tokens, cost, upstream_cost, unknown_costs
    FROM hourly_spending
    UNION ALL SELECT account AS id, day, model, upstream, outcome, -requests, -tokens, -cost, -upstream_cost, -unknown_costs
    FROM daily_spending
  ) days GROUP BY id, day, model, upstream, outcome HAVING sum(requests) <> 0 OR sum(tokens) <> 0 OR sum(cost) <> 0
    OR sum(upstream_cost) <> 0 OR sum(unknown_costs) <> 0
  UNION
  SELECT id FROM (
    SELECT account AS id, key, hour - hour % 86400000 AS day, model, upstream, outcome, requests, tokens, cost, upstream_cost, unknown_costs
    FROM hourly_spending
    UNION ALL SELECT account AS id, key, day, model, upstream, outcome, -requests, -tokens, -cost, -upstream_cost, -unknown_costs
    FROM daily_key_spending
  ) keys GROUP BY id, key, day, model, upstream, outcome HAVING sum(requests) <> 0 OR sum(tokens) <> 0 OR sum(cost) <> 0
    OR sum(upstream_cost) <> 0 OR sum(unknown_costs) <> 0
  ORDER BY id`

/**
 * Holds count as well: what is available would be below zero. A credit line that was lowered does not undo what was spent under it, so
 * the highest one counts; it is 0 for accounts that never had one.
 */
const NEGATIVE_ACCOUNTS =
  'SELECT id FROM account WHERE held < 0 OR held > balance + highest_credit_line OR credit_line > highest_credit_line ORDER BY id'
/** Within the highest credit line, and beyond the present one. */
const OVERDRAWN_ACCOUNTS =
  'SELECT id FROM account WHERE held > balance + credit_line AND held <= balance + highest_credit_line ORDER BY id'

/** A second settlement shows as transfers that exceed the cost; an open or voided request must have cost nothing. */
const REQUEST_MISMATCHES = `
  SELECT id FROM (
    SELECT id, 1 AS known, state, account, cost, shortfall, 0 AS strange, account AS wallet FROM request
    UNION ALL
    SELECT request AS id, 0 AS known, NULL AS state, NULL AS account,
      CASE WHEN debit > 0 AND credit = ${REVENUE} THEN -amount
           WHEN debit = ${REVENUE} AND credit > 0 THEN amount ELSE 0 END AS cost,
      CASE WHEN debit = ${SHORTFALL} AND credit = ${REVENUE} THEN -amount
           WHEN debit = ${REVENUE} AND credit = ${SHORTFALL} THEN amount ELSE 0 END AS shortfall,
      CASE WHEN debit = ${REVENUE} OR credit = ${REVENUE} THEN 0 ELSE 1 END AS strange,
      CASE WHEN debit > 0 THEN debit WHEN credit > 0 THEN credit END AS wallet
    FROM transfer WHERE request IS NOT NULL
  ) sides
  GROUP BY id
  HAVING sum(known) <> 1 OR sum(cost) <> 0 OR sum(shortfall) <> 0 OR sum(strange) > 0
    OR min(wallet) <> max(wallet)
    OR max(CASE WHEN state IN (0, 2) AND (cost <> 0 OR shortfall <> 0) THEN 1 ELSE 0 END) = 1
  ORDER BY id`

type Lists = Omit<AuditReport, 'ok' | 'accounts' | 'requests' | 'transfers' | 'openHolds' | NotFailing>
/** They do not make the audit fail. */
type NotFailing = 'overdrawnAccounts' | 'lostTaskHolds'

const LISTS: Record<keyof Lists, string> = {
  balanceMismatches: BALANCE_MISMATCHES,
  heldMismatches: ACCOUNT_HELD_MISMATCHES,
  keyHeldMismatches: KEY_HELD_MISMATCHES,
  openMismatches: ACCOUNT_OPEN_MISMATCHES,
  keyOpenMismatches: KEY_OPEN_MISMATCHES,
  spentMismatches: ACCOUNT_SPENT_MISMATCHES,
  keySpentMismatches: KEY_SPENT_MISMATCHES,
  spendingMismatches: SPENDING_MISMATCHES,
  negativeAccounts: NEGATIVE_ACCOUNTS,
  requestMismatches: REQUEST_MISMATCHES,
}

export const AUDIT: readonly Statement[] = [COUNTS, OVERDRAWN_ACCOUNTS, ...Object.values(LISTS)].map((sql) => ({
  sql,
  parameters: [],
  required: false,
}))

const NO_FOLDS = '(SELECT 0 AS account, 0 AS requests, 0 AS tokens, 0 AS upstream_cost WHERE 1 = 0) AS folded_request'
/** The same of tables that were made before requests were folded: a copy of old data has them until its first start. */
export const AUDIT_BEFORE_FOLDS: readonly Statement[] = AUDIT.map((statement) => ({
  ...statement,
  sql: statement.sql.replaceAll('FROM folded_request', `FROM ${NO_FOLDS}`),
}))

/** Reads the results of AUDIT, in its order. */
export function toAuditReport(answers: readonly Row[][]): Omit<AuditReport, 'lostTaskHolds'> {
  const [counts = [], overdrawn = [], ...lists] = answers
  const count = (name: string): number => Number(counts[0]?.[name])
  const named = Object.keys(LISTS).map((name, place) => [name, (lists[place] ?? []).map((row) => integer(row.id))])
  return {
    ok: lists.every((rows) => rows.length === 0),
    accounts: count('accounts'),
    requests: count('requests'),
    transfers: count('transfers'),
    openHolds: count('open_holds'),
    ...(Object.fromEntries(named) as Lists),
    overdrawnAccounts: overdrawn.map((row) => integer(row.id)),
  }
}
