// What is granted, on both sides of every limit, cap and balance.
import { describe, expect, test } from 'bun:test'
import { emptyRows, memoryBook, newAccountRow, newKeyRow } from '../../../../tools/simulation/memory-book.ts'
import { type AccountRow, HELD, type KeyRow, REAPED, type RequestRow, TASK_NODE } from './book.ts'
import {
  begin,
  concurrencyReached,
  correctTokens,
  grant,
  limitReached,
  payable,
  reserve,
  tokensFor,
  tokensLeft,
  tokensReached,
} from './grant.ts'
import { type Limits, NO_LIMITS, newMeter } from './limits.ts'
import { type Extend, type Hold, rejected } from './verbs.ts'

const NOW = 1_700_000_000_000
const SECOND = NOW / 1_000
const limits = (more: Partial<Limits>): Limits => ({ ...NO_LIMITS, ...more })
const metered = (more: Partial<Limits>, meter: Partial<AccountRow['meter']> = {}) => ({
  limits: limits(more),
  meter: { ...newMeter(), ...meter },
})
const want = (more: Partial<Hold> = {}) => ({ nodeId: 0, minimumTokens: 10, ...more }) as Hold

describe('limits', () => {
  test('of requests per minute: the last one fits, and the wait is for one', () => {
    const meter = { requests: [SECOND - 10, 2, SECOND, 1] }
    expect(limitReached('key', metered({ requestsPerMinute: 4 }, meter), want(), NOW)).toBeUndefined()
    expect(limitReached('key', metered({ requestsPerMinute: 3 }, meter), want(), NOW)).toEqual(
      rejected('key_requests', 51_000n),
    )
    expect(limitReached('account', metered({ requestsPerMinute: 1 }, meter), want(), NOW)).toEqual(
      rejected('account_requests', 61_000n),
    )
  })

  test('of tokens per minute: up to the limit', () => {
    const row = metered({ tokensPerMinute: 100 }, { tokens: [SECOND, 90] })
    expect(tokensReached('key', row, 10, NOW)).toBeUndefined()
    expect(tokensReached('key', row, 11, NOW)).toEqual(rejected('key_tokens', 61_000n))
    expect(tokensReached('account', metered({}), 11, NOW)).toBeUndefined()
    expect(limitReached('account', row, want({ minimumTokens: 11 }), NOW)).toEqual(rejected('account_tokens', 61_000n))
    expect(tokensLeft(row, NOW)).toBe(10)
    expect(tokensLeft(metered({ tokensPerMinute: 80 }, { tokens: [SECOND, 90] }), NOW)).toBe(0)
    expect(tokensLeft(metered({}), NOW)).toBe(Number.POSITIVE_INFINITY)
  })

  test('of running requests: tasks do not count', () => {
    expect(concurrencyReached('key', metered({ concurrent: 2 }, { open: 1 }))).toBeUndefined()
    expect(concurrencyReached('key', metered({ concurrent: 2 }, { open: 2 }))).toEqual(rejected('key_concurrent'))
    expect(concurrencyReached('key', metered({}, { open: 2 }))).toBeUndefined()
    const full = metered({ concurrent: 1 }, { open: 1 })
    expect(limitReached('account', full, want(), NOW)).toEqual(rejected('account_concurrent'))
    expect(limitReached('account', full, want({ nodeId: TASK_NODE }), NOW)).toBeUndefined()
  })

  test('what begins counts: a task per minute alone, and requests only where that is limited', () => {
    const counted = metered({ requestsPerMinute: 5 })
    begin(counted, false, NOW)
    expect(counted.meter).toMatchObject({ open: 1, requests: [SECOND, 1] })
    begin(counted, true, NOW)
    expect(counted.meter).toMatchObject({ open: 1, requests: [SECOND, 2] })
    const free = metered({})
    begin(free, false, NOW)
    expect(free.meter).toMatchObject({ open: 1, requests: [] })
  })

  test('tokens go with a part of the money, rounded up', () => {
    const step = { amount: 30n, tokens: 10 } as Extend
    expect([0n, 1n, 3n, 4n, 29n, 30n].map((part) => tokensFor(step, part))).toEqual([0, 1, 1, 2, 10, 10])
    expect(tokensFor({ amount: 1n, tokens: 7 } as Extend, 1n)).toBe(7)
    expect(tokensFor({ amount: 0n, tokens: 7 } as Extend, 0n)).toBe(0)
  })
})

