import { expect, test } from 'bun:test'
import { createDelays, delayAfter } from './delays.ts'

test.each([
  [0, 0],
  [9, 0],
  [10, 250],
  [11, 500],
  [12, 1_000],
  [13, 2_000],
  [14, 2_000],
  [1_000_000, 2_000],
])('after %d wrong guesses from anywhere the next one waits %d ms', (guesses, delay) => {
  expect(delayAfter(guesses)).toBe(delay)
})

function delays(most: number) {
  const timers: (() => void)[] = []
  const { wait } = createDelays((_, run) => {
    timers.push(run)
    return () => {}
  }, most)
  const done: string[] = []
  const request = (name: string, network: string, ms = 100) =>
    void wait(network, ms).then((isServed) => done.push(isServed ? name : `${name} rejected`))
  return { timers, done, request, settled: () => Bun.sleep(0) }
}

test('a network has four delayed requests at most; others are not affected', async () => {
  const { timers, done, request, settled } = delays(100)
  for (const name of ['1', '2', '3', '4', '5']) request(name, 'a')
  request('other', 'b')
  request('at once', 'a', 0)
  await settled()
  expect(done).toEqual(['5 rejected', 'at once'])
  for (const run of timers) run()
  await settled()
  expect(done.slice(2)).toEqual(['1', '2', '3', '4', 'other'])
  request('next', 'a')
  await settled()
  expect(done).not.toContain('next rejected')
})

test('if too many wait in all, the one that came first goes on early: none is rejected', async () => {
  const { timers, done, request, settled } = delays(3)
  for (const name of ['a', 'b', 'c', 'd', 'e']) request(name, name)
  await settled()
  expect(done).toEqual(['a', 'b'])
  for (const run of timers) run()
  await settled()
  expect(done).toEqual(['a', 'b', 'c', 'd', 'e'])
})
