// The proof that the ledger is consistent.

import { reportAudit } from '../alerts/report-audit.ts'
import { formatRequestId } from '../request/ids.ts'
import { NOTHING } from '../request/schema/schema.ts'
import { operation } from './operation.ts'

export const auditLedger = operation({
  name: 'audit',
  permission: 'see',
  input: NOTHING,
  async run({ storage }) {
    const report = await storage.ledger.audit()
    const { accounts, requests, transfers } = report
    const ok = report.ok && report.lostTaskHolds.length === 0
    // What the audit found is shown whether the alerts can be told or not.
    await reportAudit(storage.alerts, ok).catch(() => {})
    return {
      ok,
      accounts,
      requests,
      transfers,
      open_holds: report.openHolds,
      balance_mismatches: report.balanceMismatches.map(String),
      held_mismatches: report.heldMismatches.map(String),
      key_held_mismatches: report.keyHeldMismatches.map(String),
      open_mismatches: report.openMismatches.map(String),
      key_open_mismatches: report.keyOpenMismatches.map(String),
      spent_mismatches: report.spentMismatches.map(String),
      key_spent_mismatches: report.keySpentMismatches.map(String),
      spending_mismatches: report.spendingMismatches.map(String),
      negative_accounts: report.negativeAccounts.map(String),
      request_mismatches: report.requestMismatches.map(formatRequestId),
      // Not a failure: the line was lowered below what the account has spent and holds.
      overdrawn_accounts: report.overdrawnAccounts.map(String),
      lost_task_holds: report.lostTaskHolds.map(formatRequestId),
    }
  },
})
