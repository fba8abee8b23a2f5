// One pass over what has changed since the last one. Where it ended is kept in the store. A pass that is interrupted begins again, and each
// looks a little further back, for transactions that were under way: what is found twice is told once.
import { tellCrossings } from './crossings.ts'
import { tellChanges, tellExpired } from './stops.ts'
import type { NoticeDependencies } from './tell.ts'

const UNTIL = 'notices_until'
/** Longer than a transaction of the ledger takes. */
export const OVERLAP_MS = 2 * 60_000
const ACCOUNTS_AT_ONCE = 200
const CHANGES_AT_ONCE = 500

export async function findNotices(deps: NoticeDependencies): Promise<void> {
  const { meta, notices, now } = deps.storage
  const to = now()
  // What was before the first pass is not told.
  const until = Number(await meta.setOnce(UNTIL, String(to)))
  // After a clock that was wrong, the present counts.
  const since = Math.min(until, to) - OVERLAP_MS
  for (let after = 0n; ; ) {
    const changes = await notices.changes(since, after, CHANGES_AT_ONCE)
    const changed = [...(await tellChanges(changes, deps))]
    for (let at = 0; at < changed.length; at += ACCOUNTS_AT_ONCE)
      await tellCrossings(changed.slice(at, at + ACCOUNTS_AT_ONCE), 0, deps)
    after = changes.at(-1)?.id ?? after
    if (changes.length < CHANGES_AT_ONCE) break
  }
  await tellExpired(since, to, deps)
  await tellCrossings(await notices.credited(since), since, deps)
  for (let after = 0n; ; ) {
    const accounts = await notices.charged(since, after, ACCOUNTS_AT_ONCE)
    await tellCrossings(accounts, since, deps)
    after = accounts.at(-1) ?? after
    if (accounts.length < ACCOUNTS_AT_ONCE) break
  }
  await meta.set(UNTIL, String(to))
}
