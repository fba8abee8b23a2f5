// Budgets on both engines.
import type { Nanos } from '../../../money/amount.ts'
import { leftUnder, periodEnd, periodStart, spentNow } from '../../../money/budgets/budget.ts'
import { DEAD_AFTER_MS } from '../../../money/ledger.ts'
import {
  type Budget,
  type BudgetChanges,
  type BudgetFilter,
  type BudgetKind,
  type BudgetNoun,
  type BudgetSetter,
  MOST_BUDGETS_IN_ALL,
  MOST_BUDGETS_KEPT,
  MOST_SHARED_BUDGETS,
  type NewBudget,
} from '../../console/budgets.ts'
import { newestFirst } from '../lists/pages.ts'
import { integer, optional, type Row, small, text } from '../rows.ts'
import {
  type Connection,
  changing,
  type Database,
  incrementChangeCounter,
  required,
  type Statement,
  statement,
} from '../statements.ts'
import type { Schema } from '../tables.ts'
import { checkBudget, checkSettings } from './check.ts'
import { toBudgetRow } from './rows.ts'

export function budgetsOver({ db, runner, clock }: Connection): BudgetNoun {
  const one = (id: bigint) => db.selectFrom('budget').selectAll().where('id', '=', id)

  async function read(rows: readonly Row[]): Promise<Budget[]> {
    const shared = rows.filter(({ account }) => account === null).map(({ id }) => integer(id))
    const sums = shared.length === 0 ? [] : await runner.readLedger(statement(sumsOf(db, shared)))
    const byBudget = Map.groupBy(sums, ({ budget }) => integer(budget))
    const now = clock()
    return rows.map((row) => toBudget(row, byBudget.get(integer(row.id)) ?? [], now))
  }

  const find = async (id: bigint): Promise<Budget | undefined> =>
    (await read(await runner.readLedger(statement(one(id)))))[0]

  /** The budget that the last of `steps` returns. */
  async function write(steps: readonly Statement[]): Promise<Budget | undefined> {
    const written = await runner.write([...steps, incrementChangeCounter(db)])
    return written && (await read(written[steps.length - 1] ?? []))[0]
  }

  return {
    async create(budget, most = MOST_BUDGETS_KEPT, mostInAll = MOST_BUDGETS_IN_ALL) {
      const limit = budget.account === undefined ? Math.min(most, MOST_SHARED_BUDGETS) : most
      const fewer = fewerInAll(db, mostInAll)
      return await write([...forOne(db, checkBudget(budget), limit), fewer, insert(db, budget, clock())])
    },
    find,
    async list(filter, limit, after = 0n) {
      const page = filtered(db, filter).where('id', '>', after).orderBy('id').limit(limit)
      return await read(await runner.readPage(statement(page)))
    },
    async page(filter, { after: before, before: after }, limit) {
      const range = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }
      return await read(await newestFirst(runner.readPage, filtered(db, filter), range, limit))
    },
    async inForce(account) {
      const all = filtered(db, { account: account ?? null })
        .orderBy('id')
        .limit(MOST_BUDGETS_KEPT)
      return await read(await runner.readLedger(statement(all)))
    },
    async change(id, changes) {
      const known = await find(id)
      if (!known || known.deletedAt !== undefined) return undefined
      checkSettings({ ...known, ...changes })
      return await write([...lockAccount(db, known.account), ...change(db, known, changes), required(one(id))])
    },
    async delete(id) {
      const known = await find(id)
      if (!known) return false
      const ended = db.updateTable('budget').set({ deleted_at: clock() }).where('id', '=', id)
      const deleted = required(ended.where('deleted_at', 'is', null).returningAll())
      return (await write([...lockAccount(db, known.account), deleted])) !== undefined
    },
    async isKnownToAll() {
      const older = db
        .selectFrom('node')
        .select('node_id')
        .where('renewed_at', '>', clock() - DEAD_AFTER_MS)
        .whereRef('budgets_epoch', '<>', 'epoch')
      return (await runner.readLedger(statement(older.limit(1)))).length === 0
    },
  }
}

/** All that may change its budgets hold this lock. Requests that were admitted without knowing of the change are rejected: their key is newer. */
const lockAccount = (db: Database, account: bigint | undefined): Statement[] =>
  account === undefined
    ? []
    : [
        required(
          db
            .updateTable('account')
            .set((row) => ({ budgets_version: row('budgets_version', '+', 1n) }))
            .where('id', '=', account)
            .where('deleted_at', 'is', null)
            .returning('id'),
        ),
        changing(
          statement(
            db
              .updateTable('api_key')
              .set((row) => ({ revision: row('revision', '+', 1n) }))
              .where('account', '=', account),
          ),
        ),
      ]

/** There are fewer than `most`, and what it is for is of the account. */
function forOne(db: Database, { account, key, person }: NewBudget, most: number): Statement[] {
  const count = filtered(db, { account: account ?? null })
    .clearSelect()
    .select((row) => row.fn.countAll().as('budgets'))
    .having((row) => row(row.fn.countAll(), '<', most))
  const steps = [...lockAccount(db, account), required(count)]
  if (account === undefined) return steps
  if (key !== undefined)
    steps.push(required(db.selectFrom('api_key').select('id').where('id', '=', key).where('account', '=', account)))
  if (person !== undefined)
    steps.push(
      required(db.selectFrom('member').select('person').where('person', '=', person).where('account', '=', account)),
    )
  return steps
}

