// The queries of `trivium audit`, as plain SQL for both engines. All of it reads one snapshot.
import { REVENUE, SHORTFALL, TASK_NODE } from '../../money/ledger.ts'
import type { AuditReport } from '../ledger.ts'
import { SWEPT_UNTIL } from './budgets/attribution-sweeps.ts'
import type { Seal } from './months/bounds.ts'
import { type Part, partAfter, WHOLE } from './months/parts.ts'
import { integer, type Row } from './rows.ts'
import type { Statement } from './statements.ts'

// Each comparison unites both sides, one of them negative, and sums by id: a correct id gives zero. A join would be equivalent,
// but SQLite has no index for it and would take minutes instead of a second.

const unequal = (id: string, kept: string, counted: readonly string[]) => `
  SELECT id FROM (${[`SELECT id, 1 AS known, ${kept} AS amount FROM ${id}`, ...counted].join(' UNION ALL ')}) sides
  GROUP BY id HAVING sum(known) <> 1 OR sum(amount) <> 0 ORDER BY id`

const counts = ({ requests, transfers, sealed }: Part) => `
  SELECT (SELECT count(*) FROM account) AS accounts, (SELECT count(*) FROM ${requests}) +
    (SELECT coalesce(CAST(sum(requests) AS bigint), 0) FROM ${sealed.accounts}) +
    (SELECT coalesce(CAST(sum(requests) AS bigint), 0) FROM folded_request) AS requests,
    (SELECT count(*) FROM ${transfers}) + ${sealed.transfers} AS transfers,
    (SELECT count(*) FROM request WHERE state = 0) AS open_holds`

