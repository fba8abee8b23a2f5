// What notices are made of: what has changed since a time, and how it stands. Each query reads a page.
import { sql } from 'kysely'
import { MAX_AMOUNT, type Nanos, UNLIMITED_CREDIT } from '../../../money/amount.ts'
import { periodEnd, spentNow } from '../../../money/budgets/budget.ts'
import { spentIn } from '../../../money/limits.ts'
import type { BudgetKind } from '../../console/budgets.ts'
import type { Crossable, NoticedChange, NoticedKey, WalletState } from '../../console/notices.ts'
import { toBudgetRow } from '../budgets/rows.ts'
import { integer, optional, type Row, small, text, toCap, toSpent } from '../rows.ts'
import { type Connection, type Database, rawStatement, SPENT, statement } from '../statements.ts'

const HOUR_MS = 3_600_000
/** What the objects of the audit log are that matter here. */
const NOTICED = ['account', 'key', 'budget', 'person'] as const
/** Only the latest are looked at: an account with an earlier one is found with its next charge. */
const MOST_CREDITS = 1_000

export const findingsOver = ({ db, runner, clock }: Connection) => ({
  /** Accounts in which something was charged since then, in the order of their ids. Reads the hours since then. */
  async charged(since: number, after: bigint, limit: number): Promise<bigint[]> {
    const hour = since - (since % HOUR_MS)
    const found = sql`SELECT DISTINCT account FROM hourly_spending
      WHERE hour >= ${hour} AND last_at >= ${since} AND account > ${after} ORDER BY account LIMIT ${limit}`
    return (await runner.readPage(rawStatement(db, found))).map(({ account }) => integer(account))
  },
  /** Accounts that were credited since then. */
  async credited(since: number): Promise<bigint[]> {
    const found = sql`SELECT DISTINCT credit FROM (SELECT credit, at FROM transfer WHERE request IS NULL
      ORDER BY id DESC LIMIT ${MOST_CREDITS}) AS latest WHERE at >= ${since} AND credit > 0`
    return (await runner.readPage(rawStatement(db, found))).map(({ credit }) => integer(credit))
  },
  /**
   * The caps and budgets of these accounts. Of keys and members, only those whose keys were charged since then. A budget without
   * percentages is left out.
   */
  async crossables(accounts: readonly bigint[], since: number): Promise<Crossable[]> {
    if (accounts.length === 0) return []
    const now = clock()
    const [ofAccounts, ofKeys, ofMembers, budgets] = await Promise.all([
      runner.readPage(statement(accountCaps(db, accounts))),
      runner.readPage(statement(keyCaps(db, accounts, since))),
      runner.readPage(statement(memberCaps(db, accounts, since))),
      runner.readPage(statement(budgetsOf(db, accounts))),
    ])
    return [
      ...ofAccounts.map((row) => toCapped('account', row, { account: integer(row.id) }, now)),
      ...ofKeys.map((row) => {
        const owner = optional(row.person, integer)
        return toCapped('key', row, { account: integer(row.account), key: integer(row.id), owner }, now)
      }),
      ...addedUp(ofMembers, now),
      ...budgets.map((row) => toCrossable(row, now)),
    ]
  },
  /** Those that are not deleted. */
  async wallets(accounts: readonly bigint[]): Promise<WalletState[]> {
    if (accounts.length === 0) return []
    const found = db
      .selectFrom('account')
      .select((row) => [
        ...(['id', 'balance', 'credit_line'] as const),
        row
          .selectFrom('transfer')
          .select('transfer.id')
          .where('request', 'is', null)
          .whereRef('credit', '=', 'account.id')
          .orderBy('at', 'desc')
          .limit(1)
          .as('last_credit'),
      ])
      .where('account.id', 'in', accounts)
      .where('deleted_at', 'is', null)
    return (await runner.readPage(statement(found))).map((row) => ({
      account: integer(row.id),
      balance: integer(row.balance),
      creditLine: lineOf(integer(row.credit_line)),
      lastCredit: optional(row.last_credit, integer),
    }))
  },
  /** Keys of clients that expired from `from` until `to`, in the order of expiry, then of ids; `after`: those after this one. */
  async expiredKeys(from: number, to: number, after: Pick<NoticedKey, 'id' | 'expiresAt'> | undefined, limit: number) {
    let found = noticedKeys(db)
      .where('expires_at', '>=', after?.expiresAt ?? from)
      .where('expires_at', '<=', to)
      .where('deleted', '=', 0)
      .orderBy('expires_at')
      .orderBy('id')
      .limit(limit)
    if (after)
      found = found.where((row) => row.or([row('expires_at', '>', after.expiresAt ?? 0), row('id', '>', after.id)]))
    return (await runner.readPage(statement(found))).map(toNoticedKey)
  },
  /** Also deleted ones. */
  async noticedKeys(ids: readonly bigint[]): Promise<NoticedKey[]> {
    if (ids.length === 0) return []
    return (await runner.read(statement(noticedKeys(db).where('id', 'in', ids)))).map(toNoticedKey)
  },
  /** What operations changed since then, of accounts, keys, budgets and people, oldest first; `after`: with higher ids than this. */
  async changes(since: number, after: bigint, limit: number): Promise<NoticedChange[]> {
    const found = db
      .selectFrom('audit_log')
      .select(['id', 'actor_type', 'actor', 'action', 'object', 'reason'])
      .where('at', '>=', since)
      .where('id', '>', after)
      .where((row) => row.or(NOTICED.map((noun) => row('object', 'like', `${noun}/%`))))
      .orderBy('id')
      .limit(limit)
    return (await runner.readPage(statement(found))).map((row) => ({
      id: integer(row.id),
      person: row.actor_type === 'person' ? integer(row.actor) : undefined,
      action: text(row.action),
      object: text(row.object),
      reason: text(row.reason),
    }))
  },
  /** The account of a budget; undefined: it is across accounts, or there is none. */
  async accountOfBudget(id: bigint): Promise<bigint | undefined> {
    const [row] = await runner.read(statement(db.selectFrom('budget').select('account').where('id', '=', id)))
    return optional(row?.account, integer)
  },
  /** Accounts in which this person made keys that are not deleted. */
  async accountsWithKeysOf(person: bigint, limit: number): Promise<bigint[]> {
    const found = db.selectFrom('api_key').select('account').distinct().where('person', '=', person)
    const rows = await runner.read(statement(found.where('deleted', '=', 0).orderBy('account').limit(limit)))
    return rows.map(({ account }) => integer(account))
  },
  /** Accounts that had a charge, a credit or a debit in the month that begins then, in the order of their ids. */
  async movedIn(from: number, to: number, after: bigint, limit: number): Promise<bigint[]> {
    const found = sql`SELECT id FROM account WHERE id > ${after} AND deleted_at IS NULL AND (
      EXISTS (SELECT 1 FROM daily_spending WHERE account = account.id AND day >= ${from} AND day < ${to})
      OR EXISTS (SELECT 1 FROM transfer WHERE request IS NULL AND credit = account.id AND at >= ${from} AND at < ${to})
      OR EXISTS (SELECT 1 FROM transfer WHERE request IS NULL AND debit = account.id AND at >= ${from} AND at < ${to})
      ) ORDER BY id LIMIT ${limit}`
    return (await runner.readPage(rawStatement(db, found))).map(({ id }) => integer(id))
  },
})

