import { expect, test } from 'bun:test'
import { createPace } from './pace.ts'

/** 100 a second: two in each beat of 20 ms. Time passes only when it is told to. */
function paceOf(longestMs: number) {
  let now = 0
  const due: { at: number; run: () => void }[] = []
  const inTurn = createPace({
    ...{ perSecond: 100, longestMs, clock: () => now },
    after: (ms, run) => void due.push({ at: now + ms, run }),
  })
  const gone: number[] = []
  return {
    gone,
    come(...names: number[]) {
      for (const name of names) void inTurn().then(() => gone.push(name))
    },
    async pass(ms: number) {
      for (const end = now + ms; now < end; ) {
        now += 20
        for (const { run } of due.splice(0, due.findLastIndex(({ at }) => at <= now) + 1)) run()
      }
      await Promise.resolve()
    },
  }
}

test('whoever comes alone goes with the next beat, also after a pause', async () => {
  const { come, pass, gone } = paceOf(1_000)
  for (const name of [1, 2, 3]) {
    come(name)
    expect(gone).toHaveLength(name - 1)
    await pass(20)
    expect(gone).toHaveLength(name)
    await pass(200)
  }
})

test('many go in the order of coming, so many in each beat, and latecomers after them', async () => {
  const { come, pass, gone } = paceOf(1_000)
  come(1, 2, 3, 4, 5)
  await pass(20)
  expect(gone).toEqual([1, 2])
  come(6)
  await pass(20)
  expect(gone).toEqual([1, 2, 3, 4])
  await pass(20)
  expect(gone).toEqual([1, 2, 3, 4, 5, 6])
})

test('nobody waits longer than the longest time', async () => {
  const { come, pass, gone } = paceOf(100)
  const all = Array.from({ length: 50 }, (_, index) => index)
  come(...all)
  await pass(80)
  expect(gone).toEqual(all.slice(0, 8))
  await pass(20)
  expect(gone).toEqual(all)
})
