import { describe, expect, test } from 'bun:test'
import { seeded } from '../../../../tools/simulation/random.ts'
import {
  added,
  bookableTokens,
  endOf,
  isRecent,
  MAX_TOKENS,
  type Meter,
  newMeter,
  noteSpent,
  noteSpentThen,
  PERIODS,
  removed,
  spentIn,
  usedIn,
  type Window,
  waitFor,
} from './limits.ts'

const NOW = 1_700_000_000_500

describe('a window of a minute', () => {
  test('counts what happened up to a minute ago, to the second', () => {
    const window = added(added([], NOW, 3), NOW + 10_000, 4)
    expect(usedIn(window, NOW + 10_000)).toBe(7)
    expect(usedIn(window, NOW + 60_499)).toBe(7)
    expect(usedIn(window, NOW + 60_500)).toBe(4)
    expect(usedIn(window, NOW + 71_000)).toBe(0)
  })

  test('says how long to wait, and then there is room', () => {
    const window = added(added([], NOW, 3), NOW + 10_000, 4)
    const at = NOW + 20_000
    for (const { limit, room } of [
      { limit: 7, room: 1 },
      { limit: 7, room: 3 },
      { limit: 7, room: 4 },
      { limit: 4, room: 1 },
    ]) {
      const wait = waitFor(window, at, limit, room)
      expect(usedIn(window, at + wait - 1) + room).toBeGreaterThan(limit)
      expect(usedIn(window, at + wait) + room).toBeLessThanOrEqual(limit)
    }
    expect(waitFor(window, at, 5, 6)).toBe(60_000)
  })

  test('stays short, however much happens', () => {
    let window: Window = []
    for (let step = 0; step < 2_000; step += 1) window = added(window, NOW + step * 250, 1)
    expect(window.length).toBeLessThanOrEqual(2 * 61)
    expect(added(window, NOW + 1_000_000, 0)).toBe(window)
  })

  test('a clock that steps back loses nothing, and one that was far ahead blocks no key', () => {
    const ahead = added([], NOW + 30_000, 5)
    expect(usedIn(ahead, NOW)).toBe(5)
    expect(usedIn(added(ahead, NOW, 2), NOW)).toBe(7)
    const wrong = added([], NOW + 86_400_000, 5)
    expect(usedIn(wrong, NOW)).toBe(0)
    expect(usedIn(added(wrong, NOW, 2), NOW)).toBe(2)
    expect(isRecent(NOW + 86_400_000, NOW)).toBe(false)
  })

  // What is kept as sums by the second is compared with every single reservation and what became of it.
  test('never counts less than was used, whatever is given back and when', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = seeded(seed)
      let [window, now]: [Window, number] = [[], NOW]
      const real: { at: number; tokens: number; open: boolean }[] = []
      for (let step = 0; step < 60; step += 1) {
        now += random.pick([0, 300, 2_000, 15_000]) ?? 0
        const ending = random.pick(real.filter(({ open }) => open))
        if (ending && random.chance(0.4)) {
          const unused = random.below(ending.tokens + 1)
          ending.open = false
          ending.tokens -= unused
          if (isRecent(ending.at, now)) window = removed(window, now, unused)
        } else {
          const tokens = random.between(1, 100)
          real.push({ at: now, tokens, open: true })
          window = added(window, now, tokens)
        }
        const used = real.filter(({ at }) => at > now - 60_000).reduce((sum, { tokens }) => sum + tokens, 0)
        expect(usedIn(window, now)).toBeGreaterThanOrEqual(used)
      }
    }
  })
})

test.each([
  [-61, 0],
  [-60, 5],
  [60, 5],
  [61, 0],
])('what was counted %d seconds from now counts as %d', (seconds, used) => {
  const window = added([], NOW + seconds * 1_000, 5)
  expect(usedIn(window, NOW)).toBe(used)
  expect(isRecent(NOW + seconds * 1_000, NOW)).toBe(used > 0)
  // What does not count is not waited for, and kept no longer.
  expect(waitFor(window, NOW, 4, 4)).toBe(used === 0 ? 60_000 : 60_500 + seconds * 1_000)
  expect(added(window, NOW, 1).length).toBe(seconds === -60 ? 4 : 2)
})