/** All accounts together have fewer than `most`; a few more if they are made at once. */
function fewerInAll(db: Database, most: number): Statement {
  const some = db.selectFrom('budget').select('id').where('deleted_at', 'is', null).limit(most).as('some')
  const count = db.selectFrom(some).select((row) => row.fn.countAll().as('budgets'))
  return required(count.having((row) => row(row.fn.countAll(), '<', most)))
}

function insert(db: Database, budget: NewBudget, now: number): Statement {
  const { kind, account, key, person, model, value, setBy, amount } = budget
  const subject = { kind, account, key, person, model, value }
  const values = Object.fromEntries(Object.entries(subject).map(([name, of]) => [name, of ?? null])) as {
    [Name in keyof typeof subject]: Exclude<(typeof subject)[Name], undefined> | null
  }
  return required(
    db
      .insertInto('budget')
      .values({
        ...(values as typeof values & { kind: BudgetKind }),
        ...settings(budget),
        amount,
        hard: budget.hard ? 1 : 0,
        highest_amount: amount,
        set_by: setBy,
        created_at: now,
      })
      .returningAll(),
  )
}

type Column = keyof Schema['budget']
const COLUMN_OF = {
  amount: 'amount',
  period: 'period',
  everyHours: 'every_hours',
  startsAt: 'starts_at',
  hard: 'hard',
  alerts: 'alerts',
  text: 'text',
} as const satisfies Record<keyof BudgetChanges, Column>

/** Only the fields that are named. */
const settings = (changes: BudgetChanges) =>
  Object.fromEntries(
    Object.entries(COLUMN_OF).flatMap(([name, column]) => {
      if (!(name in changes)) return []
      const value = changes[name as keyof BudgetChanges]
      return [[column, name === 'alerts' ? JSON.stringify(value) : name === 'hard' ? Number(value) : (value ?? null)]]
    }),
  )

const COUNTED_BY = ['period', 'everyHours', 'startsAt'] as const

/** What is spent and held may exceed an amount that is lowered, or a budget that becomes hard: the audit allows for it. */
function change(db: Database, known: Budget, changes: BudgetChanges): Statement[] {
  const isOtherPeriod = COUNTED_BY.some((name) => name in changes && changes[name] !== known[name])
  const own = db.updateTable('budget').where('id', '=', known.id).where('deleted_at', 'is', null)
  const anew = isOtherPeriod ? { window_start: 0, window_spent: 0n } : {}
  return [
    required(own.set({ ...settings(changes), ...anew }).returning('id')),
    statement(own.set((row) => ({ highest_amount: row.ref('amount') })).whereRef('highest_amount', '<', 'amount')),
    statement(
      own
        .set((row) => ({ highest_amount: row('window_spent', '+', row.ref('held')) }))
        .where((row) => row('highest_amount', '<', row('window_spent', '+', row.ref('held')))),
    ),
  ]
}

function filtered(db: Database, { account, kind, key, person, value, setBy, isAny, mayBeReached }: BudgetFilter) {
  let query = db.selectFrom('budget').selectAll()
  if (account === null) query = query.where('account', 'is', null)
  else if (account !== undefined) query = query.where('account', '=', account)
  if (kind !== undefined) query = query.where('kind', '=', kind)
  if (key !== undefined) query = query.where('key', '=', key)
  if (person !== undefined) query = query.where('person', '=', person)
  if (value !== undefined) query = query.where('value', '=', value)
  if (setBy !== undefined) query = query.where('set_by', '=', setBy)
  if (mayBeReached)
    query = query.where((row) =>
      row.or([
        row('account', 'is', null),
        row('held', '>=', row.ref('amount')),
        row(row('window_spent', '+', row.ref('held')), '>=', row.ref('amount')),
      ]),
    )
  return isAny ? query : query.where('deleted_at', 'is', null)
}

const sumsOf = (db: Database, budgets: readonly bigint[]) =>
  db.selectFrom('budget_sum').selectAll().where('budget', 'in', budgets)

/** `sums`: its own, if it is across accounts. */
function toBudget(row: Row, sums: readonly Row[], now: number): Budget {
  const counted = toBudgetRow(row)
  const { id, account, amount, period, everyHours, startsAt, hard, held } = counted
  const start = periodStart(counted, now)
  const sum = (column: 'spent' | 'window_spent', of: readonly Row[]): Nanos =>
    of.reduce((total, each) => total + integer(each[column]), 0n)
  const present = sum(
    'window_spent',
    sums.filter((each) => small(each.window_start) === start),
  )
  const spent = account === undefined ? sum('spent', sums) : counted.spent
  const meter = { ...counted, ...(account === undefined && { windowStart: start, windowSpent: present }) }
  return {
    id,
    kind: row.kind as BudgetKind,
    account,
    key: optional(row.key, integer),
    person: optional(row.person, integer),
    model: optional(row.model, text),
    value: optional(row.value, text),
    amount,
    period,
    everyHours,
    startsAt,
    hard,
    alerts: JSON.parse(text(row.alerts)) as number[],
    text: text(row.text),
    setBy: row.set_by as BudgetSetter,
    spent,
    held,
    spentNow: spentNow(meter, now),
    left: leftUnder(meter, now),
    periodEndsAt: periodEnd(counted, now),
    createdAt: small(row.created_at),
    deletedAt: optional(row.deleted_at, small),
  }
}
