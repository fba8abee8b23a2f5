import { expect, test } from 'bun:test'
import { thrownBy } from '../../../contract/storage/harness.ts'
import { createFlushBeforeRead } from './flush-before-read.ts'

/** A writer that takes verbs at once and writes rows on request; time passes only by sleeping. */
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

test('with all verbs in the rows, readers do not wait and nothing is written', async () => {
  const { seen, caughtUp } = open()
  for (let times = 0; times < 5; times++) await caughtUp()
  expect(seen).toMatchObject({ writes: [], now: 5_000 })
})

test('however many readers there are, rows are written for all of them, at most ten times a second', async () => {
  const { seen, caughtUp } = open()
  for (let round = 0; round < 20; round++) {
    const readers = Array.from({ length: 50 }, async () => {
      seen.answered += 1
      const before = seen.answered
      await caughtUp()
      // Each reader sees all verbs that were answered before it.
      expect(seen.inRows).toBeGreaterThanOrEqual(before)
    })
    await Promise.all(readers)
  }
  expect(seen.writes.length).toBeLessThanOrEqual(40)
  for (const [index, at] of seen.writes.entries())
    if (index > 0) expect(at - (seen.writes[index - 1] ?? 0)).toBeGreaterThanOrEqual(100)
})

test('a reader that arrives while rows are being written waits for the next write', async () => {
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

test('a store that is down fails all waiting readers, and the next one tries again', async () => {
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
