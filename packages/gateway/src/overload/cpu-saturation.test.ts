import { expect, test } from 'bun:test'
import { CpuSaturation, ENOUGH_AT_WORK } from './cpu-saturation.ts'

type Tick = { atWork?: number; busy?: number; waiting?: number }
const STRAINED: Tick = { atWork: ENOUGH_AT_WORK + 1, busy: 1, waiting: 50 }

/** Four ticks per second; returns after each whether the CPU is saturated. */
function after(ticks: readonly Tick[]): boolean[] {
  const strain = new CpuSaturation(0)
  return ticks.map(({ atWork = 0, busy = 0, waiting = 0 }, index) => {
    strain.tick((index + 1) * 250, atWork, busy, waiting)
    return strain.isSaturated
  })
}

const times = (count: number, tick: Tick): Tick[] => Array.from({ length: count }, () => tick)

test('saturated: too many running requests and a busy CPU for half a second', () => {
  expect(after(times(2, STRAINED))).toEqual([false, true])
})

test.each<[why: string, tick: Tick]>([
  ['the store is slow, and the processor has time to spare', { ...STRAINED, busy: 0.7 }],
  ['the processor is busy, and so many are what it can do', { ...STRAINED, atWork: ENOUGH_AT_WORK }],
])('not saturated: %s', (_, tick) => {
  expect(after(times(20, tick))).not.toContain(true)
  // A moment of it begins the time anew.
  expect(after([STRAINED, tick, STRAINED])).not.toContain(true)
})

const IN_LINE: Tick = { atWork: ENOUGH_AT_WORK, busy: 1, waiting: 1 }

test.each<[why: string, tick: Tick]>([
  ['nobody in line', { ...IN_LINE, waiting: 0 }],
  ['time to spare: those at work wait for something else', { ...IN_LINE, busy: 0.7 }],
])('recovered: %s for two seconds, and not before', (_, tick) => {
  const ticks = [...times(2, STRAINED), ...times(20, IN_LINE), ...times(7, tick), IN_LINE, ...times(8, tick)]
  const behind = after(ticks)
  expect(behind.indexOf(true)).toBe(1)
  expect(behind.slice(1)).toEqual([...times(36, {}).map(() => true), false])
})
