// Removes rows of the audit log after their retention, once a day, and leaves a row that says how many.
import { auditEntry } from '../../administration/operation.ts'
import type { AuditLog } from '../../storage/storage.ts'
import type { Every } from '../every.ts'

const FIRST_MS = 3_600_000
const INTERVAL_MS = 86_400_000
const PAUSE_MS = 50
const PAGE = 2_000
const NAME = 'remove old rows of the audit log'

/** `keepMs`: as the configuration has it now. */
export function sweepAuditLog(every: Every, auditLog: Pick<AuditLog, 'sweep'>, keepMs: () => number | 'off'): void {
  every(INTERVAL_MS, {
    name: NAME,
    scope: 'cluster',
    firstMs: FIRST_MS,
    async run() {
      const kept = keepMs()
      const removed = await auditLog.sweep(Date.now() - (kept === 'off' ? 0 : kept), PAGE, entryOf)
      return removed === PAGE ? PAUSE_MS : undefined
    },
  })
}

const entryOf = (removed: number) =>
  auditEntry({ actor: { type: 'job', name: NAME } }, 'audit-log remove', {
    object: 'audit-log',
    before: { rows: removed },
  })
