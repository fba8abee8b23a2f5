// Requests that are repeated while the owner of the first one is away, to the millisecond and to the row.
import { describe, expect, test } from 'bun:test'
import { emptyRows, memoryBook, newAccountRow, newKeyRow } from '../../../../tools/simulation/memory-book.ts'
import {
  apply,
  DEAD_AFTER_MS,
  done,
  type Hold,
  REAPED,
  REPETITION_BEGINS_WITHIN_MS,
  REPETITION_KEPT_MS,
  REVENUE,
  rejected,
  repeated,
  SETTLED,
  type Settle,
  SHORTFALL,
  type Verb,
  VOIDED,
} from './ledger.ts'

const NOW = 1_700_000_000_000
const FIRST = 5n
const owner = { nodeId: 0, epoch: 1 }
const hold = (id: bigint): Hold => ({
  verb: 'hold',
  ...owner,
  id,
  account: 1n,
  key: 2n,
  revision: 0,
  extensible: false,
  amount: 100n,
  minimum: 100n,
  tokens: 0,
  minimumTokens: 0,
  model: 'm',
  upstream: 'u',
})
const settle = (id: bigint, cost = 40n): Settle => ({
  verb: 'settle',
  ...owner,
  id,
  cost,
  tokens: 3,
  outcome: 'completed',
  receipt: '{"of":"it"}',
})
const takeOver = (by: bigint, id = FIRST): Verb => ({ verb: 'take_over', id, by })
const COLLECT: Verb = { verb: 'collect', limit: 10 }

/** `first` was reaped for `progress`, the cost of its output. */
function reaped(progress = 0n) {
  const rows = emptyRows()
  const account = { ...newAccountRow(1n), balance: 1_000n }
  rows.accounts.set(1n, account)
  rows.keys.set(2n, newKeyRow(2n, 1n))
  let now = NOW
  const run = (verb: Verb) => apply(memoryBook(rows, now), verb)
  const later = (ms: number) => {
    now += ms
  }
  const request = (id = FIRST) => rows.requests.get(id)
  run({ verb: 'join', nodeId: 0, config: '' })
  run(hold(FIRST))
  if (progress > 0n)
    run({ verb: 'extend', ...owner, id: FIRST, known: 100n, amount: 1n, minimum: 1n, tokens: 0, progress })
  later(DEAD_AFTER_MS)
  run({ verb: 'reap', limit: 10 })
  run({ verb: 'renew', ...owner, config: '' })
  run({ verb: 'leave', ...owner })
  run({ verb: 'join', nodeId: 0, config: '' })
  /** A repetition is held by the process of today. */
  const repeats = (id: bigint) => run({ ...hold(id), epoch: 2 })
  const ends = (id: bigint, cost = 40n) => run({ ...settle(id, cost), epoch: 2 })
  return { rows, account, run, later, request, repeats, ends }
}

describe('a repetition', () => {
  test('waits for a request that is open', () => {
    const { run, repeats } = reaped()
    repeats(8n)
    expect(run(takeOver(9n, 8n))).toEqual(rejected('not_open'))
  })

  test('takes a reaped request over, voids it in the name of its owner, and is remembered', () => {
    const { run, request, rows } = reaped()
    expect(request()?.state).toBe(REAPED)
    expect(run(takeOver(8n))).toEqual(done(FIRST))
    expect(request()).toMatchObject({ state: VOIDED, outcome: 'reaped', cost: 0n })
    expect([...rows.repetitions.values()]).toEqual([{ request: 8n, first: FIRST, at: NOW + DEAD_AFTER_MS }])
    expect(run(takeOver(8n))).toEqual(done(FIRST))
    // One that repeats the repetition repeats the same first request.
    expect(run(takeOver(9n, 8n))).toEqual(done(FIRST))
    expect(rows.repetitions.get(9n)?.first).toBe(FIRST)
  })

  test('is not run where one of them was paid for', () => {
    for (const progress of [1n, 30n]) expect(reaped(progress).run(takeOver(8n))).toEqual(repeated(progress))
    const other = reaped()
    other.run(takeOver(8n))
    other.repeats(8n)
    expect(other.run(takeOver(9n))).toEqual(rejected('not_open'))
    other.ends(8n)
    expect(other.run(takeOver(9n))).toEqual(repeated(40n))
  })

  test('runs where the operator alone has paid for what was reaped', () => {
    const { run, later, account, request } = reaped()
    account.balance = 0n
    const restored = { nodeId: 0, epoch: 2, id: 8n }
    run({ verb: 'restore', ...restored, account: 1n, key: 2n, model: 'm', upstream: 'u' })
    run({ verb: 'extend', ...restored, known: 0n, amount: 1n, minimum: 1n, tokens: 0, progress: 25n })
    later(DEAD_AFTER_MS)
    run({ verb: 'reap', limit: 10 })
    expect(request(8n)).toMatchObject({ state: REAPED, cost: 0n, shortfall: 25n })
    expect(run(takeOver(9n, 8n))).toEqual(done(8n))
  })

  test('is free to run after a request that its owner ended for nothing', () => {
    const { run, repeats, rows } = reaped()
    repeats(8n)
    run({ verb: 'void', nodeId: 0, epoch: 2, id: 8n, outcome: 'aborted', receipt: '' })
    expect(run(takeOver(9n, 8n))).toEqual(done(0n))
    expect(run(takeOver(9n, 77n))).toEqual(done(0n))
    expect(rows.repetitions.size).toBe(0)
  })
})

