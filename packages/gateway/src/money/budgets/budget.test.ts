// Periods of budgets, and what holds and charges do to them.
import { describe, expect, test } from 'bun:test'
import { HOLD, NOW, openLedger, SETTLE, TASK } from '../../../test-support/ledger.ts'
import { DEAD_AFTER_MS, done, rejected } from '../ledger.ts'
import { joinTags, splitTags } from './attribution.ts'
import { type BudgetRow, leftUnder, periodEnd, periodStart, spentNow } from './budget.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const at = (time: string): number => Date.parse(`${time}Z`)

const budget = (more: Partial<BudgetRow> = {}): BudgetRow => ({
  id: 1n,
  account: 1n,
  amount: 100n,
  period: undefined,
  everyHours: undefined,
  startsAt: undefined,
  hard: true,
  deleted: false,
  spent: 0n,
  held: 0n,
  windowStart: 0,
  windowSpent: 0n,
  ...more,
})

describe('the period of a time', () => {
  const hours = (everyHours: number | undefined, startsAt?: number) =>
    ({ period: 'hours', everyHours, startsAt }) as const
  test.each<[string, Partial<BudgetRow>, string, string]>([
    ['a day', { period: 'day' }, '2026-03-01T00:00:00.000', '2026-03-02T00:00:00.000'],
    ['a week', { period: 'week' }, '2026-02-23T00:00:00.000', '2026-03-02T00:00:00.000'],
    ['a month', { period: 'month' }, '2026-03-01T00:00:00.000', '2026-04-01T00:00:00.000'],
    ['an hour', hours(1), '2026-03-01T23:00:00.000', '2026-03-02T00:00:00.000'],
    ['one without a number', hours(undefined), '2026-03-01T23:00:00.000', '2026-03-02T00:00:00.000'],
    ['five', hours(5, at('2026-02-01T03:30:00')), '2026-03-01T21:30:00.000', '2026-03-02T02:30:00.000'],
    [
      'five from a later start',
      hours(5, at('2026-03-02T00:00:01')),
      '2026-03-01T19:00:01.000',
      '2026-03-02T00:00:01.000',
    ],
  ])('%s', (_, terms, start, end) => {
    const whole = budget(terms)
    const isIn = (time: number) => [periodStart(whole, time), periodEnd(whole, time)]
    expect(isIn(at(start))).toEqual([at(start), at(end)])
    expect(isIn(at(end) - 1)).toEqual([at(start), at(end)])
    expect(isIn(at(end))[0]).toBe(at(end))
  })

  test('all time', () => {
    expect([periodStart(budget(), NOW), periodEnd(budget(), NOW)]).toEqual([0, undefined])
  })
})

describe('what is left', () => {
  test.each<[string, Partial<BudgetRow>, bigint, bigint]>([
    ['of all', {}, 0n, 100n],
    ['beside what is held and spent', { held: 30n, windowSpent: 20n }, 20n, 50n],
    ['of the last nano-dollar', { held: 98n, windowSpent: 1n }, 1n, 1n],
    ['of what is spent beyond it', { windowSpent: 120n }, 120n, 0n],
    ['after refunds of an earlier period', { windowSpent: -20n, held: 10n }, 0n, 90n],
    [
      'of a period that is over',
      { period: 'day', windowStart: NOW - (NOW % DAY) - DAY, windowSpent: 70n, held: 5n },
      0n,
      95n,
    ],
    ['of the present one', { period: 'day', windowStart: NOW - (NOW % DAY), windowSpent: 70n }, 70n, 30n],
    // A clock that steps back renews nothing; one that was wrong by days does not count.
    ['before midnight again', { period: 'day', windowStart: NOW - (NOW % DAY) + DAY, windowSpent: 70n }, 70n, 30n],
    ['a day ahead', { period: 'day', windowStart: NOW - (NOW % DAY) + 3 * DAY, windowSpent: 70n }, 0n, 100n],
  ])('%s', (_, more, spent, left) => {
    expect([spentNow(budget(more), NOW), leftUnder(budget(more), NOW)]).toEqual([spent, left])
  })
})

