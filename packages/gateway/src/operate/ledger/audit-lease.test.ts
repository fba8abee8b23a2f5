import { expect, test } from 'bun:test'
import type { Leases } from '../../storage/storage.ts'
import { acquireAuditLease, auditAlone } from './audit-lease.ts'

function oneLease(): Leases {
  let isTaken = false
  return {
    async acquire() {
      if (isTaken) return undefined
      isTaken = true
      return 1
    },
    renew: async () => true,
    async release() {
      isTaken = false
    },
  }
}

test('an audit waits for the one that runs, wherever that is', async () => {
  const leases = oneLease()
  const first = await acquireAuditLease(leases)
  let began = false
  const second = auditAlone(leases, async () => {
    began = true
    return await acquireAuditLease(leases)
  })
  await Bun.sleep(0)
  expect(began).toBe(false)
  await first?.release()
  // While it runs, no other begins; afterwards one may.
  expect(await second).toBeUndefined()
  expect(await acquireAuditLease(leases)).toBeDefined()
})
