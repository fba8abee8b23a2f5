// How a request ends, and how the reaper ends it: every row that is written.
import { describe, expect, test } from 'bun:test'
import { EXTEND, HOLD, limits, NOW, openLedger, owner, SETTLE, TASK } from '../../test-support/ledger.ts'
import { DEAD_AFTER_MS, done, REAPED, REVENUE, rejected, repeated, SETTLED, SHORTFALL, VOIDED } from './ledger.ts'

const SECOND = NOW / 1_000

describe('settle and void', () => {
  const before = { account: 1n, key: 2n, model: 'm', outcome: 'completed', requests: 1 }

  test('charge, release the hold, and add to the sums of spending', () => {
    const { run, request, account, key, rows } = openLedger()
    account.limits = limits({ tokensPerMinute: 100 })
    run(HOLD)
    expect(run({ ...SETTLE, upstream: 'other', upstreamCost: 9n })).toEqual(done(40n, 0, 40n))
    expect(request()).toMatchObject({ state: SETTLED, cost: 40n, shortfall: 0n, tokens: 12, receipt: '{}' })
    expect(request()).toMatchObject({ upstream: 'other', upstreamCost: 9n, outcome: 'completed' })
    expect([account.balance, account.held, account.spent, account.meter.open]).toEqual([960n, 0n, 40n, 0])
    expect([key.held, key.spent, key.meter.open]).toEqual([0n, 40n, 0])
    expect([account.meter.spentDay, key.meter.spentDay, account.meter.tokens]).toEqual([40n, 40n, [SECOND, 12]])
    expect(rows.transfers).toEqual([{ request: 7n, debit: 1n, credit: REVENUE, amount: 40n }])
    const counted = { upstream: 'other', tokens: 12, cost: 40n, upstreamCost: 9n, unknownCosts: 0 }
    expect(rows.spending).toEqual([{ ...before, ...counted, attribution: undefined, at: NOW }])
    expect(run(SETTLE)).toEqual(repeated(40n))
    expect(rows.spending.length).toBe(1)
  })

  test('keep the upstream of the hold, and a cost there that is not known', () => {
    const { run, request, rows } = openLedger()
    run(HOLD)
    run(SETTLE)
    expect(request()).toMatchObject({ upstream: 'u', upstreamCost: undefined })
    expect(rows.spending).toMatchObject([{ upstream: 'u', upstreamCost: 0n, unknownCosts: 1 }])
  })

  test('of nothing move no money', () => {
    const { run, request, account, rows } = openLedger()
    run(HOLD)
    expect(run({ verb: 'void', ...owner, outcome: 'aborted', receipt: '{}' })).toEqual(done(0n))
    expect(request()).toMatchObject({ state: VOIDED, cost: 0n, tokens: 0, upstream: 'u', upstreamCost: 0n })
    expect([account.balance, account.held, rows.transfers]).toEqual([1_000n, 0n, []])
    expect(rows.spending).toMatchObject([{ outcome: 'aborted', cost: 0n, tokens: 0, unknownCosts: 0 }])
    expect(run(SETTLE)).toEqual(repeated(0n))
  })

  test('leave to the operator what an account cannot pay', () => {
    const { run, request, account, rows } = openLedger()
    account.balance = 130n
    run(HOLD)
    expect(run({ ...SETTLE, cost: 150n })).toEqual(done(130n, 0, 130n))
    expect([account.balance, request().shortfall]).toEqual([0n, 20n])
    expect(rows.transfers).toEqual([
      { request: 7n, debit: 1n, credit: REVENUE, amount: 130n },
      { request: 7n, debit: SHORTFALL, credit: REVENUE, amount: 20n },
    ])
  })

  test('are for the owner alone', () => {
    const { run } = openLedger()
    expect(run(SETTLE)).toEqual(rejected('unknown_request'))
    run(HOLD)
    expect(run({ ...SETTLE, epoch: 2 })).toEqual(rejected('not_open'))
    expect(run({ ...SETTLE, nodeId: 1 })).toEqual(rejected('not_open'))
  })

  test('of a task are for the holder of its lease, never above its hold, and in the period of its submit', () => {
    const { at, lease, task, request, account } = openLedger()
    lease()
    at(0, task())
    const end = { ...SETTLE, ...TASK, cost: 150n }
    expect(at(0, { ...end, epoch: 2 })).toEqual(rejected('not_open'))
    const nextMonth = 40 * 86_400_000
    expect(at(nextMonth, end)).toEqual(done(100n, 0, 100n))
    expect(request()).toMatchObject({ cost: 100n, shortfall: 50n })
    expect([account.meter.spentAt, account.meter.spentDay, account.meter.open]).toEqual([NOW, 100n, 0])
  })

  test('count when they are charged, also after midnight', () => {
    const { at, account } = openLedger()
    at(0, { verb: 'join', nodeId: 0, config: '', takeover: true })
    at(0, { ...HOLD, epoch: 2 })
    at(86_400_000, { ...SETTLE, epoch: 2 })
    expect(account.meter).toMatchObject({ spentAt: NOW + 86_400_000, spentDay: 40n })
  })

  test('of a task up to its hold are paid as they are', () => {
    const { at, lease, task } = openLedger()
    lease()
    at(0, task())
    expect(at(0, { ...SETTLE, ...TASK, cost: 99n })).toEqual(done(99n, 0, 99n))
  })
})

