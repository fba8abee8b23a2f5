// What every engine must do, as tests. An engine's own test file only says how to open it.
import { afterEach, beforeEach, describe } from 'bun:test'
import { booksContract } from './contract/books.ts'
import { capsContract } from './contract/caps.ts'
import { alertsContract } from './contract/console/alerts.ts'
import { auditLogContract } from './contract/console/audit-log.ts'
import { codesContract } from './contract/console/codes.ts'
import { configurationContract } from './contract/console/configuration.ts'
import { customersContract } from './contract/console/customers.ts'
import { historyContract } from './contract/console/history.ts'
import { consoleKeysContract } from './contract/console/keys.ts'
import { listsContract } from './contract/console/lists.ts'
import { refundsContract } from './contract/console/refunds.ts'
import { rejectedRequestsContract } from './contract/console/rejected-requests.ts'
import { requestStatusContract } from './contract/console/request-status.ts'
import { spendingContract } from './contract/console/spending.ts'
import { trafficContract } from './contract/console/traffic.ts'
import { upstreamsContract } from './contract/console/upstreams.ts'
import { wholeLedgerContract } from './contract/console/whole-ledger.ts'
import { contentsContract } from './contract/contents.ts'
import { creditLinesContract } from './contract/credit-lines.ts'
import { differentialContract } from './contract/differential.ts'
import type { Open, Opened } from './contract/harness.ts'
import { limitsContract } from './contract/limits.ts'
import { mediaContract } from './contract/media.ts'
import { nodesContract } from './contract/nodes.ts'
import { operatorsContract } from './contract/operators.ts'
import { adminKeysContract } from './contract/people/admin-keys.ts'
import { identitiesContract } from './contract/people/identities.ts'
import { invitationsContract } from './contract/people/invitations.ts'
import { membersContract } from './contract/people/members.ts'
import { proofsContract } from './contract/people/proofs.ts'
import { registrationContract } from './contract/people/registration.ts'
import { sessionsContract } from './contract/people/sessions.ts'
import { signInsContract } from './contract/people/sign-ins.ts'
import { reasoningContract } from './contract/reasoning.ts'
import { recordsContract } from './contract/records.ts'
import { repetitionsContract } from './contract/repetitions.ts'
import { responsesContract } from './contract/responses.ts'
import { sharesContract } from './contract/shares.ts'
import { taskRowsContract } from './contract/task-rows.ts'
import { tasksContract } from './contract/tasks.ts'
import { termsContract } from './contract/terms.ts'
import { verbsContract } from './contract/verbs.ts'

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
    describe('the rules themselves', () => differentialContract(use))
  })
}
