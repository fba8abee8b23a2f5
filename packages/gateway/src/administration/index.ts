// Every operation, by its name. Each noun has a file of its own.

import { createAccount } from './accounts/create.ts'
import { addNote, deleteNote, listNotes } from './accounts/notes.ts'
import * as accounts from './accounts.ts'
import { listAuditLog } from './audit-log.ts'
import { changeAccounts } from './bulk/accounts.ts'
import { importAccounts } from './bulk/import-accounts.ts'
import { changeKeys } from './bulk/keys.ts'
import { previewGroupPrices, previewModelPrice } from './catalogue/price-impact.ts'
import { createCodes, listCodeBatches, listCodes, redeemCode, revokeCodes } from './codes.ts'
import * as configuration from './configuration/index.ts'
import { creditAccount, setCreditLine } from './credits.ts'
import { runDoctor } from './doctor/doctor.ts'
import * as keys from './keys.ts'
import { auditLedger } from './ledger/audit.ts'
import { listAudits, startAudit } from './ledger/audit-runs.ts'
import { listBooks } from './ledger/books.ts'
import { listAlertRules, listAlertTargets, muteAlerts, unmuteAlerts } from './operating/alert-rules.ts'
import { listAlerts, testAlerts } from './operating/alerts.ts'
import { listJobs, listNodes } from './operating/cluster.ts'
import { testMail } from './operating/mail-test.ts'
import { checkSecrets, checkTables, showServerState } from './operating/server-state.ts'
import { showSizes, showSystem } from './operating/system.ts'
import type { Operation } from './operation.ts'
import { showOverview } from './overview/overview.ts'
import { createAdminKey, deleteAdminKey, listAdminKeys, showAdminKey } from './people/admin-keys.ts'
import { createInvitation, listInvitations, revokeInvitation } from './people/invitations.ts'
import * as people from './people/people.ts'
import { listRoles } from './people/roles.ts'
import { endSessions, listSessions } from './people/sessions.ts'
import { previewPrice } from './previews/price-preview.ts'
import { proposePrices } from './previews/price-proposals.ts'
import { previewRoute } from './previews/route-preview.ts'
import { reportPrices } from './prices.ts'
import { listRejectedRequests } from './rejected-requests.ts'
import { findKeys, showRequest } from './reports/find.ts'
import { listRequests } from './reports/requests.ts'
import { searchAll } from './reports/search.ts'
import { reportFailures, reportSpending } from './reports/spend.ts'
import { showStatement } from './reports/statement.ts'
import { listTasks, showTask } from './reports/tasks.ts'
import { listTransfers } from './reports/transfers.ts'
import { reportUsage } from './reports/usage.ts'
import { refundRequest } from './traffic/refund.ts'
import { cancelOperatedTask, queryTask, releaseTask } from './traffic/task-acts.ts'
import { certifyUpstream } from './upstreams/certify.ts'
import { discoverDraftModels, testUpstreamDraft } from './upstreams/drafts.ts'
import { listUpstreamFigures } from './upstreams/figures.ts'
import { listUpstreamKinds } from './upstreams/kinds.ts'
import { discoverModels } from './upstreams/models.ts'
import { listUpstreamStates, showUpstreamState } from './upstreams/state.ts'
import { disableUpstream, drainUpstream, enableUpstream, resetUpstream } from './upstreams/switches.ts'
import { testUpstream } from './upstreams/test.ts'
import { listUsage } from './usage.ts'

const ALL = [
  createAccount,
  accounts.listAccounts,
  accounts.showAccount,
  accounts.editAccount,
  accounts.limitAccount,
  accounts.disableAccount,
  accounts.enableAccount,
  accounts.deleteAccount,
  accounts.forgetResponses,
  accounts.showCallbackSecret,
  listNotes,
  addNote,
  deleteNote,
  importAccounts,
  changeAccounts,
  creditAccount,
  setCreditLine,
  listRoles,
  people.listPeople,
  people.showPerson,
  people.setPersonRole,
  people.disablePerson,
  people.enablePerson,
  people.listMembers,
  people.setMember,
  people.createSignInLink,
  people.removeSecondFactor,
  listSessions,
  endSessions,
  createAdminKey,
  listAdminKeys,
  showAdminKey,
  deleteAdminKey,
  createInvitation,
  listInvitations,
  revokeInvitation,
  keys.listKeys,
  keys.showKey,
  keys.createKey,
  keys.limitKey,
  keys.rotateKey,
  keys.deleteKey,
  keys.countKeyGroups,
  changeKeys,
  createCodes,
  listCodes,
  listCodeBatches,
  revokeCodes,
  redeemCode,
  listUsage,
  listRequests,
  showRequest,
  listTasks,
  showTask,
  listTransfers,
  findKeys,
  reportUsage,
  reportSpending,
  reportFailures,
  showStatement,
  listRejectedRequests,
  refundRequest,
  cancelOperatedTask,
  queryTask,
  releaseTask,
  auditLedger,
  startAudit,
  listAudits,
  listBooks,
  listAuditLog,
  showOverview,
  searchAll,
  listAlerts,
  listAlertRules,
  listAlertTargets,
  muteAlerts,
  unmuteAlerts,
  listNodes,
  listJobs,
  showServerState,
  checkSecrets,
  checkTables,
  showSystem,
  showSizes,
  runDoctor,
  testMail,
  testAlerts,
  listUpstreamStates,
  listUpstreamKinds,
  listUpstreamFigures,
  testUpstreamDraft,
  discoverDraftModels,
  proposePrices,
  showUpstreamState,
  enableUpstream,
  disableUpstream,
  drainUpstream,
  resetUpstream,
  testUpstream,
  certifyUpstream,
  discoverModels,
  previewPrice,
  previewModelPrice,
  previewGroupPrices,
  previewRoute,
  reportPrices,
  ...configuration.ALL,
] as const

export type OperationName = (typeof ALL)[number]['name']

export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(ALL.map((each) => [each.name, each as Operation]))
