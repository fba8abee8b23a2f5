import { expect, test } from 'bun:test'
import { CpuSaturation, ENOUGH_AT_WORK } from './cpu-saturation.ts'

type Tick = { atWork?: number; busy?: number; waiting?: number }
const SATURATED: Tick = { atWork: ENOUGH_AT_WORK + 1, busy: 1, waiting: 50 }

/** Four ticks per second; returns after each whether the CPU is saturated. */
function after(ticks: readonly Tick[]): boolean[] {
  const saturation = new CpuSaturation(0)
  return ticks.map(({ atWork = 0, busy = 0, waiting = 0 }, index) => {
    saturation.tick((index + 1) * 250, atWork, busy, waiting)
    return saturation.isSaturated
  })
}

const times = (count: number, tick: Tick): Tick[] => Array.from({ length: count }, () => tick)

test('saturated: too many running requests and a busy CPU for half a second', () => {
  expect(after(times(2, SATURATED))).toEqual([false, true])
})

test.each<[why: string, tick: Tick]>([
  ['the store is slow, and the CPU is not busy', { ...SATURATED, busy: 0.7 }],
  ['the CPU is busy, and serves as many requests as it can', { ...SATURATED, atWork: ENOUGH_AT_WORK }],
])('not saturated: %s', (_, tick) => {
  expect(after(times(20, tick))).not.toContain(true)
  // One such tick restarts the measured time.
  expect(after([SATURATED, tick, SATURATED])).not.toContain(true)
})

const QUEUED: Tick = { atWork: ENOUGH_AT_WORK, busy: 1, waiting: 1 }

test.each<[why: string, tick: Tick]>([
  ['an empty queue', { ...QUEUED, waiting: 0 }],
  ['an idle CPU: the running requests wait for something else', { ...QUEUED, busy: 0.7 }],
])('recovered: %s for two seconds, and not before', (_, tick) => {
  const ticks = [...times(2, SATURATED), ...times(20, QUEUED), ...times(7, tick), QUEUED, ...times(8, tick)]
  const behind = after(ticks)
  expect(behind.indexOf(true)).toBe(1)
  expect(behind.slice(1)).toEqual([...times(36, {}).map(() => true), false])
})
