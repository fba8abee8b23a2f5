// Leases in the store, for tasks and for jobs that run once per cluster. The rules are in money/leases.ts.
import { isDone } from '../money/verbs.ts'
import type { LedgerVerbs } from './ledger.ts'

export const leasesOver = ({ apply }: Pick<LedgerVerbs, 'apply'>) => ({
  /**
   * The fencing epoch; undefined: another process has the lease. `holder`: unique per process. `longestMs`: no process has the lease
   * for longer; one that seems to got it before the store's clock was set back. Absent: for as long as it says.
   */
  async acquire(lease: string, holder: string, ttlMs: number, longestMs?: number): Promise<number | undefined> {
    const longest = longestMs === undefined ? {} : { longestMs }
    const result = await apply({ verb: 'acquire_lease', lease, holder, ttlMs, ...longest })
    return isDone(result) ? Number(result.amount) : undefined
  },
  /** false: the lease has expired or is another's. */
  async renew(lease: string, epoch: number, ttlMs: number): Promise<boolean> {
    return (await apply({ verb: 'renew_lease', lease, epoch, ttlMs })).verdict === 'done'
  },
  async release(lease: string, epoch: number): Promise<void> {
    await apply({ verb: 'release_lease', lease, epoch })
  },
})

export type Leases = ReturnType<typeof leasesOver>