/** Without limit: more than all that can be spent. */
const lineOf = (line: Nanos): Nanos => (line === UNLIMITED_CREDIT ? MAX_AMOUNT : line)

const accountCaps = (db: Database, accounts: readonly bigint[]) =>
  db
    .selectFrom('account')
    .select(['id', 'cap', 'cap_period', 'spent', ...SPENT])
    .where('id', 'in', accounts)
    .where('cap', 'is not', null)
    .where('deleted_at', 'is', null)

const keyCaps = (db: Database, accounts: readonly bigint[], since: number) =>
  db
    .selectFrom('api_key')
    .select(['id', 'account', 'person', 'cap', 'cap_period', 'spent', ...SPENT])
    .where('account', 'in', accounts)
    .where('cap', 'is not', null)
    .where('deleted', '=', 0)
    .where('purpose', '=', 'client')
    .where('spent_at', '>=', since)

/** A row for each key, deleted ones too, of members with a cap. */
const memberCaps = (db: Database, accounts: readonly bigint[], since: number) =>
  db
    .selectFrom('member')
    .innerJoin('api_key', (join) =>
      join.onRef('api_key.account', '=', 'member.account').onRef('api_key.person', '=', 'member.person'),
    )
    .select(['member.account', 'member.person', 'member.cap', 'member.cap_period', 'spent_at', 'spent_day'])
    .select(['week_before', 'month_before'])
    .where('member.account', 'in', accounts)
    .where('member.cap', 'is not', null)
    .where((row) =>
      row.exists(
        row
          .selectFrom('api_key as recent')
          .select('recent.id')
          .whereRef('recent.account', '=', 'member.account')
          .whereRef('recent.person', '=', 'member.person')
          .where('recent.spent_at', '>=', since),
      ),
    )

