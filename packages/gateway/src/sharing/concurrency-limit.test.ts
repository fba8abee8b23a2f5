import { expect, test } from 'bun:test'
import { createConcurrencyLimit } from './concurrency-limit.ts'

test('never exceeds its concurrency, runs in FIFO order, and bounds its queue', async () => {
  const few = createConcurrencyLimit(2, 3)
  let [running, most] = [0, 0]
  const begun: number[] = []
  const work = (name: number) => async () => {
    begun.push(name)
    most = Math.max(most, ++running)
    await Bun.sleep(1)
    running -= 1
    return name
  }
  const answers = await Promise.all([0, 1, 2, 3, 4, 5, 6].map((name) => few.run(work(name))))
  expect(answers).toEqual([0, 1, 2, 3, 4, undefined, undefined])
  expect(begun).toEqual([0, 1, 2, 3, 4])
  expect(most).toBe(2)
})

test('failed work hands its slot over', async () => {
  const few = createConcurrencyLimit(1, 9)
  const failing = () => few.run(() => Promise.reject(new Error('broken')))
  const failed = await Promise.allSettled([failing(), failing(), failing()])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(await few.run(async () => 'fine')).toBe('fine')
})
