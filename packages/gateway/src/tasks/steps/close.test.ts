import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { money, newWallet, type Wallet } from '../../../contract/storage/harness.ts'
import { createTestDependencies } from '../../../test-support/dependencies.ts'
import { CHARGED, heldTask, SUCCEEDED } from '../../../test-support/tasks.ts'
import { taskLease } from '../../money/ledger.ts'
import { openSqlite } from '../../storage/sqlite/open-sqlite.ts'
import type { Storage } from '../../storage/storage.ts'
import type { TaskWorkDependencies } from '../dependencies.ts'
import { changeTask, type Task } from '../task.ts'
import { closeTask } from './close.ts'

const folder = mkdtempSync(join(tmpdir(), 'trivium-close-'))
let storage: Storage
let wallet: Wallet
let id = 0n

beforeAll(async () => {
  storage = await openSqlite(folder)
})
afterAll(async () => {
  await storage.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A task in `closing` that costs 60 of the 100 that are held. */
async function closingTask(holdMs?: number): Promise<Task> {
  wallet = await newWallet(storage)
  const data = { end: SUCCEEDED }
  const held = holdMs === undefined ? {} : { holdMs }
  return heldTask(storage, wallet, ++id, { state: 'closing', status: 'running', data, ...held })
}

const dependencies = (store: Partial<Storage> = {}): TaskWorkDependencies => ({
  ...createTestDependencies({ send: (() => Promise.reject(new Error('nothing is sent'))) as never }).deps,
  store: { ...storage, ...store },
  taskHolder: 'a test',
})

const FREE = { balance: 1_000n, held: 0n, spent: 0n, keyHeld: 0n }

test('a task is charged and ended', async () => {
  expect(await closeTask(await closingTask(), dependencies())).toMatchObject({ state: 'succeeded' })
  expect(await money(storage, wallet)).toEqual(CHARGED)
})

test('a task that was charged by a process that died before it changed the row', async () => {
  const task = await closingTask()
  const dies = { ...storage.tasks, update: () => Promise.reject(new Error('killed')) }
  await closeTask(task, dependencies({ tasks: dies })).catch(() => {})
  expect(await money(storage, wallet)).toEqual(CHARGED)
  expect(await closeTask(task, dependencies())).toMatchObject({ state: 'succeeded' })
  expect(await money(storage, wallet)).toEqual(CHARGED)
})

test('a hold that was voided at its deadline: the task has expired', async () => {
  const task = await closingTask(-1)
  await storage.ledger.apply({ verb: 'reap', limit: 10 })
  expect(await closeTask(task, dependencies())).toMatchObject({ state: 'expired', status: 'expired' })
  expect(await money(storage, wallet)).toEqual(FREE)
})

test('another process has the lease: the task waits for it', async () => {
  const task = await closingTask()
  await storage.leases.acquire(taskLease(task.id), 'another', 60_000)
  expect(await closeTask(task, dependencies())).toMatchObject({ state: 'closing' })
  expect(await money(storage, wallet)).toMatchObject({ held: 100n })
})

test('another process acquires the lease meanwhile: what it charges decides', async () => {
  const task = await closingTask()
  const late = {
    ...storage.leases,
    async acquire(lease: string, holder: string, ttlMs: number) {
      const epoch = (await storage.leases.acquire(lease, holder, ttlMs)) ?? 0
      await storage.leases.release(lease, epoch)
      await storage.leases.acquire(lease, 'another', 60_000)
      return epoch
    },
  }
  const after = await closeTask(task, dependencies({ leases: late }))
  expect(after).toMatchObject({ state: 'closing', status: 'running' })
  expect(await money(storage, wallet)).toMatchObject({ balance: 1_000n, held: 100n })
  await storage.leases.release(taskLease(task.id), 3)
  if (!after) throw new Error('the task has changed')
  const again = await changeTask(storage.tasks, after, { dueInMs: 0 })
  if (!again) throw new Error('the task has changed')
  expect(await closeTask(again, dependencies())).toMatchObject({ state: 'succeeded' })
  expect(await money(storage, wallet)).toEqual(CHARGED)
})
