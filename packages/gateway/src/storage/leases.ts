// Leases in the store, for tasks and for jobs that run once per cluster. The rules are in money/leases.ts.
import { isDone } from '../money/verbs.ts'
import type { Ledger } from './ledger.ts'

export interface Leases {
  /**
   * The fencing epoch; undefined: another process has the lease. `holder`: unique per process. `longestMs`: no process has the lease
   * for longer; one that seems to got it before the store's clock was set back. Absent: for as long as it says.
   */
  acquire(name: string, holder: string, ttlMs: number, longestMs?: number): Promise<number | undefined>
  /** false: the lease has expired or is another's. */
  renew(name: string, epoch: number, ttlMs: number): Promise<boolean>
  release(name: string, epoch: number): Promise<void>
}

export const leasesOver = ({ apply }: Pick<Ledger, 'apply'>): Leases => ({
  async acquire(lease, holder, ttlMs, longestMs) {
    const longest = longestMs === undefined ? {} : { longestMs }
    const result = await apply({ verb: 'acquire_lease', lease, holder, ttlMs, ...longest })
    return isDone(result) ? Number(result.amount) : undefined
  },
  async renew(lease, epoch, ttlMs) {
    return (await apply({ verb: 'renew_lease', lease, epoch, ttlMs })).verdict === 'done'
  },
  async release(lease, epoch) {
    await apply({ verb: 'release_lease', lease, epoch })
  },
})
