// Budgets as the reference model has them: what their requests hold and cost, added up anew after each commit.
import type { BudgetPeriod } from '../../packages/gateway/src/money/budgets/budget.ts'
import { HELD, type RequestRow, type Result, TASK_NODE, type Verb } from '../../packages/gateway/src/money/ledger.ts'
import type { MemoryRows } from './memory-book.ts'
import { checkBooks, type Model, type ModelBudget, must } from './model.ts'
import type { Random } from './random.ts'

const HOURS = 1
const PERIODS: readonly (BudgetPeriod | undefined)[] = [undefined, 'day', 'month', 'hours']

/** A few for each account, and one across accounts, in this world. */
export function makeBudgets(rows: MemoryRows, model: Model, random: Random): void {
  for (const [index, account] of [1n, 1n, 1n, 2n, 2n, undefined].entries()) {
    const id = BigInt(900 + index)
    const amount = BigInt(random.between(30, 500))
    const period = random.pick(PERIODS)
    const hours =
      period === 'hours' ? { everyHours: HOURS, startsAt: 0 } : { everyHours: undefined, startsAt: undefined }
    const hard = random.chance(0.8)
    const meter = { spent: 0n, held: 0n, windowStart: 0, windowSpent: 0n }
    rows.budgets.set(id, { id, account, amount, period, ...hours, hard, deleted: false, ...meter })
    model.budgets.set(id, { account, amount, period, hard, deleted: false, highest: amount })
  }
}

/** What an admin does to one, and to the keys of its account. */
export function changeBudget(rows: MemoryRows, model: Model, random: Random): void {
  const id = random.pick([...model.budgets.keys()])
  const [row, known] = [rows.budgets.get(id ?? 0n), model.budgets.get(id ?? 0n)]
  if (!row || !known || row.deleted) return
  const change = random.chance(0.2) ? { deleted: true } : { amount: BigInt(random.between(0, 500)) }
  Object.assign(row, change)
  Object.assign(known, change)
  if (known.amount > known.highest) known.highest = known.amount
  for (const key of rows.keys.values())
    if (key.account === row.account) {
      key.revision += 1
      model.revisions.set(key.id, key.revision)
    }
}

/** Those that a node believes to apply: at times one that is gone, or of another account. */
export function chooseBudgets(model: Model, account: bigint, random: Random): { budgets?: readonly bigint[] } {
  if (model.budgets.size === 0) return {}
  const mine = [...model.budgets].filter(
    ([, of]) => of.account === account || of.account === undefined || random.chance(0.1),
  )
  const budgets = mine.map(([id]) => id).filter(() => random.chance(0.6))
  return budgets.length === 0 ? {} : { budgets }
}

const openUnder = (rows: MemoryRows, id: bigint): RequestRow[] =>
  [...rows.requests.values()].filter((one) => one.budgets.includes(id))

export function checkAllBooks(rows: MemoryRows, model: Model): void {
  checkBooks(rows, model)
  checkBudgets(rows, model)
}

function checkBudgets(rows: MemoryRows, model: Model): void {
  for (const row of rows.budgets.values()) {
    const known = model.budgets.get(row.id)
    const named = () => `budget ${row.id}`
    const requests = openUnder(rows, row.id)
    const held = requests.reduce((sum, one) => sum + (one.state === HELD ? one.held : 0n), 0n)
    const spent = requests.reduce((sum, one) => sum + one.cost, 0n)
    if (row.account === undefined) {
      const shared = [...rows.shared].filter(([place]) => place.startsWith(`${row.id},`))
      const sum = shared.reduce((total, [, amount]) => total + amount, 0n)
      must(row.held === 0n && row.spent === 0n, 'nothing is held across accounts', named)
      must(sum === spent, "what is spent across accounts = sum of the budget's requests", named)
      continue
    }
    must(row.held === held, "budget's held = sum of its open holds", named)
    must(row.spent === spent, "budget's spent = sum of its requests", named)
    must(row.amount === known?.amount && row.deleted === known.deleted, 'only an admin changes a budget', named)
    const counted = row.windowSpent > 0n ? row.windowSpent : 0n
    // One that is deleted limits no more, and what it had held may grow.
    if (row.hard && !row.deleted)
      must(row.held + counted <= (known?.highest ?? 0n), 'a hard budget is not exceeded', named)
  }
}

