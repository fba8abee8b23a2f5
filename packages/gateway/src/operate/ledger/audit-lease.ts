// One audit at a time in the whole cluster: each reads the whole ledger.
import type { Leases } from '../../storage/storage.ts'

const LEASE = 'ledger audit'
export const AUDIT_LEASE_MS = 60_000
export const RENEW_AUDIT_MS = 15_000
const LOOK_AGAIN_MS = 500

export type AuditLease = { renew(): void; release(): Promise<void> }

/** undefined: another audit runs. One part of it may take minutes in a large ledger: whoever has the lease renews it. */
export async function acquireAuditLease(leases: Leases): Promise<AuditLease | undefined> {
  const epoch = await leases.acquire(LEASE, crypto.randomUUID(), AUDIT_LEASE_MS, AUDIT_LEASE_MS)
  if (epoch === undefined) return undefined
  return {
    renew: () => void leases.renew(LEASE, epoch, AUDIT_LEASE_MS).catch(() => {}),
    release: () =>
      leases.release(LEASE, epoch).then(
        () => {},
        () => {},
      ),
  }
}

/** Runs `audit` once no other audit runs. */
export async function auditAlone<Result>(leases: Leases, audit: () => Promise<Result>): Promise<Result> {
  let lease = await acquireAuditLease(leases)
  for (; !lease; lease = await acquireAuditLease(leases)) await Bun.sleep(LOOK_AGAIN_MS)
  const timer = setInterval(lease.renew, RENEW_AUDIT_MS)
  try {
    return await audit()
  } finally {
    clearInterval(timer)
    await lease.release()
  }
}
