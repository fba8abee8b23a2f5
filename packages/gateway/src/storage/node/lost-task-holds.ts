// Holds of video tasks that do not exist any more: their rows were in a file that was removed, damaged or restored from before.
// Nothing would end such a hold before its deadline, days later.
import { formatUsd, type Nanos } from '../../money/amount.ts'
import { taskLease, taskOwner } from '../../money/ledger.ts'
import type { Leases } from '../leases.ts'
import type { LedgerVerbs } from '../ledger.ts'

export type TaskHold = { id: bigint; held: Nanos }

type Stores = {
  ledger: { openTaskHolds(after: bigint, limit: number): Promise<TaskHold[]> }
  tasks: { existing(ids: readonly bigint[]): Promise<bigint[]> }
}
type WritableStores = Stores & { ledger: Pick<LedgerVerbs, 'apply'>; leases: Leases }

const PAGE = 500
const LEASE_MS = 10_000

/** The row of a task is written before its hold and removed after it: so holds are read first. */
export async function lostTaskHolds({ ledger, tasks }: Stores): Promise<TaskHold[]> {
  const lost: TaskHold[] = []
  let after = 0n
  for (;;) {
    const holds = await ledger.openTaskHolds(after, PAGE)
    const last = holds.at(-1)
    if (!last) return lost
    const existing = new Set(await tasks.existing(holds.map(({ id }) => id)))
    lost.push(...holds.filter(({ id }) => !existing.has(id)))
    after = last.id
  }
}

/**
 * Voids them, each under the lease of its task: a process that is about to use the hold loses it, or keeps this one from voiding it.
 * Resolves with those that were voided.
 */
export async function voidLostTaskHolds(stores: WritableStores, holder: string): Promise<TaskHold[]> {
  const voided: TaskHold[] = []
  for (const hold of await lostTaskHolds(stores)) {
    const lease = taskLease(hold.id)
    const epoch = await stores.leases.acquire(lease, holder, LEASE_MS)
    if (epoch === undefined) continue
    // The vendor may have made the video, and bill it.
    const receipt = { warnings: ['task;lost'], possible_upstream_cost: formatUsd(hold.held) }
    const { verdict } = await stores.ledger.apply({
      verb: 'void',
      ...taskOwner(hold.id, epoch),
      outcome: 'failed',
      receipt: JSON.stringify(receipt),
    })
    await stores.leases.release(lease, epoch)
    if (verdict === 'done') voided.push(hold)
  }
  return voided
}
