// Leases in the store, for tasks and for jobs that run once per cluster. The rules are in money/leases.ts.
import { isDone } from '../money/verbs.ts'
import type { Ledger } from './ledger.ts'

export interface Leases {
  /** The fencing epoch; undefined: another process has the lease. `holder`: unique per process. */
  acquire(name: string, holder: string, ttlMs: number): Promise<number | undefined>
  /** false: the lease has expired or is another's. */
  renew(name: string, epoch: number, ttlMs: number): Promise<boolean>
  release(name: string, epoch: number): Promise<void>
}

export const leasesOver = ({ apply }: Pick<Ledger, 'apply'>): Leases => ({
  async acquire(lease, holder, ttlMs) {
    const result = await apply({ verb: 'acquire_lease', lease, holder, ttlMs })
    return isDone(result) ? Number(result.amount) : undefined
  },
  async renew(lease, epoch, ttlMs) {
    return (await apply({ verb: 'renew_lease', lease, epoch, ttlMs })).outcome === 'done'
  },
  async release(lease, epoch) {
    await apply({ verb: 'release_lease', lease, epoch })
  },
})
