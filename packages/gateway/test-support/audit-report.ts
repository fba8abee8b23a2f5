// The report of an audit that found nothing.
import type { AuditReport } from '../src/storage/storage.ts'

export const CLEAN_AUDIT: AuditReport = {
  ok: true,
  isDeep: false,
  sealedMonths: 0,
  sealedUntil: undefined,
  lastSeal: undefined,
  accounts: 1,
  requests: 2,
  transfers: 3,
  openHolds: 0,
  balanceMismatches: [],
  heldMismatches: [],
  keyHeldMismatches: [],
  openMismatches: [],
  keyOpenMismatches: [],
  spentMismatches: [],
  keySpentMismatches: [],
  overdrawnAccounts: [],
  spendingMismatches: [],
  negativeAccounts: [],
  requestMismatches: [],
  sealMismatches: [],
  archiveMismatches: [],
  lostTaskHolds: [],
}
