import { expect, test } from 'bun:test'
import { timeOfId } from '../request/ids.ts'
import type { Job } from './every.ts'
import { foldFreeRequests as foldJob } from './sweeps.ts'

test('requests at price 0 are folded page by page, 30 days after they began', async () => {
  const folded = [200, 200, 7]
  const days: number[] = []
  const foldFreeRequests = async (below: bigint, limit: number) => {
    days.push(Math.round((Date.now() - timeOfId(below)) / 86_400_000))
    return Math.min(limit, folded.shift() ?? 0)
  }
  const jobs: Job[] = []
  foldJob((_, registered) => jobs.push(registered), { foldFreeRequests })
  const [job] = jobs
  if (!job) throw new Error('it was not registered')
  const isMore = [await job.run(), await job.run(), await job.run()].map((pause) => pause !== undefined)
  expect([job.scope, days, isMore]).toEqual(['cluster', [30, 30, 30], [true, true, false]])
})
