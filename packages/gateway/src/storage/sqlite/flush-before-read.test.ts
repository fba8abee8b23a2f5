import { expect, test } from 'bun:test'
import { thrownBy } from '../contract/harness.ts'
import { createFlushBeforeRead } from './flush-before-read.ts'

/** A writer that takes verbs at once and writes rows when told to; time passes only by sleeping. */
function open() {
  const seen = { answered: 0, inRows: 0, writes: [] as number[], now: 5_000 }
  const queue = {
    isBehind: () => seen.inRows < seen.answered,
    writeRows: async () => {
      const answered = seen.answered
      seen.writes.push(seen.now)
      await Promise.resolve()
      seen.inRows = answered
    },
  }
  const sleep = async (milliseconds: number) => {
    await Promise.resolve()
    seen.now += milliseconds
  }
  return { seen, queue, caughtUp: createFlushBeforeRead(queue, { now: () => seen.now, sleep }) }
}

test('with all in the rows nobody waits and nothing is written', async () => {
  const { seen, caughtUp } = open()
  for (let times = 0; times < 5; times++) await caughtUp()
  expect(seen).toMatchObject({ writes: [], now: 5_000 })
})

test('however many ask, rows are written for all of them, ten times a second at the most', async () => {
  const { seen, caughtUp } = open()
  for (let round = 0; round < 20; round++) {
    const asking = Array.from({ length: 50 }, async () => {
      seen.answered += 1
      const before = seen.answered
      await caughtUp()
      // Each sees all that was answered before it asked.
      expect(seen.inRows).toBeGreaterThanOrEqual(before)
    })
    await Promise.all(asking)
  }
  expect(seen.writes.length).toBeLessThanOrEqual(40)
  for (const [index, at] of seen.writes.entries())
    if (index > 0) expect(at - (seen.writes[index - 1] ?? 0)).toBeGreaterThanOrEqual(100)
})

test('who asks while rows are being written waits for the next time', async () => {
  const { seen, queue, caughtUp } = open()
  const writing = Promise.withResolvers<void>()
  queue.writeRows = async () => {
    const { answered } = seen
    await writing.promise
    seen.inRows = answered
  }
  seen.answered = 1
  const first = caughtUp()
  await Promise.resolve()
  seen.answered = 2
  const second = caughtUp()
  writing.resolve()
  await first
  await second
  expect(seen.inRows).toBe(2)
})

test('a store that is down is told to all who wait, and the next try is a new one', async () => {
  const { seen, queue, caughtUp } = open()
  const write = queue.writeRows
  queue.writeRows = () => Promise.reject(new Error('down'))
  seen.answered = 1
  const errors = await Promise.all([thrownBy(caughtUp()), thrownBy(caughtUp())])
  expect(errors.map(String)).toEqual(['Error: down', 'Error: down'])
  queue.writeRows = write
  await caughtUp()
  expect(seen.inRows).toBe(1)
})
