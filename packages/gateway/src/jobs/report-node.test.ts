// How often a node tells the store of itself and of its jobs.
import { expect, test } from 'bun:test'
import type { JobRun, NodeState } from '../storage/storage.ts'
import type { Job } from './every.ts'
import { createNodeReport } from './report-node.ts'

test('the state is written when it changes; runs once a minute, and at once when a job begins to fail or works again', async () => {
  let now = 1_000_000
  let state: NodeState = { version: '1', startedAt: 5, revision: 0, ready: false, faults: [] }
  const [states, written] = [[] as boolean[], [] as string[][]]
  const nodes = { report: async (_: object, { ready }: NodeState) => void states.push(ready) }
  const jobRuns = {
    put: async (_: number, runs: readonly JobRun[]) =>
      void written.push(runs.map(({ name, error }) => name + (error ?? ''))),
  }
  const report = createNodeReport(
    { nodes, jobRuns },
    () => ({ nodeId: 1, epoch: 1 }),
    () => state,
    () => now,
  )
  let job: Job | undefined
  report.start((_, added) => {
    job = added
  })
  const ran = (name: string, error?: string) =>
    report.note({ name, scope: 'node', intervalMs: 1, beganAt: now, durationMs: 1, nextAt: now, error })
  const look = async (after: number) => {
    now += after
    await job?.run()
    return written.splice(0)
  }
  ran('a')
  expect(await look(0)).toEqual([['a']])
  ran('a')
  ran('b')
  expect(await look(59_000)).toEqual([])
  expect(await look(1_000)).toEqual([['a', 'b']])
  expect(await look(60_000)).toEqual([])
  ran('a', ' failed')
  expect(await look(1)).toEqual([['a failed']])
  ran('a', ' failed')
  expect(await look(1)).toEqual([])
  ran('a')
  expect(await look(1)).toEqual([['a']])
  expect(states).toEqual([false])
  state = { ...state, ready: true }
  await look(1)
  expect(states).toEqual([false, true])
})
