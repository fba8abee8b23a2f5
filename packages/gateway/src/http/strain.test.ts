import { expect, test } from 'bun:test'
import { ENOUGH_AT_WORK, Strain } from './strain.ts'

type Tick = { atWork?: number; busy?: number; waiting?: number }
const STRAINED: Tick = { atWork: ENOUGH_AT_WORK + 1, busy: 1, waiting: 50 }

/** Four ticks in a second; gives after each whether the process is behind. */
function after(ticks: readonly Tick[]): boolean[] {
  const strain = new Strain(0)
  return ticks.map(({ atWork = 0, busy = 0, waiting = 0 }, index) => {
    strain.tick((index + 1) * 250, atWork, busy, waiting)
    return strain.isBehind
  })
}

const times = (count: number, tick: Tick): Tick[] => Array.from({ length: count }, () => tick)

test('behind is who has had too much at work and no time to spare for two seconds', () => {
  expect(after(times(8, STRAINED))).toEqual([...times(7, {}).map(() => false), true])
})

test.each<[why: string, tick: Tick]>([
  ['the store is slow, and the processor has time to spare', { ...STRAINED, busy: 0.7 }],
  ['the processor is busy, and so many are what it can do', { ...STRAINED, atWork: ENOUGH_AT_WORK }],
])('not behind: %s', (_, tick) => {
  expect(after(times(20, tick))).not.toContain(true)
  // A moment of it begins the time anew.
  expect(after([...times(7, STRAINED), tick, ...times(7, STRAINED)])).not.toContain(true)
})

test('caught up is who has had nobody in line for two seconds, and not before', () => {
  const inLine: Tick = { atWork: ENOUGH_AT_WORK, busy: 1, waiting: 1 }
  const ticks = [...times(8, STRAINED), ...times(20, inLine), ...times(7, {}), inLine, ...times(8, {})]
  const behind = after(ticks)
  expect(behind.indexOf(true)).toBe(7)
  expect(behind.slice(7)).toEqual([...times(36, {}).map(() => true), false])
})
