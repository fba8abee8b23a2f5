// What an act would do to whom, for the person who is about to do it. Looked up in dry runs only.
import { formatUsd, type Nanos } from '../../money/amount.ts'
import type { Account, Key } from '../../storage/storage.ts'
import type { Effects, OperationContext } from '../operation.ts'

/** How many open requests of an account are looked at for those of one key. */
const MOST_OPEN = 1_000

export async function accountEffects({ dryRun, storage }: OperationContext, { id, held }: Account): Promise<Effects> {
  if (!dryRun) return {}
  const activity = (await storage.lists.activity([id])).get(id)
  return {
    active_keys: activity?.activeKeys ?? 0,
    running_requests: activity?.openRequests ?? 0,
    held_usd: formatUsd(held),
  }
}

export async function keyEffects({ dryRun, storage }: OperationContext, key: Key): Promise<Effects> {
  if (!dryRun) return {}
  const open = await storage.spending.openRequests(key.account, MOST_OPEN)
  return { running_requests: open.filter((each) => each.key === key.id).length, held_usd: formatUsd(key.held) }
}

export const creditEffects = ({ balance }: Account, amount: Nanos): Effects => ({
  balance_usd: formatUsd(balance),
  balance_after_usd: formatUsd(balance + amount),
})
