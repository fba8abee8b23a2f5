// The proof that the ledger is consistent, at once.
import { reportAudit } from '../../alerts/report-audit.ts'
import { formatRequestId } from '../../request/ids.ts'
import { boolean, fields, optional } from '../../request/schema/schema.ts'
import { type AuditReport, monthName } from '../../storage/storage.ts'
import { isoTime } from '../inputs/fields.ts'
import { operation } from '../operation.ts'
import { LEDGER_AUDIT } from '../resources/gateway.ts'
import { auditAlone } from './audit-lease.ts'

export const AUDIT_DEPTH = fields({ deep: optional(boolean()) })

export const auditLedger = operation({
  name: 'audit',
  permission: 'see',
  route: {
    at: 'GET ledger/audit',
    summary: 'Checks the ledger: sealed months by their seals, or `deep` all of it',
    output: LEDGER_AUDIT,
  },
  input: AUDIT_DEPTH,
  async run({ storage }, { deep }) {
    const shown = showReport(await auditAlone(storage.leases, () => storage.ledger.audit({ deep })))
    // What the audit found is shown whether the alerts can be told or not.
    await reportAudit(storage.alerts, shown.ok).catch(() => {})
    return shown
  },
})

/** `most`: of each list. */
export function showReport(report: AuditReport, most = Number.POSITIVE_INFINITY) {
  const { accounts, requests, transfers } = report
  const ids = (list: readonly bigint[]) => list.slice(0, most).map(String)
  const requestIds = (list: readonly bigint[]) => list.slice(0, most).map(formatRequestId)
  return {
    ok: report.ok && report.lostTaskHolds.length === 0,
    deep: report.isDeep,
    ...showSeals(report, most),
    accounts,
    requests,
    transfers,
    open_holds: report.openHolds,
    balance_mismatches: ids(report.balanceMismatches),
    held_mismatches: ids(report.heldMismatches),
    key_held_mismatches: ids(report.keyHeldMismatches),
    open_mismatches: ids(report.openMismatches),
    key_open_mismatches: ids(report.keyOpenMismatches),
    spent_mismatches: ids(report.spentMismatches),
    key_spent_mismatches: ids(report.keySpentMismatches),
    spending_mismatches: ids(report.spendingMismatches),
    attribution_mismatches: ids(report.attributionMismatches),
    budget_held_mismatches: ids(report.budgetHeldMismatches),
    exceeded_budgets: ids(report.exceededBudgets),
    negative_accounts: ids(report.negativeAccounts),
    request_mismatches: requestIds(report.requestMismatches),
    // Not a failure: the line was lowered below what the account has spent and holds.
    overdrawn_accounts: ids(report.overdrawnAccounts),
    lost_task_holds: requestIds(report.lostTaskHolds),
  }
}

function showSeals(report: AuditReport, most: number) {
  const { isDeep, sealedMonths, sealedUntil, lastSeal, sealMismatches, archiveMismatches } = report
  return {
    sealed_months: sealedMonths,
    last_sealed_month: sealedUntil === undefined ? null : monthName(sealedUntil),
    last_seal: lastSeal ?? null,
    read_from: isDeep || sealedUntil === undefined ? null : isoTime(sealedUntil),
    seal_mismatches: sealMismatches.slice(0, most),
    archive_mismatches: archiveMismatches.slice(0, most),
  }
}

/** What reports lack that were stored by earlier versions. */
export const OF_LATER_VERSIONS = {
  deep: false,
  sealed_months: 0,
  last_sealed_month: null,
  last_seal: null,
  read_from: null,
  seal_mismatches: [],
  archive_mismatches: [],
  attribution_mismatches: [],
  budget_held_mismatches: [],
  exceeded_budgets: [],
}

export type ShownReport = ReturnType<typeof showReport>
