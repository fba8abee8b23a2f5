// Faults of the environment: one line when they begin, one when they end, and not ready between.
import { expect, test } from 'bun:test'
import { fakeTime } from '../../../../test/support/fake-time.ts'
import { watchFaults } from './faults.ts'

/** As Bun does, which reads a file for it. */
function usedMemory(error: string | undefined, used: number): number {
  if (error === 'EMFILE') throw new Error('Failed to get memory usage')
  return used
}

function world() {
  const time = fakeTime()
  const said: string[] = []
  const state = { error: undefined as string | undefined, used: 10, offsetMs: 0, released: 0 }
  const faults = watchFaults({
    writeProbe() {
      if (state.error !== undefined) throw Object.assign(new Error('failed'), { code: state.error })
    },
    memory: { used: () => usedMemory(state.error, state.used), limit: 100, release: () => void state.released++ },
    wall: () => 1_900_000_000_000 + state.offsetMs + time.monotonic(),
    monotonic: time.monotonic,
    after: time.after,
    log: {
      error: (message) => void said.push(`error ${message}`),
      info: (message) => void said.push(`info ${message}`),
    },
  })
  return { ...time, state, said, faults }
}

test.each([
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk is full'],
  ['EROFS', 'the data folder cannot be written; mount it writable'],
  ['EMFILE', 'no file descriptor is free'],
  ['EIO', 'the data folder cannot be written (EIO)'],
])('%s: one line, not ready while it lasts, and then ready by itself', async (code, words) => {
  const { state, said, faults, pass } = world()
  await pass(10_000)
  expect([faults.list(), said]).toEqual([[], []])
  state.error = code
  await pass(60_000)
  expect(faults.list()).toEqual([expect.stringContaining(words)])
  state.error = undefined
  await pass(2_000)
  expect(faults.list()).toEqual([])
  expect(said).toEqual([
    expect.stringContaining(`error not ready: ${words}`),
    expect.stringContaining('info no longer'),
  ])
  faults.stop()
})

test('a write that failed is looked into at once, but not for each of thousands', async () => {
  const { state, faults, pass } = world()
  state.error = 'ENOSPC'
  faults.check()
  expect(faults.list()).toHaveLength(1)
  state.error = undefined
  faults.check()
  expect(faults.list()).toHaveLength(1)
  await pass(100)
  faults.check()
  expect(faults.list()).toEqual([])
  faults.stop()
})

test('the memory limit: free memory is released until there is room again', async () => {
  const { state, said, faults, pass } = world()
  state.used = 95
  await pass(4_000)
  state.used = 90
  await pass(4_000)
  expect(faults.list()).toEqual([expect.stringContaining('memory limit')])
  expect(state.released).toBe(4)
  state.used = 85
  await pass(2_000)
  expect([faults.list(), said.length]).toEqual([[], 2])
  faults.stop()
})

test.each([
  [86_400_000, 'set forward by 86400 s'],
  [-172_800_000, 'set back by 172800 s'],
])('a clock that jumps by %d ms: one line, not ready until it was steady for a while', async (jumpMs, words) => {
  const { state, said, faults, pass } = world()
  await pass(2_000)
  state.offsetMs += 1_500
  await pass(2_000)
  expect(faults.list()).toEqual([])
  state.offsetMs += jumpMs
  await pass(2_000)
  expect(faults.list()).toEqual([expect.stringContaining(words)])
  await pass(8_000)
  expect(faults.list()).toHaveLength(1)
  await pass(2_000)
  expect([faults.list(), said.length]).toEqual([[], 2])
  faults.stop()
})
