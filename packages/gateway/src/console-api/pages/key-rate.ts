// How often an account may change its keys in the console, on all nodes. The rows of deleted keys stay, since receipts name them, and each
// change makes all nodes look keys up again.
import type { Account, SignIns } from '../../storage/storage.ts'
import { ConsoleRejection } from '../rejection.ts'

const HOUR_MS = 3_600_000

/** Per hour. An account holder with many keys must be able to delete them soon. */
const MOST = { create: 200, rotate: 100, change: 600, delete: 600 } as const

export async function countKeyChange(
  action: keyof typeof MOST,
  { id }: Pick<Account, 'id'>,
  { store }: { store: { signIns: Pick<SignIns, 'countAttempt'> } },
): Promise<void> {
  const limit = { subject: `${action} keys of account ${id}`, most: MOST[action], windowMs: HOUR_MS }
  const waitMs = await store.signIns.countAttempt([limit])
  if (waitMs === undefined) return
  const retryAfter = Math.max(1, Math.ceil(waitMs / 1_000))
  const message = `An account can ${action} ${MOST[action]} keys per hour. Retry in ${Math.ceil(retryAfter / 60)} min.`
  throw new ConsoleRejection({ code: 'too_many_tries', retryAfter, message })
}