describe('an owner who returns after its request was taken over', () => {
  test('settles at the expense of the operator, once', () => {
    const { run, request, account, rows } = reaped()
    run(takeOver(8n))
    const spending = rows.spending.length
    expect(run(settle(FIRST))).toEqual(done(0n))
    expect(request()).toMatchObject({
      state: SETTLED,
      cost: 0n,
      shortfall: 40n,
      outcome: 'completed',
      receipt: '{"of":"it"}',
    })
    expect(account.balance).toBe(1_000n)
    expect(rows.transfers).toEqual([{ request: FIRST, debit: SHORTFALL, credit: REVENUE, amount: 40n }])
    expect(rows.spending.length).toBe(spending)
    expect(run(settle(FIRST))).toEqual(repeated(0n))
    // The repetition is not needed any more.
    expect(run(takeOver(9n))).toEqual(repeated(0n))
  })

  test('for next to nothing is booked, too', () => {
    const { run, rows } = reaped()
    run(takeOver(8n))
    run(settle(FIRST, 1n))
    expect(rows.transfers.map(({ amount }) => amount)).toEqual([1n])
    expect(run(takeOver(9n))).toEqual(repeated(0n))
  })

  test('for nothing costs the operator nothing', () => {
    const { run, request, rows } = reaped()
    run(takeOver(8n))
    expect(run(settle(FIRST, 0n))).toEqual(done(0n))
    expect([request()?.shortfall, rows.transfers]).toEqual([0n, []])
    expect(run(takeOver(9n))).toEqual(done(0n))
  })
})

