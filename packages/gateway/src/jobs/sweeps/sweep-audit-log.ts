// Removes rows of the audit log after their retention, in small pages with pauses.
import type { AuditLog } from '../../storage/storage.ts'
import type { Every } from '../every.ts'

const INTERVAL_MS = 3_600_000
const PAUSE_MS = 50
const PAGE = 500

/** `keepMs`: as the configuration has it now. */
export function sweepAuditLog(every: Every, auditLog: Pick<AuditLog, 'sweep'>, keepMs: () => number | 'off'): void {
  every(INTERVAL_MS, {
    name: 'remove old rows of the audit log',
    scope: 'cluster',
    async run() {
      const kept = keepMs()
      const removed = await auditLog.sweep(Date.now() - (kept === 'off' ? 0 : kept), PAGE)
      return removed === PAGE ? PAUSE_MS : undefined
    },
  })
}