test('counts of one second are one count, and none is no count', () => {
  const second = Math.floor(NOW / 1_000)
  expect(added(added([], NOW, 3), NOW + 499, 1)).toEqual([second, 4])
  expect(added(added([], NOW, 3), NOW + 500, 1)).toEqual([second, 3, second + 1, 1])
  expect(added(added([], NOW + 5_000, 3), NOW, 1)).toEqual([second + 5, 4])
  expect(added([second, 0, second + 1, 2], NOW, 1)).toEqual([second + 1, 3])
})

test('a count may be as large as a time', () => {
  const second = Math.floor(NOW / 1_000)
  const window = [second, second, second + 1, 3]
  expect(usedIn(window, NOW + 1_000)).toBe(second + 3)
  expect(waitFor(window, NOW + 1_000, 2, 2)).toBe(60_500)
  expect(added(window, NOW + 1_000, 1)).toEqual([second, second, second + 1, 4])
})

test('what is given back is taken from the oldest, and no more than is there', () => {
  const second = Math.floor(NOW / 1_000)
  const window = [second, 3, second + 1, 4, second + 2, 5]
  expect(removed(window, NOW + 2_000, 0)).toEqual(window)
  expect(removed(window, NOW + 2_000, 3)).toEqual([second, 0, second + 1, 4, second + 2, 5])
  expect(removed(window, NOW + 2_000, 8)).toEqual([second, 0, second + 1, 0, second + 2, 4])
  expect(removed(window, NOW + 2_000, 99)).toEqual([second, 0, second + 1, 0, second + 2, 0])
  expect(removed([second - 99, 9, ...window], NOW + 2_000, 1)).toEqual([second, 2, second + 1, 4, second + 2, 5])
})

const at = (text: string) => Date.parse(text)