const balanceMismatches = ({ transfers, sealed }: Part) =>
  unequal('account', 'balance', [
    `SELECT account AS id, 0 AS known, -balance AS amount FROM ${sealed.accounts}`,
    `SELECT credit AS id, 0 AS known, -amount AS amount FROM ${transfers} WHERE credit > 0`,
    `SELECT debit AS id, 0 AS known, amount FROM ${transfers} WHERE debit > 0`,
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

const spentMismatches = ({ requests, sealed }: Part, owner: 'account' | 'key') =>
  unequal(owner === 'key' ? 'api_key' : 'account', 'spent', [
    `SELECT ${owner} AS id, 0 AS known, -cost AS amount FROM ${requests} WHERE cost <> 0`,
    `SELECT ${owner} AS id, 0 AS known, -spent AS amount FROM ${owner === 'key' ? sealed.keys : sealed.accounts}`,
  ])

/** Sums of hours and of days have to agree. */
const dayMismatches = ({ from }: Part, table: string, columns: string) => `
  SELECT id FROM (
    SELECT account AS id, ${columns}hour - hour % 86400000 AS day, model, upstream, outcome, requests, tokens, cost, upstream_cost, unknown_costs
    FROM hourly_spending WHERE hour >= ${from}
    UNION ALL SELECT account AS id, ${columns}day, model, upstream, outcome, -requests, -tokens, -cost, -upstream_cost, -unknown_costs
    FROM ${table} WHERE day >= ${from}
  ) days GROUP BY id, ${columns}day, model, upstream, outcome HAVING sum(requests) <> 0 OR sum(tokens) <> 0 OR sum(cost) <> 0
    OR sum(upstream_cost) <> 0 OR sum(unknown_costs) <> 0`

/**
 * Charges hour by hour; requests and tokens in all, because a request does not tell when it ended. The sums of days are those of
 * their hours.
 */
const spendingMismatches = (part: Part) => `
  SELECT id FROM (
    SELECT account AS id, hour, cost AS amount FROM hourly_spending WHERE hour >= ${part.from}
    UNION ALL SELECT debit AS id, at - at % 3600000 AS hour, -amount FROM ${part.booked} WHERE request IS NOT NULL AND debit > 0
    UNION ALL SELECT credit AS id, at - at % 3600000 AS hour, amount FROM ${part.booked} WHERE request IS NOT NULL AND credit > 0
  ) charges GROUP BY id, hour HAVING sum(amount) <> 0
  UNION
  SELECT id FROM (
    SELECT account AS id, requests, tokens, upstream_cost FROM hourly_spending WHERE hour >= ${part.from}
    UNION ALL SELECT account AS id, used_requests, used_tokens, used_cost FROM ${part.sealed.accounts}
    UNION ALL SELECT account AS id, -1, -tokens, -coalesce(upstream_cost, 0) FROM ${part.requests} WHERE state <> 0
    UNION ALL SELECT account AS id, -requests, -tokens, -upstream_cost FROM ${part.sealed.accounts}
    UNION ALL SELECT account AS id, -requests, -tokens, -upstream_cost FROM folded_request
  ) ended GROUP BY id HAVING sum(requests) <> 0 OR sum(tokens) <> 0 OR sum(upstream_cost) <> 0
  UNION ${dayMismatches(part, 'daily_spending', '')}
  UNION ${dayMismatches(part, 'daily_key_spending', 'key, ')}
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

/** Ids are looked for among those of a request, of which few are open and name any. */
const BUDGET_HELD_MISMATCHES = `
  SELECT id FROM (
    SELECT id, held AS amount FROM budget WHERE held <> 0
    UNION ALL SELECT budget.id, -request.held FROM request JOIN budget ON budget.account = request.account
      AND ',' || request.budgets || ',' LIKE '%,' || CAST(budget.id AS text) || ',%' WHERE request.state = 0 AND request.budgets <> ''
  ) sides GROUP BY id HAVING sum(amount) <> 0 ORDER BY id`
const EXCEEDED_BUDGETS = `
  SELECT id FROM budget WHERE held < 0 OR hard = 1 AND deleted_at IS NULL AND held + CASE WHEN window_spent > 0 THEN window_spent ELSE 0 END > highest_amount
  ORDER BY id`

/** Rows of archived months have left the table: a request is charged within this time of its begin. */
const CHARGED_WITHIN_MS = 31 * 86_400_000

/**
 * Charges day by day: once for each tag, and once for an end user. Sums of old days are removed, and those of deleted accounts. The join is in
 * this order on both engines.
 */
const attributionMismatches = ({ from, booked }: Part) => {
  const isKept = `day >= ${from} AND day >= (SELECT coalesce(max(CAST(value AS bigint)), 0) FROM meta WHERE name = '${SWEPT_UNTIL}')
    AND day >= (SELECT coalesce(max(ends_at) + ${CHARGED_WITHIN_MS}, 0) FROM archive_part WHERE state > 0)`
  return `
  SELECT DISTINCT id FROM (
    SELECT account AS id, day, CASE WHEN dimension = 'tag' THEN cost ELSE 0 END AS by_tag,
      CASE WHEN dimension = 'tag' THEN 0 ELSE cost END AS by_end_user
    FROM daily_attribution_spending WHERE ${isKept}
    UNION ALL SELECT request.account AS id, charge.day, CASE WHEN request.tags = '' THEN 0
        ELSE charge.amount * (length(request.tags) - length(replace(request.tags, ',', '')) + 1) END AS by_tag,
      CASE WHEN request.end_user = '' THEN 0 ELSE charge.amount END AS by_end_user
    FROM (SELECT request AS paid_for, at - at % 86400000 AS day, CASE WHEN debit > 0 THEN -amount ELSE amount END AS amount
      FROM ${booked} WHERE request IS NOT NULL AND (debit > 0 OR credit > 0)) AS charge
      CROSS JOIN request WHERE request.id = charge.paid_for AND (request.tags <> '' OR request.end_user <> '') AND ${isKept}
  ) sides GROUP BY id, day HAVING (sum(by_tag) <> 0 OR sum(by_end_user) <> 0)
    AND id NOT IN (SELECT id FROM account WHERE deleted_at IS NOT NULL)
  ORDER BY id`
}

/**
 * A second settlement shows as transfers that exceed the cost; an open or voided request must have cost nothing. A transfer of a request
 * whose seal says that it is final finds no request here.
 */
const requestMismatches = ({ requests, transfers, sealed }: Part) => `
  SELECT id FROM (
    SELECT id, 1 AS known, state, account, cost, shortfall, 0 AS strange, account AS wallet FROM ${requests}
    UNION ALL
    SELECT request AS id, 0 AS known, NULL AS state, NULL AS account, -cost AS cost, -shortfall AS shortfall, 0 AS strange, NULL AS wallet
    FROM ${sealed.requests} WHERE cost <> 0 OR shortfall <> 0
    UNION ALL
    SELECT request AS id, 0 AS known, NULL AS state, NULL AS account,
      CASE WHEN debit > 0 AND credit = ${REVENUE} THEN -amount
           WHEN debit = ${REVENUE} AND credit > 0 THEN amount ELSE 0 END AS cost,
      CASE WHEN debit = ${SHORTFALL} AND credit = ${REVENUE} THEN -amount
           WHEN debit = ${REVENUE} AND credit = ${SHORTFALL} THEN amount ELSE 0 END AS shortfall,
      CASE WHEN debit = ${REVENUE} OR credit = ${REVENUE} THEN 0 ELSE 1 END AS strange,
      CASE WHEN debit > 0 THEN debit WHEN credit > 0 THEN credit END AS wallet
    FROM ${transfers} WHERE request IS NOT NULL
  ) sides
  GROUP BY id
  HAVING sum(known) <> 1 OR sum(cost) <> 0 OR sum(shortfall) <> 0 OR sum(strange) > 0
    OR min(wallet) <> max(wallet)
    OR max(CASE WHEN state IN (0, 2) AND (cost <> 0 OR shortfall <> 0) THEN 1 ELSE 0 END) = 1
  ORDER BY id`

/** What is found out apart from these queries. */
type NotOfRows =
  | 'lostTaskHolds'
  | 'sealMismatches'
  | 'archiveMismatches'
  | 'isDeep'
  | 'sealedMonths'
  | 'sealedUntil'
  | 'lastSeal'
type Lists = Omit<
  AuditReport,
  'ok' | 'accounts' | 'requests' | 'transfers' | 'openHolds' | 'overdrawnAccounts' | NotOfRows
>

const lists = (part: Part): Record<keyof Lists, string> => ({
  balanceMismatches: balanceMismatches(part),
  heldMismatches: ACCOUNT_HELD_MISMATCHES,
  keyHeldMismatches: KEY_HELD_MISMATCHES,
  openMismatches: ACCOUNT_OPEN_MISMATCHES,
  keyOpenMismatches: KEY_OPEN_MISMATCHES,
  spentMismatches: spentMismatches(part, 'account'),
  keySpentMismatches: spentMismatches(part, 'key'),
  spendingMismatches: spendingMismatches(part),
  attributionMismatches: attributionMismatches(part),
  budgetHeldMismatches: BUDGET_HELD_MISMATCHES,
  exceededBudgets: EXCEEDED_BUDGETS,
  negativeAccounts: NEGATIVE_ACCOUNTS,
  requestMismatches: requestMismatches(part),
})

/** `seal`: the audit proves what it leaves open; the seals have to be checked as well. */
export const auditAfter = (seal: Seal): readonly Statement[] => auditOf(partAfter(seal))

const auditOf = (part: Part): readonly Statement[] =>
  [counts(part), OVERDRAWN_ACCOUNTS, ...Object.values(lists(part))].map((sql) => ({
    sql,
    parameters: [],
    required: false,
  }))

/** The audit of the whole ledger, whatever is sealed. */
export const AUDIT: readonly Statement[] = auditOf(WHOLE)

const NO_FOLDS = '(SELECT 0 AS account, 0 AS requests, 0 AS tokens, 0 AS upstream_cost WHERE 1 = 0) AS folded_request'
const NOTHING = 'SELECT 0 AS id WHERE 1 = 0'

/** For tables of earlier versions, of which a copy may be: they had no budgets and no tags, and long before that no folded requests. */
export const auditWithout = (audit: readonly Statement[], tables: { has(table: string): boolean }): Statement[] =>
  audit.map((statement) => {
    const isOfBudgets = statement.sql === BUDGET_HELD_MISMATCHES || statement.sql === EXCEEDED_BUDGETS
    const isNew = isOfBudgets || statement.sql.includes('FROM daily_attribution_spending')
    if (isNew && !tables.has('budget')) return { ...statement, sql: NOTHING }
    if (tables.has('folded_request')) return statement
    return { ...statement, sql: statement.sql.replaceAll('FROM folded_request', `FROM ${NO_FOLDS}`) }
  })

/** Reads the results of AUDIT, in its order. */
export function toAuditReport(answers: readonly Row[][]): Omit<AuditReport, NotOfRows> {
  const [counts = [], overdrawn = [], ...found] = answers
  const count = (name: string): number => Number(counts[0]?.[name])
  const named = Object.keys(lists(WHOLE)).map((name, place) => [
    name,
    (found[place] ?? []).map((row) => integer(row.id)),
  ])
  return {
    ok: found.every((rows) => rows.length === 0),
    accounts: count('accounts'),
    requests: count('requests'),
    transfers: count('transfers'),
    openHolds: count('open_holds'),
    ...(Object.fromEntries(named) as Lists),
    overdrawnAccounts: overdrawn.map((row) => integer(row.id)),
  }
}
