import { expect, test } from 'bun:test'
import { createPacedQueue } from './paced-queue.ts'

/** 100 per second: two in each tick of 20 ms. The test moves the clock. */
function paceOf(longestMs: number) {
  let now = 0
  const due: { at: number; run: () => void }[] = []
  const inTurn = createPacedQueue({
    perSecond: 100,
    maxDelayMs: longestMs,
    clock: () => now,
    after: (ms, run) => void due.push({ at: now + ms, run }),
  })
  const gone: number[] = []
  return {
    gone,
    come(...names: number[]) {
      for (const name of names) inTurn({ proceed: () => void gone.push(name) })
    },
    pass(ms: number) {
      for (const end = now + ms; now < end; ) {
        now += 20
        for (const { run } of due.splice(0, due.findLastIndex(({ at }) => at <= now) + 1)) run()
      }
    },
  }
}

test('a single entry leaves with the next tick, also after a pause', () => {
  const { come, pass, gone } = paceOf(1_000)
  for (const name of [1, 2, 3]) {
    come(name)
    expect(gone).toHaveLength(name - 1)
    pass(20)
    expect(gone).toHaveLength(name)
    pass(200)
  }
})

test('entries leave in FIFO order, a fixed number per tick', () => {
  const { come, pass, gone } = paceOf(1_000)
  come(1, 2, 3, 4, 5)
  pass(20)
  expect(gone).toEqual([1, 2])
  come(6)
  pass(20)
  expect(gone).toEqual([1, 2, 3, 4])
  pass(20)
  expect(gone).toEqual([1, 2, 3, 4, 5, 6])
})

test('no entry waits longer than the maximum', () => {
  const { come, pass, gone } = paceOf(100)
  const all = Array.from({ length: 50 }, (_, index) => index)
  come(...all)
  pass(80)
  expect(gone).toEqual(all.slice(0, 8))
  pass(20)
  expect(gone).toEqual(all)
})
