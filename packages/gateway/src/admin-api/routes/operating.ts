// Redemption codes, the audit log, alerts, and the audit of the ledger.
import { listAuditLog } from '../../administration/audit-log.ts'
import { createCodes, listCodeBatches, listCodes, revokeCodes } from '../../administration/codes.ts'
import { auditLedger } from '../../administration/ledger/audit.ts'
import { listAudits, startAudit } from '../../administration/ledger/audit-runs.ts'
import { listBooks } from '../../administration/ledger/books.ts'
import {
  listAlertRules,
  listAlertTargets,
  muteAlerts,
  unmuteAlerts,
} from '../../administration/operating/alert-rules.ts'
import { listAlerts, testAlerts } from '../../administration/operating/alerts.ts'
import {
  ALERT,
  ALERT_MUTE,
  ALERT_RULE,
  ALERT_TARGET,
  ALERT_TEST,
  AUDIT_ROW,
  CODE,
  CODE_BATCH,
  LEDGER_ACCOUNT,
  LEDGER_AUDIT,
  LEDGER_AUDIT_RUN,
  NEW_CODES,
  REVOKED_CODES,
} from '../../administration/resources/operating.ts'
import type { AdminRoutes } from './route.ts'

export const OPERATING_ROUTES = {
  'GET codes': { operation: listCodes, summary: 'Lists redemption codes', output: CODE, list: true, csv: true },
  'GET codes/batches': {
    operation: listCodeBatches,
    summary: 'Lists batches of redemption codes by label, newest first, with what became of their codes',
    output: CODE_BATCH,
    list: true,
    csv: true,
  },
  'POST codes': {
    operation: createCodes,
    summary: 'Creates redemption codes, which are shown once',
    output: NEW_CODES,
    resource: 'codes',
    status: 201,
    example: { body: { amount_usd: '5', count: 10, expires_at: null, label: 'spring' } },
  },
  'POST codes/revoke': {
    operation: revokeCodes,
    summary: 'Revokes unredeemed codes, by label or one by one',
    output: REVOKED_CODES,
    example: { body: { label: 'spring' } },
  },
  'GET audit-log': {
    operation: listAuditLog,
    summary: 'Lists who changed what',
    output: AUDIT_ROW,
    list: true,
    csv: true,
    jsonl: true,
  },
  'GET alerts': { operation: listAlerts, summary: 'Lists alerts', output: ALERT, list: true, isShared: true },
  'POST alerts/test': {
    operation: testAlerts,
    summary: 'Sends a test to every target of the alerts, or to one',
    output: ALERT_TEST,
    example: { body: {} },
  },
  'GET alerts/rules': {
    operation: listAlertRules,
    summary: 'Lists the rules of the alerts',
    output: ALERT_RULE,
    list: true,
    isShared: true,
  },
  'GET alerts/targets': {
    operation: listAlertTargets,
    summary: 'Lists where alerts are sent',
    output: ALERT_TARGET,
    list: true,
  },
  'POST alerts/mute': {
    operation: muteAlerts,
    summary: 'Mutes a rule or one alert until a time: it is listed but not sent',
    output: ALERT_MUTE,
    example: { body: { rule: 'price_list_old', until: '2099-01-31T12:00:00Z' } },
  },
  'POST alerts/unmute': {
    operation: unmuteAlerts,
    summary: 'Ends the mute of a rule or of one alert',
    output: ALERT_MUTE,
    example: { body: { rule: 'price_list_old' } },
  },
  'GET ledger/accounts': {
    operation: listBooks,
    summary: 'Lists the accounts of the ledger with their balances',
    output: LEDGER_ACCOUNT,
    list: true,
    csv: true,
  },
  'GET ledger/audits': {
    operation: listAudits,
    summary: 'Lists audits of the ledger with their progress and results, newest first',
    output: LEDGER_AUDIT_RUN,
    list: true,
  },
  'POST ledger/audits': {
    operation: startAudit,
    summary: 'Starts an audit of the ledger in the background, one at a time',
    output: LEDGER_AUDIT_RUN,
    status: 202,
  },
  'GET ledger/audit': { operation: auditLedger, summary: 'Checks the whole ledger', output: LEDGER_AUDIT },
} as const satisfies AdminRoutes
