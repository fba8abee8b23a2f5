import { expect, test } from 'bun:test'
import type { LiveNode } from '../storage/storage.ts'
import type { Every, Job } from './every.ts'
import { warnOfUnsharedMedia, watchNodes } from './watch-nodes.ts'

test('nodes with different configurations are config drift; without the store, drift is unknown', async () => {
  const asked: (() => Promise<LiveNode[]>)[] = [
    async () => [{ nodeId: 0, config: 'a' }],
    async () => ['a', 'b', 'a'].map((config, nodeId) => ({ nodeId, config })),
    async () => Promise.reject(new Error('the store is away')),
    async () => [0, 3].map((nodeId) => ({ nodeId, config: 'b' })),
  ]
  const seen: unknown[] = []
  const storage = {
    live() {
      seen.push(status?.())
      return asked.shift()?.() ?? Promise.resolve([])
    },
  }
  let job: Job | undefined
  const every: Every = (_, added) => {
    job = added
  }
  let status: ReturnType<typeof watchNodes> | undefined
  status = watchNodes(every, storage)
  for (let run = 0; run < 4; run++) await job?.run()
  seen.push(status())
  expect(seen.slice(1, 5)).toEqual([
    { nodes: 1, drift: false },
    { nodes: 3, drift: true },
    { nodes: null, drift: null },
    { nodes: 2, drift: false },
  ])
})

test('nodes beyond the workers of this machine: one warning that they must share the folder of media', async () => {
  const warnings: unknown[] = []
  const ignore = () => {}
  const log = { info: ignore, error: ignore, warn: (...said: unknown[]) => void warnings.push(said) }
  let job: Job | undefined
  const every: Every = (_, added) => {
    job = added
  }
  const counts = [null, 1, 2, 3, 4]
  warnOfUnsharedMedia(every, '/data/media', 2, () => ({ nodes: counts.shift() ?? null, drift: false }), log)
  const seen: number[] = []
  while (counts.length > 0) {
    await job?.run()
    seen.push(warnings.length)
  }
  expect(seen).toEqual([0, 0, 0, 1, 1])
  expect(warnings).toEqual([[expect.stringContaining('all nodes must share it'), { folder: '/data/media', nodes: 3 }]])
})