function open(account: Partial<AccountRow> = {}, key: Partial<KeyRow> = {}) {
  const rows = emptyRows()
  const owned = { account: { ...newAccountRow(1n), ...account }, key: { ...newKeyRow(2n, 1n), ...key } }
  rows.accounts.set(1n, owned.account)
  rows.keys.set(2n, owned.key)
  return { ...owned, rows, book: memoryBook(rows, NOW) }
}
/** What 1,000 with a minimum of 100 is granted. */
function granted(account: Partial<AccountRow>, key: Partial<KeyRow> = {}, extensible = false) {
  const { book, account: owner, key: used } = open(account, key)
  return grant(book, { account: owner, key: used, budgets: [] }, { amount: 1_000n, minimum: 100n, extensible })
}
const spentToday = (spentDay: bigint) => ({ ...newMeter(), spentAt: NOW, spentDay })

describe('a grant', () => {
  test.each<[string, Partial<AccountRow>, Partial<KeyRow>, unknown]>([
    ['all of it', { balance: 1_000n }, {}, 1_000n],
    ['a part', { balance: 999n }, {}, 999n],
    ['the minimum', { balance: 100n }, {}, 100n],
    ['less than the minimum', { balance: 99n }, {}, rejected('no_balance', 99n)],
    ['with credit', { balance: -50n, creditLine: 200n }, {}, 150n],
    ['less what is held', { balance: 500n, held: 300n }, {}, 200n],
    ['more held than there is', { balance: 5n, held: 300n }, {}, rejected('no_balance', 0n)],
    ['under the cap of the key', { balance: 1_000n }, { cap: 700n, spent: 200n, held: 100n }, 400n],
    ['to the end of that cap', { balance: 1_000n }, { cap: 700n, spent: 500n, held: 100n }, 100n],
    ['beyond it', { balance: 1_000n }, { cap: 700n, spent: 501n, held: 100n }, rejected('key_cap_reached', 99n)],
    ['far beyond it', { balance: 1_000n }, { cap: 700n, spent: 900n }, rejected('key_cap_reached', 0n)],
    ['of the day', { balance: 1_000n }, { cap: 700n, capPeriod: 'day', spent: 900n, meter: spentToday(600n) }, 100n],
    ['under the cap of the account', { balance: 1_000n, cap: 600n, spent: 100n, held: 200n }, {}, 300n],
    ['to the end of that', { balance: 1_000n, cap: 600n, spent: 500n }, {}, 100n],
    ['beyond that', { balance: 1_000n, cap: 600n, spent: 501n }, {}, rejected('account_cap_reached', 99n)],
    ['the key first', { balance: 1_000n, cap: 0n }, { cap: 0n }, rejected('key_cap_reached', 0n)],
    ['the least of both', { balance: 1_000n, cap: 400n }, { cap: 300n }, 300n],
  ])('%s', (_, account, key, result) => expect(granted(account, key)).toEqual(result as never))

  test.each<[bigint, bigint, unknown]>([
    [450n, 0n, 250n],
    [300n, 0n, 100n],
    [299n, 0n, rejected('member_cap_reached', 99n)],
    [450n, 100n, 150n],
    [150n, 0n, rejected('member_cap_reached', 0n)],
  ])('under the cap of a member of %p, of which other keys have spent or hold %p more', (cap, other, result) => {
    const { book, rows, account, key } = open({ balance: 1_000n }, { person: 5n, held: 150n, meter: spentToday(50n) })
    rows.memberCaps.set('1/5', { cap, capPeriod: 'month' })
    rows.keys.set(3n, { ...newKeyRow(3n, 1n), person: 5n, held: other / 4n, meter: spentToday((other / 4n) * 3n) })
    rows.keys.set(4n, { ...newKeyRow(4n, 1n), person: 6n, held: 999n })
    expect(grant(book, { account, key, budgets: [] }, { amount: 1_000n, minimum: 100n, extensible: false })).toEqual(
      result as never,
    )
  })

  test('that can be extended is a sixteenth of what there is, but not below the minimum', () => {
    expect(granted({ balance: 8_000n }, {}, true)).toBe(500n)
    expect(granted({ balance: 32_000n }, {}, true)).toBe(1_000n)
    expect(granted({ balance: 1_600n }, {}, true)).toBe(100n)
    expect(granted({ balance: 1_599n }, {}, true)).toBe(100n)
    expect(granted({ balance: 100n }, {}, true)).toBe(100n)
  })

  test('is reserved, with tokens only where they are limited', () => {
    const { book, account, key } = open({ limits: limits({ tokensPerMinute: 9 }) })
    reserve(book, { account, key, budgets: [] }, 30n, 7)
    expect([account.held, key.held]).toEqual([30n, 30n])
    expect([account.meter.tokens, key.meter.tokens]).toEqual([[SECOND, 7], []])
    key.limits = limits({ tokensPerMinute: 9 })
    account.limits = NO_LIMITS
    reserve(book, { account, key, budgets: [] }, 1n, 2)
    expect([account.meter.tokens, key.meter.tokens]).toEqual([
      [SECOND, 7],
      [SECOND, 2],
    ])
  })
})

