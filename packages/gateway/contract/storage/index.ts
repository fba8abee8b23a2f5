// What every engine must do, as tests. An engine's own test file only says how to open it.
import { afterEach, beforeEach, describe } from 'bun:test'
import { booksContract } from './books.ts'
import { attributedReportsContract } from './budgets/attributed-reports.ts'
import { attributionContract } from './budgets/attribution.ts'
import { budgetRacesContract } from './budgets/races.ts'
import { budgetRowsContract } from './budgets/rows.ts'
import { budgetsContract } from './budgets/verbs.ts'
import { capsContract } from './caps.ts'
import { alertsContract } from './console/alerts.ts'
import { auditLogContract } from './console/audit-log.ts'
import { codesContract } from './console/codes.ts'
import { configurationContract } from './console/configuration.ts'
import { customersContract } from './console/customers.ts'
import { historyContract } from './console/history.ts'
import { consoleKeysContract } from './console/keys.ts'
import { listsContract } from './console/lists.ts'
import { refundsContract } from './console/refunds.ts'
import { rejectedRequestsContract } from './console/rejected-requests.ts'
import { requestStatusContract } from './console/request-status.ts'
import { spendingContract } from './console/spending.ts'
import { trafficContract } from './console/traffic.ts'
import { upstreamsContract } from './console/upstreams.ts'
import { wholeLedgerContract } from './console/whole-ledger.ts'
import { contentsContract } from './contents.ts'
import { creditLinesContract } from './credit-lines.ts'
import { differentialContract } from './differential.ts'
import type { Open, Opened } from './harness.ts'
import { limitsContract } from './limits.ts'
import { mediaContract } from './media.ts'
import { archivingContract } from './months/archiving.ts'
import { sealingContract } from './months/sealing.ts'
import { sealTamperingContract } from './months/tampering.ts'
import { nodesContract } from './nodes.ts'
import { operatorsContract } from './operators.ts'
import { adminKeysContract } from './people/admin-keys.ts'
import { identitiesContract } from './people/identities.ts'
import { invitationsContract } from './people/invitations.ts'
import { membersContract } from './people/members.ts'
import { proofsContract } from './people/proofs.ts'
import { registrationContract } from './people/registration.ts'
import { sessionsContract } from './people/sessions.ts'
import { signInsContract } from './people/sign-ins.ts'
import { reasoningContract } from './reasoning.ts'
import { recordsContract } from './records.ts'
import { repetitionsContract } from './repetitions.ts'
import { responsesContract } from './responses.ts'
import { sharesContract } from './shares.ts'
import { taskRowsContract } from './task-rows.ts'
import { tasksContract } from './tasks.ts'
import { termsContract } from './terms.ts'
import { upstreamLimitsContract } from './upstreams/limits.ts'
import { verbsContract } from './verbs.ts'

export function storageContract(name: string, open: Open): void {
  describe(name, () => {
    let opened: Opened | undefined
    beforeEach(async () => {
      opened = await open()
    })
    afterEach(async () => {
      await opened?.close()
      opened = undefined
    })
    const use = (): Opened => {
      if (!opened) throw new Error('no store is open')
      return opened
    }
    describe('accounts, keys and meta', () => recordsContract(use))
    describe('registration', () => registrationContract(use))
    describe('pages and rotation of keys', () => consoleKeysContract(use))
    describe('people and members', () => membersContract(use))
    describe('admin keys', () => adminKeysContract(use))
    describe('identities', () => identitiesContract(use))
    describe('invitations', () => invitationsContract(use))
    describe('sessions', () => sessionsContract(use))
    describe('sign-ins', () => signInsContract(use))
    describe('proofs of addresses', () => proofsContract(use))
    describe('rejected requests', () => rejectedRequestsContract(use))
    describe('traffic', () => trafficContract(use))
    describe('limits of upstreams', () => upstreamLimitsContract(use))
    describe('refunds', () => refundsContract(use))
    describe('the ledger as a whole', () => wholeLedgerContract(use))
    describe('alerts', () => alertsContract(use))
    describe('audit log', () => auditLogContract(use))
    describe('codes', () => codesContract(use))
    describe('stored configuration', () => configurationContract(use))
    describe('spending', () => spendingContract(use))
    describe('upstreams', () => upstreamsContract(use))
    describe('history', () => historyContract(use))
    describe('what operators do', () => operatorsContract(use))
    describe('lists over all accounts', () => listsContract(use))
    describe('requests by status', () => requestStatusContract(use))
    describe('lists of customers', () => customersContract(use))
    describe('verbs', () => verbsContract(use))
    describe('repetitions', () => repetitionsContract(use))
    describe('limits', () => limitsContract(use))
    describe('caps', () => capsContract(use))
    describe('budgets', () => budgetsContract(use))
    describe('rows of budgets', () => budgetRowsContract(use))
    describe('races for budgets', () => budgetRacesContract(use))
    describe('attribution', () => attributionContract(use))
    describe('reports by attribution', () => attributedReportsContract(use))
    describe('credit lines and caps of accounts', () => creditLinesContract(use))
    describe('terms of keys', () => termsContract(use))
    describe('nodes and reaping', () => nodesContract(use))
    describe('leases and tasks', () => tasksContract(use))
    describe('contents', () => contentsContract(use))
    describe('rows of tasks', () => taskRowsContract(use))
    describe('media', () => mediaContract(use))
    describe('reasoning', () => reasoningContract(use))
    describe('responses', () => responsesContract(use))
    describe('shares of what is stored', () => sharesContract(use))
    describe('books', () => booksContract(use))
    describe('sealed months', () => sealingContract(use))
    describe('audits of sealed months', () => sealTamperingContract(use))
    describe('archived months', () => archivingContract(use))
    describe('the rules themselves', () => differentialContract(use))
  })
}