describe('days, weeks and months by UTC', () => {
  test.each([
    ['day', '2024-02-28T00:00:00.000Z', '2024-02-29T00:00:00.000Z'],
    ['day', '2024-02-29T23:59:59.999Z', '2024-03-01T00:00:00.000Z'],
    ['week', '2024-06-09T23:59:59.999Z', '2024-06-10T00:00:00.000Z'],
    ['week', '2024-06-10T00:00:00.000Z', '2024-06-17T00:00:00.000Z'],
    ['week', '2024-12-31T12:00:00.000Z', '2025-01-06T00:00:00.000Z'],
    ['month', '2024-02-29T23:59:59.999Z', '2024-03-01T00:00:00.000Z'],
    ['month', '2024-12-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z'],
  ] as const)('the %s of %s ends at %s', (period, time, end) => {
    expect(new Date(endOf(period, at(time))).toISOString()).toBe(end)
    const meter = newMeter()
    noteSpent(meter, 5n, at(time))
    expect(spentIn(meter, period, at(end) - 1)).toBe(5n)
    expect(spentIn(meter, period, at(end))).toBe(0n)
  })

  const spentAt = (...charges: [string, bigint][]): Meter => {
    const meter = newMeter()
    for (const [time, amount] of charges) noteSpent(meter, amount, at(time))
    return meter
  }
  const spent = (meter: Meter, time: string) => PERIODS.map((period) => spentIn(meter, period, at(time)))

  test('a charge counts in its day, its week and its month', () => {
    // Sunday, Monday, and the first of the next month, a Saturday.
    const meter = spentAt(['2024-05-26T12:00:00Z', 1n], ['2024-05-27T12:00:00Z', 10n], ['2024-05-27T13:00:00Z', 100n])
    expect(spent(meter, '2024-05-27T14:00:00Z')).toEqual([110n, 110n, 111n])
    expect(spent(meter, '2024-05-31T14:00:00Z')).toEqual([0n, 110n, 111n])
    noteSpent(meter, 1_000n, at('2024-06-01T00:00:00Z'))
    expect(spent(meter, '2024-06-01T00:00:00Z')).toEqual([1_000n, 1_110n, 1_000n])
  })

  test('what is given back counts in the present day, and spending is never negative', () => {
    const meter = spentAt(['2024-05-26T12:00:00Z', 50n], ['2024-05-27T12:00:00Z', 10n], ['2024-05-27T13:00:00Z', -40n])
    expect(spent(meter, '2024-05-27T14:00:00Z')).toEqual([0n, 0n, 20n])
  })

  test('what is charged for a day that is over counts in the week and the month of that day', () => {
    const meter = spentAt(['2024-05-30T12:00:00Z', 10n])
    // The same day, the same week, only the month, and neither.
    for (const [then, amount] of [
      ['2024-05-30T01:00:00Z', 1n],
      ['2024-05-27T12:00:00Z', 100n],
      ['2024-05-26T12:00:00Z', 1_000n],
      ['2024-04-30T12:00:00Z', 10_000n],
    ] as const)
      noteSpentThen(meter, amount, at(then))
    expect(spent(meter, '2024-05-30T13:00:00Z')).toEqual([11n, 111n, 1_111n])
    noteSpentThen(meter, 100_000n, at('2024-05-31T00:00:00Z'))
    expect(spent(meter, '2024-05-31T13:00:00Z')).toEqual([100_000n, 100_111n, 101_111n])
    const week = spentAt(['2024-06-01T12:00:00Z', 1n])
    noteSpentThen(week, 10n, at('2024-05-31T12:00:00Z'))
    expect(spent(week, '2024-06-01T13:00:00Z')).toEqual([1n, 11n, 1n])
  })

  test('a clock that steps back by less than a day is waited for, and by a day it is not', () => {
    const meter = spentAt(['2024-05-28T12:00:00Z', 5n])
    expect(spent(meter, '2024-05-27T12:00:00.001Z')).toEqual([5n, 5n, 5n])
    expect(spent(meter, '2024-05-27T12:00:00.000Z')).toEqual([0n, 5n, 5n])
    noteSpent(meter, 1n, at('2024-05-28T12:00:00Z'))
    expect(meter.spentAt).toBe(at('2024-05-28T12:00:00Z'))
    noteSpent(meter, 1n, at('2024-05-27T12:00:00.001Z'))
    expect(meter.spentAt).toBe(at('2024-05-28T12:00:00Z'))
    noteSpent(meter, 1n, at('2024-05-27T12:00:00.000Z'))
    expect(meter.spentAt).toBe(at('2024-05-27T12:00:00Z'))
  })

  test('a year is as long as its months', () => {
    const meter = spentAt(['2024-12-31T23:00:00Z', 5n])
    expect(spent(meter, '2025-01-01T00:00:00Z')).toEqual([0n, 5n, 0n])
    expect(spent(spentAt(['2024-01-31T23:00:00Z', 5n]), '2025-01-31T23:00:00Z')).toEqual([0n, 0n, 0n])
    expect(spent(spentAt(['2024-02-29T23:00:00Z', 5n]), '2036-01-31T23:00:00Z')).toEqual([0n, 0n, 0n])
  })

  test('a clock that steps back over midnight renews nothing; one that was a year ahead is not waited for', () => {
    const meter = spentAt(['2024-05-27T23:59:00Z', 10n], ['2024-05-28T00:00:01Z', 5n])
    expect(spent(meter, '2024-05-27T23:59:59Z')).toEqual([5n, 15n, 15n])
    noteSpent(meter, 1n, at('2024-05-27T23:59:59Z'))
    expect(spent(meter, '2024-05-28T00:00:02Z')).toEqual([6n, 16n, 16n])
    expect(spent(spentAt(['2025-05-27T12:00:00Z', 10n]), '2024-05-27T12:00:00Z')).toEqual([0n, 0n, 0n])
  })
})

test.each([
  [-1, 0],
  [0.2, 1],
  [7, 7],
  [Number.POSITIVE_INFINITY, MAX_TOKENS],
])('%d tokens are booked as %d', (tokens, booked) => expect(bookableTokens(tokens)).toBe(booked))

test('a meter begins with nothing', () =>
  expect(newMeter()).toEqual({
    open: 0,
    spentAt: 0,
    spentDay: 0n,
    weekBefore: 0n,
    monthBefore: 0n,
    requests: [],
    tokens: [],
  }))