/** By the calendar, not by division. */
function periodOf(period: BudgetPeriod | undefined, time: number): string {
  if (period === undefined) return ''
  return new Date(time).toISOString().slice(0, { month: 7, hours: 13, day: 10, week: 10 }[period])
}

function spentNow(model: Model, id: bigint, now: number): bigint {
  const { period } = model.budgets.get(id) ?? {}
  const sum = model.committed.happened.paid
    .filter((one) => one.owner === id && periodOf(period, one.at) === periodOf(period, now))
    .reduce((total, { amount }) => total + amount, 0n)
  return sum > 0n ? sum : 0n
}

const isLimit = ({ hard, deleted, account }: ModelBudget): boolean => hard && !deleted && account !== undefined

/** After a verb that was granted: its request counts against all it named that are in force, and exceeds none. */
export function checkBudgetGrant(verb: Verb, result: Result, rows: MemoryRows, model: Model, now: number): void {
  if (verb.verb !== 'hold' && verb.verb !== 'extend') return
  const request = rows.requests.get(verb.id)
  if (verb.verb === 'hold' && result.verdict === 'done') {
    const expected = (verb.budgets ?? []).filter((id) => {
      const of = model.budgets.get(id)
      return of && !of.deleted && (of.account === undefined || of.account === verb.account)
    })
    must(
      request?.budgets.join() === expected.join(),
      'a hold counts against the budgets that apply',
      () => `${verb.id}`,
    )
  }
  for (const id of request?.budgets ?? []) {
    const [row, known] = [rows.budgets.get(id), model.budgets.get(id)]
    if (!row || !known || !isLimit(known)) continue
    if (result.verdict === 'done' && result.amount > 0n)
      must(spentNow(model, id, now) + row.held <= known.amount, 'granted within a budget', () => `budget ${id}`)
  }
  if (result.verdict !== 'budget_reached') return
  const [row, known] = [rows.budgets.get(result.budget ?? 0n), model.budgets.get(result.budget ?? 0n)]
  must(row !== undefined && known !== undefined && isLimit(known), 'rejected by a budget that limits')
  const left = known.amount - spentNow(model, row.id, now) - row.held
  must(left < verb.minimum, 'rejected only by a budget that is reached', () => `budget ${row.id}`)
}

/** Whether a budget of the request leaves nothing, once `paid` was charged. */
export const isBudgetReached = (
  rows: MemoryRows,
  model: Model,
  request: RequestRow,
  paid: bigint,
  now: number,
): boolean =>
  request.budgets.some((id) => {
    const [row, known] = [rows.budgets.get(id), model.budgets.get(id)]
    if (!row || !known || !isLimit(known)) return false
    const { period } = known
    const before = model.committed.happened.paid
      .filter((one) => one.owner === id && periodOf(period, one.at) === periodOf(period, now))
      .reduce((total, { amount }) => total + amount, -paid)
    return (before > 0n ? before : 0n) + paid + row.held >= known.amount
  })

/** What is paid beyond a hold stays within the budgets. */
export function checkBudgetCharge(rows: MemoryRows, model: Model, request: RequestRow, now: number): void {
  if (request.nodeId === TASK_NODE) return
  for (const id of request.budgets) {
    const [row, known] = [rows.budgets.get(id), model.budgets.get(id)]
    if (row && known && isLimit(known))
      must(spentNow(model, id, now) + row.held <= known.amount, 'charged within a budget', () => `budget ${id}`)
  }
}
