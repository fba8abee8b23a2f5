// Redemption codes, the audit log, alerts, and the audit of the ledger.
import { listAuditLog } from '../../administration/audit-log.ts'
import { createCodes, listCodes, revokeCodes } from '../../administration/codes.ts'
import { auditLedger } from '../../administration/ledger.ts'
import { listAlerts, testAlerts } from '../../administration/operating/alerts.ts'
import {
  ALERT,
  ALERT_TEST,
  AUDIT_ROW,
  CODE,
  LEDGER_AUDIT,
  NEW_CODES,
  REVOKED_CODES,
} from '../../administration/resources/operating.ts'
import type { AdminRoutes } from './route.ts'

export const OPERATING_ROUTES = {
  'GET codes': { operation: listCodes, summary: 'Lists redemption codes', output: CODE, list: true },
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
    summary: 'Revokes codes that are not redeemed yet, by label or one by one',
    output: REVOKED_CODES,
    example: { body: { label: 'spring' } },
  },
  'GET audit-log': { operation: listAuditLog, summary: 'Lists who changed what', output: AUDIT_ROW, list: true },
  'GET alerts': { operation: listAlerts, summary: 'Lists alerts', output: ALERT, list: true },
  'POST alerts/test': {
    operation: testAlerts,
    summary: 'Sends a test to every target of the alerts',
    output: ALERT_TEST,
  },
  'GET ledger/audit': { operation: auditLedger, summary: 'Checks the whole ledger', output: LEDGER_AUDIT },
} as const satisfies AdminRoutes
