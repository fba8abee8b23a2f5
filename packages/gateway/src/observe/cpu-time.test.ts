import { expect, test } from 'bun:test'
import { cpuDemandMs, schedulerClock } from './cpu-time.ts'

test('work adds to the demand', () => {
  const before = cpuDemandMs()
  while (cpuDemandMs() <= before) {}
})

test('time spent waiting for a CPU counts as much as time on one', () => {
  expect(schedulerClock(() => '3000000 1000000 9')()).toBe(4)
})

test('a time that cannot be read is the last one that could', () => {
  const contents = ['3000000 1000000 9', undefined, '5000000 1000000 12']
  const scheduledMs = schedulerClock(() => {
    const content = contents.shift()
    if (content === undefined) throw new Error('EMFILE: too many open files')
    return content
  })
  expect([scheduledMs(), scheduledMs(), scheduledMs()]).toEqual([4, 4, 6])
})