describe('reap', () => {
  test('charges what the output of a dead node had cost, and its owner corrects it', () => {
    const { at, run, request, account, key, rows } = openLedger()
    account.limits = limits({ tokensPerMinute: 100 })
    run(HOLD)
    run(EXTEND)
    expect(at(DEAD_AFTER_MS - 1, { verb: 'reap', limit: 9 })).toEqual(done(0n))
    expect(at(DEAD_AFTER_MS, { verb: 'reap', limit: 9 })).toEqual(done(1n, 0, 5n))
    expect(request()).toMatchObject({ state: REAPED, cost: 5n, tokens: 55, outcome: 'reaped', upstreamCost: undefined })
    expect([account.balance, account.held, key.meter.open]).toEqual([995n, 0n, 0])
    const reaped = { account: 1n, key: 2n, model: 'm', upstream: 'u', outcome: 'reaped', tokens: 55, cost: 5n }
    expect(rows.spending).toEqual([
      { ...reaped, attribution: undefined, requests: 1, upstreamCost: 0n, unknownCosts: 1, at: NOW + DEAD_AFTER_MS },
    ])
    // It delivered less than it had announced.
    expect(at(DEAD_AFTER_MS, { ...SETTLE, cost: 2n, upstreamCost: 1n })).toEqual(done(2n, 0, -3n))
    expect(rows.spending.slice(1)).toMatchObject([
      { outcome: 'reaped', requests: -1, tokens: -55, cost: -5n, upstreamCost: 0n, unknownCosts: -1 },
      { outcome: 'completed', requests: 1, tokens: 12, cost: 2n, upstreamCost: 1n, unknownCosts: 0 },
    ])
    expect([account.balance, account.meter.open, key.meter.open]).toEqual([998n, 0, 0])
    expect(rows.transfers.at(-1)).toEqual({ request: 7n, debit: REVENUE, credit: 1n, amount: 3n })
  })

  test.each([
    [170n, { debit: SHORTFALL, credit: REVENUE, amount: 20n }],
    [120n, { debit: REVENUE, credit: SHORTFALL, amount: 30n }],
  ])('and a shortfall of 50 that the reaper left is corrected to a cost of %p', (cost, transfer) => {
    const { at, run, request, account, rows } = openLedger()
    run(HOLD)
    run({ ...EXTEND, minimum: 5_000n, progress: 150n })
    account.balance = 100n
    expect(at(DEAD_AFTER_MS, { verb: 'reap', limit: 9 })).toEqual(done(1n, 0, 100n))
    expect(request()).toMatchObject({ cost: 100n, shortfall: 50n })
    expect(at(DEAD_AFTER_MS, { ...SETTLE, cost })).toEqual(done(100n))
    expect(request().shortfall).toBe(cost - 100n)
    expect(rows.transfers.at(-1)).toEqual({ request: 7n, ...transfer })
  })

  test('voids a task at its deadline, and gives its tokens back', () => {
    const { at, lease, task, request, account, rows } = openLedger()
    account.limits = limits({ tokensPerMinute: 100 })
    lease()
    at(0, task())
    at(0, { ...EXTEND, ...TASK, known: 0n })
    expect(at(59_999, { verb: 'reap', limit: 9 })).toEqual(done(0n))
    expect(at(60_000, { verb: 'reap', limit: 9 })).toEqual(done(1n))
    expect(request()).toMatchObject({ state: VOIDED, outcome: 'expired', cost: 0n, tokens: 0, upstreamCost: undefined })
    expect([account.held, account.balance, account.meter.tokens]).toEqual([0n, 1_000n, [SECOND, 0]])
    expect(rows.spending).toMatchObject([{ outcome: 'expired', requests: 1 }])
  })

  test('takes as many as it is told to', () => {
    const { at, run } = openLedger()
    for (const id of [7n, 8n, 9n]) run({ ...HOLD, id })
    expect(at(DEAD_AFTER_MS, { verb: 'reap', limit: 2 })).toEqual(done(2n))
    expect(at(DEAD_AFTER_MS, { verb: 'reap', limit: 2 })).toEqual(done(1n))
  })
})