describe('what was delivered is collected', () => {
  /** The first was delivered, at the expense of the operator. */
  function delivered() {
    const opened = reaped()
    opened.run(takeOver(8n))
    opened.run(settle(FIRST))
    return opened
  }

  test('once no repetition can begin any more', () => {
    const { run, later, request, account, rows } = delivered()
    later(REPETITION_BEGINS_WITHIN_MS - 1)
    expect(run(COLLECT)).toEqual(done(0n))
    later(1)
    expect(run(COLLECT)).toEqual(done(1n, 0, 40n))
    expect(request()).toMatchObject({
      state: SETTLED,
      cost: 40n,
      shortfall: 0n,
      outcome: 'completed',
      receipt: '{"of":"it"}',
      upstreamCost: undefined,
    })
    expect(account.balance).toBe(960n)
    expect(rows.repetitions.size).toBe(0)
    expect(rows.spending.slice(-2)).toMatchObject([
      { outcome: 'reaped', requests: -1 },
      { outcome: 'completed', requests: 1, cost: 40n },
    ])
    expect(run(COLLECT)).toEqual(done(0n))
  })

  test('not while another repetition may begin', () => {
    const { run, later, repeats } = reaped()
    run(takeOver(8n))
    run(takeOver(9n))
    repeats(8n)
    run({ verb: 'void', nodeId: 0, epoch: 2, id: 8n, outcome: 'aborted', receipt: '' })
    run(settle(FIRST))
    expect(run(COLLECT)).toEqual(done(0n))
    later(REPETITION_BEGINS_WITHIN_MS)
    expect(run(COLLECT)).toEqual(done(1n, 0, 40n))
  })

  // Ids are by the clocks of nodes: a repetition may have a lower one.
  test.each([3n, 8n])('once: of several that were delivered that with the lowest id, repeated as %p', (id) => {
    const { run, later, repeats, request } = reaped()
    run(takeOver(id))
    repeats(id)
    later(DEAD_AFTER_MS)
    run({ verb: 'reap', limit: 10 })
    expect(run(takeOver(9n, id))).toEqual(done(FIRST))
    run(settle(FIRST))
    run({ ...settle(id, 20n), epoch: 2 })
    later(REPETITION_BEGINS_WITHIN_MS)
    const costs = id < FIRST ? [20n, 0n] : [0n, 40n]
    expect(run(COLLECT)).toEqual(done(1n, 0, costs[0] || costs[1]))
    expect([request(id)?.cost, request()?.cost]).toEqual(costs)
  })

  test('not while a repetition runs, nor after one was charged', () => {
    const { run, later, repeats, ends, account, rows } = delivered()
    repeats(8n)
    later(REPETITION_BEGINS_WITHIN_MS)
    expect(run(COLLECT)).toEqual(done(0n))
    expect(rows.repetitions.size).toBe(1)
    ends(8n)
    expect(run(COLLECT)).toEqual(done(0n))
    expect([account.balance, rows.repetitions.size]).toEqual([960n, 0])
  })

  test('nor after one was charged next to nothing', () => {
    const { run, repeats, ends, account, rows } = delivered()
    repeats(8n)
    ends(8n, 1n)
    expect(run(COLLECT)).toEqual(done(0n))
    expect([account.balance, rows.repetitions.size]).toEqual([999n, 0])
  })

  test('when the repetition was free', () => {
    const { run, repeats, account } = delivered()
    repeats(8n)
    run({ verb: 'void', nodeId: 0, epoch: 2, id: 8n, outcome: 'aborted', receipt: '' })
    expect(run(COLLECT)).toEqual(done(1n, 0, 40n))
    expect(account.balance).toBe(960n)
  })

  test('not while a reaped repetition counts as paid', () => {
    const { run, later, account, rows, repeats } = delivered()
    repeats(8n)
    run({ verb: 'extend', nodeId: 0, epoch: 2, id: 8n, known: 100n, amount: 1n, minimum: 1n, tokens: 0, progress: 25n })
    later(REPETITION_BEGINS_WITHIN_MS + DEAD_AFTER_MS)
    run({ verb: 'reap', limit: 10 })
    expect(run(COLLECT)).toEqual(done(0n))
    expect([account.balance, rows.repetitions.size]).toEqual([975n, 1])
  })

  test('and a repetition that was reaped for nothing is voided with it', () => {
    const { run, later, request, repeats } = delivered()
    repeats(8n)
    later(REPETITION_BEGINS_WITHIN_MS + DEAD_AFTER_MS)
    run({ verb: 'reap', limit: 10 })
    expect(request(8n)?.state).toBe(REAPED)
    expect(run(COLLECT)).toEqual(done(1n, 0, 40n))
    expect(request(8n)).toMatchObject({ state: VOIDED, outcome: 'reaped' })
  })

  test('as many as are asked for, and all of them are counted', () => {
    const { run, later, account } = delivered()
    expect(run(COLLECT)).toEqual(done(0n))
    later(REPETITION_BEGINS_WITHIN_MS)
    expect(run({ verb: 'collect', limit: 0 })).toEqual(done(0n))
    expect(run(COLLECT)).toEqual(done(1n, 0, 40n))
    expect(account.balance).toBe(960n)
  })

  test('within a month: then a repetition is forgotten', () => {
    const { run, later, rows } = reaped()
    run(takeOver(8n))
    later(REPETITION_KEPT_MS - 1)
    run(COLLECT)
    expect(rows.repetitions.size).toBe(1)
    later(1)
    run(COLLECT)
    expect(rows.repetitions.size).toBe(0)
  })
})
