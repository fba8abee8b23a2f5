// What the gateway needs from a store: one interface by noun, two engines behind it (sqlite/, postgres/).

import type { Accounts } from './accounts.ts'
import type { Alerts } from './console/alerts.ts'
import type { AuditEntry, AuditLog } from './console/audit-log.ts'
import type { Books } from './console/books.ts'
import type { Codes } from './console/codes.ts'
import type { Configuration, ConfigurationWriter } from './console/configuration.ts'
import type { Lists } from './console/lists.ts'
import type { Notes } from './console/notes.ts'
import type { Refunds } from './console/refunds.ts'
import type { RejectedRequests } from './console/rejected-requests.ts'
import type { Reports } from './console/reports.ts'
import type { Spending } from './console/spending.ts'
import type { Traffic } from './console/traffic.ts'
import type { Upstreams } from './console/upstreams.ts'
import type { Contents } from './contents.ts'
import type { Keys } from './keys.ts'
import type { Leases } from './leases.ts'
import type { Ledger } from './ledger.ts'
import type { Media } from './media.ts'
import type { Meta, TableSize } from './meta.ts'
import type { JobRuns, Nodes } from './nodes.ts'
import type { AccountImports } from './people/account-imports.ts'
import type { AdminKeys } from './people/admin-keys.ts'
import type { Identities } from './people/identities.ts'
import type { Invitations } from './people/invitations.ts'
import type { Members } from './people/members.ts'
import type { People } from './people/people.ts'
import type { Sessions } from './people/sessions.ts'
import type { SignIns } from './people/sign-ins.ts'
import type { Reasoning } from './reasoning.ts'
import type { Responses } from './responses.ts'
import type { SealedRows } from './sealed-rows.ts'
import type { Shares } from './shares.ts'
import type { Tasks } from './tasks.ts'

export * from './accounts.ts'
export * from './console/alerts.ts'
export * from './console/audit-log.ts'
export * from './console/books.ts'
export * from './console/codes.ts'
export * from './console/configuration.ts'
export * from './console/lists.ts'
export * from './console/notes.ts'
export * from './console/pages.ts'
export * from './console/refunds.ts'
export * from './console/rejected-requests.ts'
export * from './console/reports.ts'
export * from './console/spending.ts'
export * from './console/traffic.ts'
export * from './console/upstreams.ts'
export * from './keys.ts'
export * from './leases.ts'
export * from './ledger.ts'
export * from './media.ts'
export * from './meta.ts'
export * from './nodes.ts'
export * from './people/account-imports.ts'
export * from './people/admin-keys.ts'
export * from './people/identities.ts'
export * from './people/invitations.ts'
export * from './people/members.ts'
export * from './people/people.ts'
export * from './people/sessions.ts'
export * from './people/sign-ins.ts'
export * from './reasoning.ts'
export * from './responses.ts'
export * from './sealed-rows.ts'
export * from './shares.ts'
export * from './tasks.ts'

export interface Storage {
  readonly ledger: Ledger
  readonly accounts: Accounts & AccountImports
  /** Who signs in. */
  readonly people: People
  /** Keys of the admin API. */
  readonly adminKeys: AdminKeys
  /** Who people are at providers of sign-ins. */
  readonly identities: Identities
  /** Links that let people join. */
  readonly invitations: Invitations
  /** Which people may use which account. */
  readonly members: Members
  readonly keys: Keys
  readonly leases: Leases
  readonly nodes: Nodes
  /** Background jobs, once for all nodes. */
  readonly jobRuns: JobRuns
  readonly meta: Meta
  /** Large values that are kept for a while, with a writer of their own. */
  readonly contents: Contents
  /** The records of stored images and videos. */
  readonly media: Media
  /** Video generations that last longer than a request. */
  readonly tasks: Tasks
  /** What conversations can be continued from. */
  readonly responses: Responses
  /** Reasoning state that a client's dialect cannot carry. */
  readonly reasoning: Reasoning
  /** What of all this is encrypted. */
  readonly sealedRows: SealedRows
  /** How much accounts may store. */
  readonly shares: Shares
  /** Browsers that are signed in to the console. */
  readonly sessions: Sessions
  /** Passwords, second factors, one-time links and attempts. */
  readonly signIns: SignIns
  /** Redemption codes. */
  readonly codes: Codes
  /** What operators note of accounts. */
  readonly notes: Notes
  readonly books: Books
  /** What operators are told of. */
  readonly alerts: Alerts
  /** Who changed what. */
  readonly auditLog: AuditLog
  /** Configuration beside the file, which `audited` writes. */
  readonly configuration: Configuration
  readonly rejectedRequests: RejectedRequests
  /** What was given back of what requests cost. */
  readonly refunds: Refunds
  /** Switches of upstreams, and what tests of them cost. */
  readonly upstreams: Upstreams
  /** Sums, lists and histories for the console. */
  readonly spending: Spending
  /** Pages over all accounts, for operators. */
  readonly lists: Lists
  /** Sums over all accounts, for operators. */
  readonly reports: Reports
  /** The same of the last hours and days. */
  readonly traffic: Traffic
  /** The same nouns, except that each write also adds `entry` to the audit log, in the same transaction. A rejected write adds nothing. */
  audited(entry: AuditEntry): Pick<
    Storage,
    | 'accounts'
    | 'people'
    | 'identities'
    | 'invitations'
    | 'members'
    | 'keys'
    | 'signIns'
    | 'codes'
    | 'notes'
    | 'books'
    | 'sessions'
    | 'adminKeys'
    | 'upstreams'
    | 'refunds'
    | 'alerts'
  > & {
    configuration: ConfigurationWriter
  }
  /** `listener` is called after every change of a key, of an account's state or of its funds that this process makes, before it resolves. */
  onChange(listener: () => void): void
  /** The store's clock, in milliseconds since 1970. */
  now(): number
  /** Resolves if the store answers, rejects with StoreDown if it does not. */
  ping(): Promise<void>
  /** About how much each table takes, the largest first. May read the whole database, slowly. */
  sizes(): Promise<TableSize[]>
  /** In what its tables differ from those of their version, in words; empty: in nothing. */
  tableDifferences(): Promise<string[]>
  close(): Promise<void>
}

/** A file that is damaged was moved aside. `reason`: what is wrong with it. `lost`: what was in it. */
export type Damage = { file: string; movedTo: string; reason: string; lost: string }

/** Another process owns the data folder. */
export class FolderInUse extends Error {
  override name = 'FolderInUse'
  /** Its pid, as text; `unknown` if it has not written it. */
  readonly owner: string
  constructor(folder: string, owner: string) {
    super(`${folder} is in use by process ${owner}: one process owns a data folder`)
    this.owner = owner
  }
}

/** There is no database to open, and the caller may not create one. */
export class NoDatabase extends Error {
  override name = 'NoDatabase'
}

/** The store did not answer or failed a whole batch: whether the verb took effect is unknown. Retry later. */
export class StoreDown extends Error {
  override name = 'StoreDown'
}
