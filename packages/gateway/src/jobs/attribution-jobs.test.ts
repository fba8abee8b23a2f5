import { expect, test } from 'bun:test'
import type { Job } from './every.ts'
import { reportManyValues } from './report-many-values.ts'
import { sweepAttribution } from './sweeps.ts'

const DAY = 86_400_000

test('sums by tag are kept for whole days, and those of deleted accounts go with what their requests were for', async () => {
  const until: number[] = []
  const left = { sums: 2, requests: 3 }
  const attribution = {
    sweep: async (before: number) => until.push(before) < 2,
    sweepDeleted: async () => left.sums-- > 0,
    forgetDeleted: async () => left.requests-- > 0,
  }
  const found: Job[] = []
  sweepAttribution(
    (_, job) => void found.push(job),
    attribution,
    () => 400 * DAY,
  )
  const [old, deleted] = found
  while ((await old?.run()) !== undefined);
  const cutoff = Date.now() - 400 * DAY
  expect(until).toHaveLength(2)
  for (const before of until) {
    expect(before % DAY).toBe(0)
    expect(cutoff - before).toBeLessThan(2 * DAY)
  }
  while ((await deleted?.run()) !== undefined);
  expect(left).toEqual({ sums: -2, requests: -1 })
})

test('an account with too many tags is named in the log', async () => {
  const lines: unknown[] = []
  const log = { warn: (...line: unknown[]) => void lines.push(line), info: () => {}, error: () => {} }
  const day = Date.UTC(2027, 0, 31)
  const attribution = { reportManyValues: async () => [{ account: 7n, dimension: 'tag', day }] }
  const found: Job[] = []
  reportManyValues((_, job) => void found.push(job), attribution, log)
  await found[0]?.run()
  const fields = { account: '7', dimension: 'tag', day: '2027-01-31', told_apart: 10_000 }
  expect(lines).toEqual([['too many tags or end users to tell apart', fields]])
})