function open(...budgets: Partial<BudgetRow>[]) {
  const ledger = openLedger()
  for (const [index, more] of budgets.entries())
    ledger.rows.budgets.set(BigInt(index + 1), budget({ id: BigInt(index + 1), ...more }))
  const row = (id = 1n) => {
    const found = ledger.rows.budgets.get(id)
    if (!found) throw new Error('there is no such budget')
    return found
  }
  return { ...ledger, row, hold: { ...HOLD, budgets: budgets.map((_, index) => BigInt(index + 1)) } }
}
const today = NOW - (NOW % DAY)

describe('a hold', () => {
  test('counts against those that are in force, and is granted what they leave', () => {
    const { run, request, row, hold } = open(
      { amount: 150n },
      { amount: 90n, hard: false },
      { deleted: true },
      { account: 9n },
      { account: undefined },
    )
    expect(run({ ...hold, budgets: [5n, ...hold.budgets.slice(0, 4), 77n] })).toEqual({
      ...done(100n, 30),
      budgetsLeft: [undefined, 150n, 90n, undefined, undefined, undefined],
    })
    expect(request().budgets).toEqual([5n, 1n, 2n])
    expect([1n, 2n, 3n, 4n, 5n].map((id) => row(id).held)).toEqual([100n, 100n, 0n, 0n, 0n])
    expect(run({ ...hold, id: 8n, minimum: 51n })).toEqual(rejected('budget_reached', 50n, 1n))
    expect(run({ ...hold, id: 8n, minimum: 50n })).toMatchObject({ amount: 50n })
  })

  test('begins a period with nothing spent, and not an earlier one', () => {
    const { at: run, row, hold } = open({ period: 'day', windowStart: today - DAY, windowSpent: 60n })
    run(0, hold)
    expect(row()).toMatchObject({ held: 100n, windowStart: today, windowSpent: 0n })
    const back = open({ period: 'day', windowStart: today + DAY, windowSpent: 0n })
    back.at(0, back.hold)
    expect(back.row().windowStart).toBe(today + DAY)
  })

  test('that is extended is held under all that it names', () => {
    const { run, row, hold } = open({ amount: 130n }, { deleted: false, hard: false })
    run(hold)
    row(2n).deleted = true
    const more = { verb: 'extend', id: 7n, nodeId: 0, epoch: 1, known: 100n, tokens: 0, progress: 0n } as const
    expect(run({ ...more, amount: 40n, minimum: 31n })).toEqual(rejected('budget_reached', 30n, 1n))
    expect(run({ ...more, amount: 40n, minimum: 30n, whole: true })).toMatchObject({ amount: 30n })
    expect([row(1n).held, row(2n).held]).toEqual([130n, 130n])
  })
})

