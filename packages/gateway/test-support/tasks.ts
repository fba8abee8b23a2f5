// For tests: the row of a task that is with an upstream, and whose cost is held.

import { hold, type Wallet } from '../contract/storage/harness.ts'
import { taskLease, taskOwner } from '../src/money/ledger.ts'
import type { Storage } from '../src/storage/storage.ts'
import type { TaskState, TaskStatus } from '../src/storage/tasks.ts'
import { decodeTaskRow, type Task, type TaskData } from '../src/tasks/task.ts'

/** A task that ended well costs 60 of the 100 that are held. */
export const SUCCEEDED = { state: 'succeeded' as const, cost: '60' }
export const CHARGED = { balance: 940n, held: 0n, spent: 60n, keyHeld: 0n }

type Options = { state: TaskState; status: TaskStatus; data?: Partial<TaskData>; holdMs?: number }

export async function heldTask(storage: Storage, wallet: Wallet, id: bigint, options: Options): Promise<Task> {
  const { state, status, data, holdMs = 3_600_000 } = options
  const epoch = (await storage.leases.acquire(taskLease(id), 'the submit', 1_000)) ?? 0
  await storage.ledger.apply(hold(id, wallet, taskOwner(id, epoch), { deadline: Date.now() + holdMs }))
  await storage.leases.release(taskLease(id), epoch)
  const all: TaskData = {
    type: 'song',
    dialect: 'video-tasks',
    upstreamModel: 'tune',
    price: { group: 'default', model: 'song', version: '1', multiplierMillionths: '1000000' },
    held: '100',
    warnings: [],
    polls: 1,
    ...data,
  }
  const row = await storage.tasks.insert({
    id,
    account: wallet.account,
    key: wallet.key,
    type: all.type,
    model: 'song',
    serviceTier: undefined,
    state,
    status,
    upstream: 'studio',
    upstreamKey: '',
    upstreamTask: 'cgt-1',
    data: JSON.stringify(all),
    deadlineInMs: 3_600_000,
    dueInMs: 0,
  })
  return decodeTaskRow(row)
}