const budgetsOf = (db: Database, accounts: readonly bigint[]) =>
  db
    .selectFrom('budget')
    .leftJoin('api_key', 'api_key.id', 'budget.key')
    .selectAll('budget')
    .select('api_key.person as maker')
    .where('budget.account', 'in', accounts)
    .where('deleted_at', 'is', null)
    .where('alerts', '<>', '[]')
    .orderBy('budget.id')

const NOBODY = { key: undefined, person: undefined, model: undefined, value: undefined, owner: undefined }
type Whose = { account: bigint } & Partial<Pick<Crossable, 'key' | 'person' | 'owner'>>

function toCapped(kind: 'account' | 'key' | 'member', row: Row, whose: Whose, now: number, spent?: Nanos): Crossable {
  const { cap = 0n, capPeriod: period, spentUnderCap } = toCap({ spent: 0n, ...row }, now)
  const terms = { amount: cap, period, everyHours: undefined, startsAt: undefined }
  const periodEndsAt = periodEnd(terms, now)
  const fixed = { kind, budget: undefined, hard: true, alerts: undefined, periodEndsAt }
  return { ...NOBODY, ...terms, ...fixed, ...whose, spentNow: spent ?? spentUnderCap }
}

function addedUp(rows: readonly Row[], now: number): Crossable[] {
  const members = new Map<string, Crossable>()
  for (const row of rows) {
    const [account, person] = [integer(row.account), integer(row.person)]
    const name = `${account} ${person}`
    const known = members.get(name) ?? toCapped('member', row, { account, person, owner: person }, now, 0n)
    // The cap of a member always has a period of the calendar.
    const { period } = known
    const spent = period === undefined || period === 'hours' ? 0n : spentIn(toSpent(row), period, now)
    members.set(name, { ...known, spentNow: known.spentNow + spent })
  }
  return [...members.values()]
}

function toCrossable(row: Row, now: number): Crossable {
  const counted = toBudgetRow(row)
  const { id, amount, period, everyHours, startsAt, hard } = counted
  const person = optional(row.person, integer)
  return {
    budget: id,
    kind: row.kind as BudgetKind,
    account: integer(row.account),
    key: optional(row.key, integer),
    person,
    owner: person ?? optional(row.maker, integer),
    model: optional(row.model, text),
    value: optional(row.value, text),
    amount,
    period,
    everyHours,
    startsAt,
    hard,
    spentNow: spentNow(counted, now),
    periodEndsAt: periodEnd(counted, now),
    alerts: JSON.parse(text(row.alerts)) as number[],
  }
}

const noticedKeys = (db: Database) =>
  db
    .selectFrom('api_key')
    .select(['id', 'account', 'person', 'name', 'last_four', 'expires_at'])
    .where('purpose', '=', 'client')

const toNoticedKey = (row: Row): NoticedKey => ({
  id: integer(row.id),
  account: integer(row.account),
  person: optional(row.person, integer),
  name: text(row.name),
  lastFour: text(row.last_four),
  expiresAt: optional(row.expires_at, small),
})