describe('a charge', () => {
  test('moves what is held to what is spent, and takes no more than what is left', () => {
    const { run, row, hold, request } = open({ amount: 120n })
    run(hold)
    expect(run({ ...SETTLE, cost: 500n })).toEqual(done(120n, 0, 120n))
    expect(row()).toMatchObject({ held: 0n, spent: 120n, windowSpent: 120n })
    expect(request().shortfall).toBe(380n)
  })

  test('of a soft one, of one that was deleted, or across accounts is not limited', () => {
    const { run, row, rows, hold } = open({ hard: false }, {}, { account: undefined, period: 'day' })
    run(hold)
    row(2n).deleted = true
    expect(run({ ...SETTLE, cost: 500n })).toEqual(done(500n, 0, 500n))
    expect([row(1n).spent, row(2n).spent, row(3n).spent]).toEqual([500n, 500n, 0n])
    expect([...rows.shared]).toEqual([[`3,0,${today}`, 500n]])
  })

  test('begins a period anew that an admin has changed, also that of a task', () => {
    for (const isTask of [true, false]) {
      const { run, lease, task, row, hold } = open({ period: 'day', amount: 1_000n })
      if (isTask) lease()
      run(isTask ? { ...task(), budgets: hold.budgets } : hold)
      Object.assign(row(), { windowStart: 0, windowSpent: 0n })
      run(isTask ? { ...SETTLE, ...TASK } : SETTLE)
      expect(row()).toMatchObject({ spent: 40n, windowStart: today, windowSpent: 40n })
    }
  })

  test('in the present, after a clock that was wrong by days', () => {
    const { run, row, hold } = open({ period: 'day', amount: 1_000n })
    run(hold)
    Object.assign(row(), { windowStart: today + 3 * DAY, windowSpent: 9n })
    run(SETTLE)
    expect(row()).toMatchObject({ spent: 40n, windowStart: today, windowSpent: 40n })
  })

  test('of nothing releases the hold and begins no period', () => {
    const { at: run, row, rows, hold } = open({ period: 'day' }, { account: undefined })
    run(0, { verb: 'join', nodeId: 0, config: '', takeover: true })
    run(0, { ...hold, epoch: 2 })
    expect(run(DAY, { ...SETTLE, epoch: 2, cost: 0n })).toEqual(done(0n))
    expect(row()).toMatchObject({ held: 0n, spent: 0n, windowStart: today })
    expect(rows.shared.size).toBe(0)
  })

  test('counts in the period in which it is made, and a correction, too', () => {
    const { at: run, row, hold } = open({ period: 'day', amount: 1_000n })
    run(0, hold)
    run(0, {
      verb: 'extend',
      id: 7n,
      nodeId: 0,
      epoch: 1,
      known: 100n,
      amount: 0n,
      minimum: 0n,
      tokens: 0,
      progress: 60n,
    })
    run(DAY + DEAD_AFTER_MS, { verb: 'reap', limit: 9 })
    expect(row()).toMatchObject({ held: 0n, spent: 60n, windowStart: today + DAY, windowSpent: 60n })
    run(2 * DAY, { ...SETTLE, cost: 50n })
    expect(row()).toMatchObject({ spent: 50n, windowStart: today + 2 * DAY, windowSpent: -10n })
  })

  test('of one nano-dollar more than the reaper found is kept', () => {
    const { at: run, row, hold } = open({})
    run(0, hold)
    run(DEAD_AFTER_MS, { verb: 'reap', limit: 9 })
    expect(run(DEAD_AFTER_MS, { ...SETTLE, cost: 1n })).toEqual(done(1n, 0, 1n))
    expect(row()).toMatchObject({ spent: 1n, windowSpent: 1n })
  })

  test('of a task counts in the period of its submit, and in none if that is over', () => {
    const {
      at: run,
      lease,
      task,
      row,
      rows,
      hold,
    } = open({ period: 'day', amount: 1_000n }, { account: undefined, period: 'day' })
    lease()
    run(0, { ...task(), budgets: hold.budgets })
    run(0, { ...SETTLE, ...TASK, cost: 70n })
    expect(row()).toMatchObject({ spent: 70n, windowStart: today, windowSpent: 70n })
    const late = open({ period: 'day', amount: 1_000n }, { account: undefined, period: 'day' })
    late.lease()
    late.at(0, { ...late.task(), budgets: late.hold.budgets })
    Object.assign(late.row(), { windowStart: today + DAY, windowSpent: 5n })
    late.at(DAY, { ...SETTLE, ...TASK, cost: 70n })
    expect(late.row()).toMatchObject({ held: 0n, spent: 70n, windowStart: today + DAY, windowSpent: 5n })
    expect([...rows.shared.keys(), ...late.rows.shared.keys()]).toEqual([`2,-1,${today}`, `2,-1,${today}`])
  })
})

test('tags are kept as one text', () => {
  expect([joinTags([]), joinTags(['a', 'b=c'])]).toEqual(['', 'a,b=c'])
  expect([splitTags(''), splitTags('a,b=c')]).toEqual([[], ['a', 'b=c']])
})
