// Everything of Storage that both engines share: all nouns but the ledger's verbs and the contents.
import type { Meta } from '../meta.ts'
import type { Storage } from '../storage.ts'
import { accountsOver } from './accounts.ts'
import { alertsOver } from './console/alerts.ts'
import { auditLogOver, insertAuditEntry } from './console/audit-log.ts'
import { clusterOver } from './console/cluster.ts'
import { codesOver } from './console/codes.ts'
import { configurationOver, configurationWriter } from './console/configuration.ts'
import { notesOver } from './console/notes.ts'
import { refundsOver } from './console/refunds.ts'
import { rejectedRequestsOver } from './console/rejected-requests.ts'
import { reportsOver } from './console/reports.ts'
import { spendingOver } from './console/spending.ts'
import { trafficOver } from './console/traffic.ts'
import { upstreamsOver } from './console/upstreams.ts'
import { checkText } from './guard.ts'
import { keysOver } from './keys.ts'
import { booksOver } from './lists/books.ts'
import { listsOver } from './lists/lists.ts'
import { adminKeysOver } from './people/admin-keys.ts'
import { identitiesOver } from './people/identities.ts'
import { invitationsOver } from './people/invitations.ts'
import { membersOver } from './people/members.ts'
import { peopleOver } from './people/people.ts'
import { sessionsOver } from './people/sessions.ts'
import { signInsOver } from './people/sign-ins.ts'
import { type Connection, type Database, putMeta, type Statement, statement } from './statements.ts'

type Nouns = Pick<
  Storage,
  | 'accounts'
  | 'people'
  | 'adminKeys'
  | 'identities'
  | 'invitations'
  | 'members'
  | 'keys'
  | 'nodes'
  | 'jobRuns'
  | 'meta'
  | 'sessions'
  | 'signIns'
  | 'codes'
  | 'notes'
  | 'spending'
  | 'alerts'
  | 'auditLog'
  | 'configuration'
  | 'rejectedRequests'
  | 'refunds'
  | 'books'
  | 'upstreams'
  | 'lists'
  | 'reports'
  | 'traffic'
>

export function nounsOver(connection: Connection): Nouns & Pick<Storage, 'onChange' | 'audited' | 'now'> {
  const { db, runner, clock } = connection
  const listeners: (() => void)[] = []
  /** Also after an error: the list may have been committed. */
  async function write(statements: readonly Statement[]): ReturnType<typeof runner.write> {
    try {
      return await runner.write(statements)
    } finally {
      if (statements.some(({ isChange }) => isChange)) for (const listener of listeners) listener()
    }
  }
  return {
    ...nouns({ ...connection, runner: { ...runner, write } }),
    now: clock,
    onChange: (listener) => listeners.push(listener),
    audited(entry) {
      const withEntry: typeof write = (statements) => write([...statements, insertAuditEntry(db, entry, clock())])
      const audited = { ...connection, runner: { ...runner, write: withEntry } }
      return { ...nouns(audited), configuration: configurationWriter(audited, entry) }
    },
  }
}

const nouns = (connection: Connection): Nouns => ({
  accounts: accountsOver(connection),
  people: peopleOver(connection),
  adminKeys: adminKeysOver(connection),
  identities: identitiesOver(connection),
  invitations: invitationsOver(connection),
  members: membersOver(connection),
  keys: keysOver(connection),
  ...clusterOver(connection),
  meta: metaOver(connection),
  sessions: sessionsOver(connection),
  signIns: signInsOver(connection),
  codes: codesOver(connection),
  notes: notesOver(connection),
  alerts: alertsOver(connection),
  auditLog: auditLogOver(connection),
  configuration: configurationOver(connection),
  rejectedRequests: rejectedRequestsOver(connection),
  refunds: refundsOver(connection),
  books: booksOver(connection),
  upstreams: upstreamsOver(connection),
  spending: spendingOver(connection),
  lists: listsOver(connection),
  reports: reportsOver(connection),
  traffic: trafficOver(connection),
})

const metaOver = ({ db, runner }: Connection): Meta => ({
  async get(name) {
    return (await runner.read(getMeta(db, checkText('name', name))))[0]?.value as string | undefined
  },
  async setOnce(name, value) {
    const row = { name: checkText('name', name), value: checkText('value', value) }
    const insert = db.insertInto('meta').values(row)
    const once = insert.onConflict((conflict) => conflict.column('name').doNothing())
    const rows = await runner.write([statement(once), getMeta(db, name)])
    return rows?.[1]?.[0]?.value as string
  },
  async set(name, value) {
    await runner.write([putMeta(db, checkText('name', name), checkText('value', value))])
  },
})

const getMeta = (db: Database, name: string): Statement =>
  statement(db.selectFrom('meta').select('value').where('name', '=', name))
