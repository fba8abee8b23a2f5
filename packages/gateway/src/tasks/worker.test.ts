// The worker with a type of task that it knows nothing of: songs.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { money, newWallet } from '../../contract/storage/harness.ts'
import { createTestDependencies } from '../../test-support/dependencies.ts'
import { CHARGED, heldTask, SUCCEEDED } from '../../test-support/tasks.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import type { Storage } from '../storage/storage.ts'
import { endWith } from './steps/poll.ts'
import { changeTask } from './task.ts'
import type { TaskType } from './task-type.ts'
import { createTaskWorker } from './worker.ts'

const folder = mkdtempSync(join(tmpdir(), 'trivium-worker-'))
const { deps, logged } = createTestDependencies({ send: () => Promise.reject(new Error('nothing is sent')) })
let storage: Storage
beforeAll(async () => {
  storage = await openSqlite(folder)
})
afterAll(async () => {
  deps.ticker.stop()
  await storage.close()
  rmSync(folder, { recursive: true, force: true })
})

const steps: string[] = []
const songs: TaskType = {
  async query(_, id) {
    steps.push(`query ${id}`)
    return { is: 'answered', value: { id, status: 'succeeded' }, retryAfterMs: undefined }
  },
  list: async () => ({ is: 'gone', reason: 'no list' }),
  cancel: async () => ({ is: 'gone', reason: 'no cancellation' }),
  changeByRecord: ({ status }) => (status === 'succeeded' ? { state: 'copying', dueInMs: 0 } : { dueInMs: 1_000 }),
  copy(task) {
    steps.push('copy')
    return changeTask(storage.tasks, task, endWith(SUCCEEDED))
  },
  isCopiedInMemory: () => true,
  removeResult: async () => {},
  encode: () => '{}',
}

async function work(until: () => Promise<boolean>): Promise<void> {
  const worker = createTaskWorker({ song: songs }, { ...deps, store: storage, taskHolder: 'a test' })
  await worker.run()
  while (!(await until())) await Bun.sleep(1)
  await worker.stop()
}

test('its steps are taken until it has ended, and it is charged', async () => {
  const wallet = await newWallet(storage)
  const { id } = await heldTask(storage, wallet, 1n, { state: 'queued', status: 'queued' })
  await work(async () => (await storage.tasks.find(id))?.state === 'succeeded')
  expect(steps).toEqual(['query cgt-1', 'copy'])
  expect(await money(storage, wallet)).toEqual(CHARGED)
})

test('a task of a type that this version does not have stays as it is', async () => {
  const wallet = await newWallet(storage)
  const data = { type: 'dance' }
  const { id } = await heldTask(storage, wallet, 2n, { state: 'queued', status: 'queued', data })
  await work(async () => logged.includes('step of a task failed'))
  expect(await storage.tasks.find(id)).toMatchObject({ state: 'queued', status: 'queued' })
  expect(await money(storage, wallet)).toMatchObject({ held: 100n })
})
