import { expect, test } from 'bun:test'
import { thrownBy } from '../../contract/storage/harness.ts'
import { VERSION } from '../observe/version.ts'
import { archiveMonths } from './archive-months.ts'
import type { Job } from './every.ts'

type Terms = Parameters<typeof archiveMonths>[2]
type Nodes = Parameters<typeof archiveMonths>[1]['nodes']

function start() {
  const begun: [months: number, keptMs: number][] = []
  let terms = { archive: { afterMonths: 'off', to: 'media' }, retention: { requests: 5 } } as ReturnType<Terms>
  let versions = [VERSION]
  async function* archive(months: number, keptMs: number) {
    begun.push([months, keptMs])
    yield
    if (begun.length === 2) throw new Error('the media store is down')
  }
  const list = async () => versions.map((version) => ({ state: { version } })) as Awaited<ReturnType<Nodes['list']>>
  const jobs: Job[] = []
  archiveMonths(
    (_, job) => jobs.push(job),
    { archive: { archive }, nodes: { list } },
    () => terms,
  )
  const [job] = jobs
  if (!job) throw new Error('it was not registered')
  return {
    job,
    begun,
    set: (afterMonths: number | 'off') => {
      terms = { ...terms, archive: { ...terms.archive, afterMonths } }
    },
    join: (...others: string[]) => {
      versions = [VERSION, ...others]
    },
    hasMore: async () => (await job.run()) !== undefined,
  }
}

test('months are archived as the configuration says, in steps, and begun anew after an error', async () => {
  const { job, begun, set, hasMore } = start()
  expect(job.scope).toBe('cluster')
  expect([await hasMore(), begun]).toEqual([false, []])
  set(13)
  expect([await hasMore(), await hasMore(), begun]).toEqual([true, false, [[13, 5]]])
  expect([await hasMore(), String(await thrownBy(job.run()))]).toEqual([true, 'Error: the media store is down'])
  expect([await hasMore(), begun.length]).toEqual([true, 3])
  set('off')
  expect([await hasMore(), await hasMore(), begun.length]).toEqual([false, false, 3])
})

test('nothing is archived beside a process of another version, which would miss the rows', async () => {
  const { begun, set, join, hasMore } = start()
  set(13)
  join('0.2.0')
  expect([await hasMore(), begun]).toEqual([false, []])
  join()
  expect([await hasMore(), begun.length]).toEqual([true, 1])
})
