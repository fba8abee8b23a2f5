import { expect, test } from 'bun:test'
import { thrownBy } from '../../contract/storage/harness.ts'
import type { Job } from './every.ts'
import { sealMonths } from './sweeps.ts'

test('months are sealed step by step with pauses, and begun anew after an error', async () => {
  const begun: number[] = []
  async function* seal() {
    const attempt = begun.push(0) - 1
    for (let step = 1; step <= 2; step++) {
      begun[attempt] = step
      yield
    }
    if (attempt === 1) throw new Error('the store is down')
  }
  const jobs: Job[] = []
  sealMonths((_, registered) => jobs.push(registered), { seal })
  const [job] = jobs
  if (!job) throw new Error('it was not registered')
  const hasMore = async () => (await job.run()) !== undefined
  expect(job.scope).toBe('cluster')
  expect([await hasMore(), await hasMore(), await hasMore()]).toEqual([true, true, false])
  expect([await hasMore(), await hasMore(), String(await thrownBy(job.run()))]).toEqual([
    true,
    true,
    'Error: the store is down',
  ])
  expect([await hasMore(), begun]).toEqual([true, [2, 2, 1]])
})