describe('what is due beyond the hold', () => {
  const paid = (due: bigint, released: bigint, account: Partial<AccountRow>, key: Partial<KeyRow> = {}) => {
    const { book, account: owner, key: used } = open(account, key)
    return payable(book, due, released, { account: owner, key: used, budgets: [] })
  }

  test('is paid from what is available under all caps', () => {
    expect(paid(100n, 50n, { balance: 1_000n })).toBe(100n)
    expect(paid(100n, 50n, { balance: 70n })).toBe(70n)
    expect(paid(100n, 50n, { balance: 1_000n, cap: 80n })).toBe(80n)
    expect(paid(100n, 50n, { balance: 1_000n, cap: 80n }, { cap: 60n })).toBe(60n)
    expect(paid(-30n, 0n, { balance: 0n })).toBe(-30n)
  })

  test('is paid up to the hold, whatever is left', () => {
    expect(paid(100n, 50n, { balance: 20n })).toBe(50n)
    expect(paid(50n, 50n, { balance: 0n })).toBe(50n)
    expect(paid(40n, 50n, { balance: 0n })).toBe(40n)
  })
})

describe('reserved tokens become used ones', () => {
  function corrected(used: number, request: Partial<RequestRow>) {
    const row = { tokens: 10, heldAt: NOW, state: HELD, ...request } as RequestRow
    const [account, key] = [
      metered({ tokensPerMinute: 99 }, { tokens: [SECOND, 20] }),
      metered({}, { tokens: [SECOND, 20] }),
    ]
    correctTokens(row, used, account, key, NOW)
    correctTokens({ ...row, tokens: 10 }, used, key, account, NOW)
    return [row.tokens, account.meter.tokens, key.meter.tokens]
  }

  test('more are added, and fewer given back, to each that is limited', () => {
    expect(corrected(12, {})).toEqual([12, [SECOND, 24], [SECOND, 20]])
    expect(corrected(10, {})).toEqual([10, [SECOND, 20], [SECOND, 20]])
    expect(corrected(7, {})).toEqual([7, [SECOND, 14], [SECOND, 20]])
  })

  test('none are given back that are no longer in the window, or were reaped', () => {
    expect(corrected(7, { heldAt: NOW - 60_000 })).toEqual([7, [SECOND, 14], [SECOND, 20]])
    expect(corrected(7, { heldAt: NOW - 61_000 })).toEqual([7, [SECOND, 20], [SECOND, 20]])
    expect(corrected(7, { state: REAPED })).toEqual([7, [SECOND, 20], [SECOND, 20]])
    expect(corrected(12, { state: REAPED, heldAt: 0 })).toEqual([12, [SECOND, 24], [SECOND, 20]])
  })
})
