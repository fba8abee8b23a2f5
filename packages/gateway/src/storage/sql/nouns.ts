// Everything of Storage that both engines share: all nouns but the ledger's verbs.

import { type ArchivedConnection, archivedListsOver, archivedSpendingOver } from '../archive/lists.ts'
import { archiveOver } from '../archive/noun.ts'
import type { AuditEntry } from '../console/audit-log.ts'
import { accountsOver } from './accounts.ts'
import { attributedSumsOver } from './budgets/attributed-sums.ts'
import { attributionSweepsOver } from './budgets/attribution-sweeps.ts'
import { budgetsOver } from './budgets/budgets.ts'
import { alertsOver } from './console/alerts.ts'
import { auditLogOver, insertAuditEntry } from './console/audit-log.ts'
import { clusterOver } from './console/cluster.ts'
import { codesOver } from './console/codes.ts'
import { configurationOver, configurationWriter } from './console/configuration.ts'
import { notesOver } from './console/notes.ts'
import { refundsOver } from './console/refunds.ts'
import { rejectedRequestsOver } from './console/rejected-requests.ts'
import { reportsOver } from './console/reports.ts'
import { trafficOver } from './console/traffic.ts'
import { upstreamsOver } from './console/upstreams.ts'
import { type Ask, type ContentDialect, contentsOver } from './contents.ts'
import { checkText } from './guard.ts'
import { keysOver } from './keys.ts'
import { booksOver } from './lists/books.ts'
import { mediaOver } from './media.ts'
import { monthsOver } from './months/sealing.ts'
import { noticesOver } from './notices/notices.ts'
import { adminKeysOver } from './people/admin-keys.ts'
import { identitiesOver } from './people/identities.ts'
import { invitationsOver } from './people/invitations.ts'
import { membersOver } from './people/members.ts'
import { peopleOver } from './people/people.ts'
import { sessionsOver } from './people/sessions.ts'
import { signInsOver } from './people/sign-ins.ts'
import { reasoningOver } from './reasoning.ts'
import { responsesOver } from './responses.ts'
import { sealedRowsOver } from './sealed-rows.ts'
import { sharesOver } from './shares/shares.ts'
import { type Connection, type Database, putMeta, type Statement, statement } from './statements.ts'
import { upstreamLimitsOver } from './upstreams/limits.ts'

export function nounsOver(connection: ArchivedConnection) {
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
    /** The store's clock, in milliseconds since 1970. */
    now: clock,
    /** `listener` is called after every change of a key, of an account's state or of its funds that this process makes, before it resolves. */
    onChange: (listener: () => void): void => void listeners.push(listener),
    /** The same nouns, except that each write also adds `entry` to the audit log, in the same transaction. A rejected write adds nothing. */
    audited(entry: AuditEntry) {
      const withEntry: typeof write = (statements) => write([...statements, insertAuditEntry(db, entry, clock())])
      const audited = { ...connection, runner: { ...runner, write: withEntry } }
      return { ...nouns(audited), configuration: configurationWriter(audited, entry) }
    },
  }
}

const nouns = (connection: ArchivedConnection) => ({
  accounts: accountsOver(connection),
  /** Who signs in. */
  people: peopleOver(connection),
  /** Keys of the admin API. */
  adminKeys: adminKeysOver(connection),
  /** Who people are at providers of sign-ins. */
  identities: identitiesOver(connection),
  /** Links that let people join. */
  invitations: invitationsOver(connection),
  /** Which people may use which account. */
  members: membersOver(connection),
  keys: keysOver(connection),
  ...clusterOver(connection),
  meta: metaOver(connection),
  /** Browsers that are signed in to the console. */
  sessions: sessionsOver(connection),
  /** Passwords, second factors, one-time links and attempts. */
  signIns: signInsOver(connection),
  /** What was spent by tag, and by end user. */
  attribution: { ...attributedSumsOver(connection), ...attributionSweepsOver(connection) },
  /** How much may be spent on one thing. */
  budgets: budgetsOver(connection),
  /** Redemption codes. */
  codes: codesOver(connection),
  /** What operators note of accounts. */
  notes: notesOver(connection),
  /** What operators are told of. */
  alerts: alertsOver(connection),
  /** What account holders are told of. */
  notices: noticesOver(connection),
  /** Who changed what. */
  auditLog: auditLogOver(connection),
  /** Configuration beside the file, which `audited` writes. */
  configuration: configurationOver(connection),
  rejectedRequests: rejectedRequestsOver(connection),
  /** What was given back of what requests cost. */
  refunds: refundsOver(connection),
  books: booksOver(connection),
  /** Months of the ledger that are closed. */
  months: monthsOver(connection),
  /** Rows of sealed months that are in files. */
  archive: archiveOver(connection),
  /** Switches of upstreams, and what tests of them cost. */
  upstreams: upstreamsOver(connection),
  /** What is used of limits of upstreams and routes, and which process may use the rest. */
  upstreamLimits: upstreamLimitsOver(connection),
  /** Sums, lists and histories for the console. */
  spending: archivedSpendingOver(connection),
  /** Pages over all accounts, for operators. */
  lists: archivedListsOver(connection),
  /** Sums over all accounts, for operators. */
  reports: reportsOver(connection),
  /** The same of the last hours and days. */
  traffic: trafficOver(connection),
})

/** Large values that are kept for a while, apart from the ledger. */
export function contentNounsOver(ask: Ask, dialect: ContentDialect) {
  const { shares, rooms } = sharesOver(ask, dialect)
  return {
    contents: contentsOver(ask, rooms.stored),
    /** The records of stored images and videos. */
    media: mediaOver(ask, rooms.media),
    /** What conversations can be continued from. */
    responses: responsesOver(ask, dialect, rooms.stored),
    /** Reasoning state that a client's dialect cannot carry. */
    reasoning: reasoningOver(ask, dialect),
    /** What of all this is encrypted. */
    sealedRows: sealedRowsOver(ask),
    /** How much accounts may store. */
    shares,
  }
}

/** Facts about the store itself, such as the fingerprint of its secret. */
const metaOver = ({ db, runner }: Connection) => ({
  async get(name: string): Promise<string | undefined> {
    return (await runner.read(getMeta(db, checkText('name', name))))[0]?.value as string | undefined
  },
  /** Keeps the first value ever set and returns the one in force. */
  async setOnce(name: string, value: string): Promise<string> {
    const row = { name: checkText('name', name), value: checkText('value', value) }
    const insert = db.insertInto('meta').values(row)
    const once = insert.onConflict((conflict) => conflict.column('name').doNothing())
    const rows = await runner.write([statement(once), getMeta(db, name)])
    return rows?.[1]?.[0]?.value as string
  },
  async set(name: string, value: string): Promise<void> {
    await runner.write([putMeta(db, checkText('name', name), checkText('value', value))])
  },
})

const getMeta = (db: Database, name: string): Statement =>
  statement(db.selectFrom('meta').select('value').where('name', '=', name))
