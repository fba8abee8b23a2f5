// Adds up what a month changed, page by page: all of it is final, so the pages need not be of one moment.
import { sql } from 'kysely'
import { HELD, REAPED, REAPED_OUTCOME, REVENUE, SETTLED, SHORTFALL, TASK_NODE, VOIDED } from '../../../money/book.ts'
import { integer, optional, type Row, small, text } from '../rows.ts'
import { type Connection, rawStatement } from '../statements.ts'
import { type Bounds, firstRequestAfter, integerOf, isSealed } from './bounds.ts'
import type { LedgerRows } from './ledger-rows.ts'

/** The columns of month_seal_account beside its key. */
export const ACCOUNT_SUMS = [
  'balance',
  'spent',
  'requests',
  'tokens',
  'upstream_cost',
  'used_requests',
  'used_tokens',
  'used_cost',
] as const
export type AccountSums = Record<(typeof ACCOUNT_SUMS)[number], bigint>
export const zeroSums = (): AccountSums => Object.fromEntries(ACCOUNT_SUMS.map((name) => [name, 0n])) as AccountSums

export type RequestSums = { cost: bigint; shortfall: bigint }

export type MonthSums = {
  accounts: Map<bigint, AccountSums>
  /** What they spent. */
  keys: Map<bigint, bigint>
  /** What the transfers say of requests that may still be corrected. */
  requests: Map<bigint, RequestSums>
  firstOpen: bigint
  transfers: bigint
  /** Accounts that were not charged what their requests cost. */
  wrong: Set<bigint>
}

/** `open`: requests that may still be corrected, of this month and those before. `fresh`: those of them that no earlier seal names. */
type Month = {
  previous: Bounds
  endsAt: number
  lastSealed: bigint
  open: ReadonlySet<bigint>
  fresh: Iterable<bigint>
}

/** A request of the month is not final and not known as such: it began, or changed, since that was asked. */
export class NotFinal extends Error {}

/** Pauses wherever it has read a page. `ledger`: where requests and transfers are read. */
export async function* addUpMonth(
  { db, runner }: Connection,
  month: Month,
  ledger: LedgerRows,
): AsyncGenerator<undefined, MonthSums> {
  const { previous, endsAt, lastSealed, open, fresh } = month
  const sums: MonthSums = {
    accounts: new Map(),
    keys: new Map(),
    requests: new Map([...fresh].map((id) => [id, { cost: 0n, shortfall: 0n }])),
    firstOpen: lastSealed + 1n,
    transfers: 0n,
    wrong: new Set(),
  }
  const of = (account: bigint) => valueIn(sums.accounts, account, zeroSums)

  const below = firstRequestAfter({ endsAt })
  for await (const rows of ledger('request', firstRequestAfter(previous) - 1n, below - 1n)) {
    for (const row of rows) {
      if (open.has(integer(row.id)) || isFree(row)) continue
      if (mayChange(row)) throw new NotFinal(String(row.id))
      const account = of(integer(row.account))
      account.spent += integer(row.cost)
      account.requests += 1n
      account.tokens += integer(row.tokens)
      account.upstream_cost += integerOf(row, 'upstream_cost')
      const key = integer(row.key)
      sums.keys.set(key, (sums.keys.get(key) ?? 0n) + integer(row.cost))
    }
    yield
  }

  const charged = new Map<bigint, bigint>()
  for await (const rows of ledger('transfer', previous.firstOpen - 1n, lastSealed)) {
    for (const row of rows) {
      const [id, debit, credit, amount] = [
        integer(row.id),
        integer(row.debit),
        integer(row.credit),
        integer(row.amount),
      ]
      const [request, at] = [optional(row.request, integer), small(row.at)]
      const isOfMonth = isSealed({ id, request, at }, { endsAt, lastSealed, firstOpen: 0n })
      if ((!isOfMonth || at >= endsAt) && id < sums.firstOpen) sums.firstOpen = id
      if (!isOfMonth || isSealed({ id, request, at }, previous)) continue
      sums.transfers += 1n
      if (debit > 0n) of(debit).balance -= amount
      if (credit > 0n) of(credit).balance += amount
      if (request === undefined) continue
      const cost = credit === REVENUE && debit > 0n ? amount : debit === REVENUE && credit > 0n ? -amount : 0n
      const wallet = debit > 0n ? debit : credit
      if (!open.has(request)) charged.set(wallet, (charged.get(wallet) ?? 0n) + cost)
      else {
        const corrected = valueIn(sums.requests, request, () => ({ cost: 0n, shortfall: 0n }))
        corrected.cost += cost
        corrected.shortfall += debit === SHORTFALL ? amount : credit === SHORTFALL ? -amount : 0n
      }
    }
    yield
  }
  for (const [account, { spent }] of sums.accounts) if (spent !== (charged.get(account) ?? 0n)) sums.wrong.add(account)
  for (const [account, cost] of charged)
    if (account > 0n && cost !== (sums.accounts.get(account)?.spent ?? 0n)) sums.wrong.add(account)

  for (let from = previous.endsAt; ; yield) {
    const rows = await runner.readPage(
      rawStatement(
        db,
        sql`SELECT hour, account, CAST(sum(requests) AS bigint) AS requests, CAST(sum(tokens) AS bigint) AS tokens,
        CAST(sum(upstream_cost) AS bigint) AS upstream_cost
      FROM hourly_spending WHERE hour = (SELECT min(hour) FROM hourly_spending WHERE hour >= ${from} AND hour < ${endsAt})
      GROUP BY hour, account`,
      ),
    )
    for (const row of rows) {
      const account = of(integer(row.account))
      account.used_requests += integer(row.requests)
      account.used_tokens += integer(row.tokens)
      account.used_cost += integer(row.upstream_cost)
    }
    if (rows.length === 0) break
    from = small(rows[0]?.hour) + 1
  }
  return sums
}

/** Rows at price 0 are removed after a while, and are few until then: no seal has them (IS_FREE in parts.ts). */
const isFree = ({ held, state, cost, shortfall }: Row): boolean =>
  integer(held) === 0n && small(state) !== HELD && integer(cost) === 0n && integer(shortfall) === 0n

/** Open, or of those that the owner's return or a repetition still corrects (money/finish.ts, money/repetitions.ts). */
function mayChange({ node_id: node, state, outcome, cost, shortfall }: Row): boolean {
  const is = (one: number) => small(state) === one
  const isTakenOver = is(VOIDED) && small(node) !== TASK_NODE && text(outcome) === REAPED_OUTCOME
  const isLoss = is(SETTLED) && integer(cost) === 0n && integer(shortfall) > 0n
  return is(HELD) || is(REAPED) || isTakenOver || isLoss
}

function valueIn<Value>(map: Map<bigint, Value>, key: bigint, make: () => Value): Value {
  const found = map.get(key) ?? make()
  map.set(key, found)
  return found
}
