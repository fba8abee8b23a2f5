// What the gateway needs from a store: its nouns are in sql/, and two engines run their statements (sqlite/, postgres/).

import type { ledgerReportsOver } from './archive/lists.ts'
import type { Leases } from './leases.ts'
import type { LedgerVerbs } from './ledger.ts'
import type { contentNounsOver, nounsOver } from './sql/nouns.ts'
import type { TableSize } from './sql/sizes.ts'
import type { tasksOver } from './sql/tasks.ts'

export * from './accounts.ts'
export type * from './console/alerts.ts'
export { ANY_OBJECT } from './console/alerts.ts'
export * from './console/audit-log.ts'
export * from './console/budgets.ts'
export type * from './console/codes.ts'
export type * from './console/configuration.ts'
export type * from './console/lists.ts'
export { TRANSFER_KINDS } from './console/lists.ts'
export * from './console/notices.ts'
export * from './console/pages.ts'
export * from './console/reports.ts'
export * from './console/spending.ts'
export type * from './console/upstreams.ts'
export { SWITCH_STATES } from './console/upstreams.ts'
export * from './errors.ts'
export * from './keys.ts'
export * from './leases.ts'
export type * from './ledger.ts'
export type * from './media.ts'
export type * from './nodes.ts'
export * from './people/account-imports.ts'
export type * from './people/admin-keys.ts'
export type * from './people/identities.ts'
export * from './people/members.ts'
export type * from './people/people.ts'
export { FIRST_PERSON, GATEWAY_ROLES } from './people/people.ts'
export type * from './people/sessions.ts'
export * from './people/sign-ins.ts'
export * from './reasoning.ts'
export type * from './responses.ts'
export * from './sealed-rows.ts'
export * from './shares.ts'
export type * from './sql/console/notes.ts'
export type * from './sql/console/refunds.ts'
export type * from './sql/console/rejected-requests.ts'
export type * from './sql/console/traffic.ts'
export type * from './sql/lists/books.ts'
export { monthName } from './sql/months/bounds.ts'
export type { MonthsState } from './sql/months/sealing.ts'
export type * from './sql/people/invitations.ts'
export type { TableSize } from './sql/sizes.ts'
export type * from './tasks.ts'
export { TASK_STATES } from './tasks.ts'
export * from './upstreams/limits.ts'

export type Ledger = LedgerVerbs & ReturnType<typeof ledgerReportsOver>

/** `check` throws what is missing; `advice` says what to do then. */
export type Requirement = {
  name: string
  advice: string
  check(): Promise<string | { note: string; warnings: readonly string[] }>
}

export interface Storage extends ReturnType<typeof nounsOver>, ReturnType<typeof contentNounsOver> {
  readonly ledger: Ledger
  readonly leases: Leases
  /** Generations that last longer than a request. */
  readonly tasks: ReturnType<typeof tasksOver>
  /** Resolves if the store answers, rejects with StoreDown if it does not. */
  ping(): Promise<void>
  /** About how much each table takes, the largest first. May read the whole database, slowly. */
  sizes(): Promise<TableSize[]>
  /** In what its tables differ from those of their version, in words; empty: in nothing. */
  tableDifferences(): Promise<string[]>
  /** What this engine needs of its database; none of a database that it brings along. */
  readonly requirements: readonly Requirement[]
  close(): Promise<void>
}

export type Accounts = Storage['accounts']
export type Alerts = Storage['alerts']
export type Notices = Storage['notices']
export type AttributedUsage = Storage['attribution']
export type AuditLog = Storage['auditLog']
export type Budgets = Storage['budgets']
export type Books = Storage['books']
export type RejectedRequests = Storage['rejectedRequests']
export type Reports = Storage['reports']
export type Spending = Storage['spending']
export type Contents = Storage['contents']
export type Keys = Storage['keys']
export type Months = Storage['months']
export type Archive = Storage['archive']
export type Media = Storage['media']
export type Meta = Storage['meta']
export type Nodes = Storage['nodes']
export type JobRuns = Storage['jobRuns']
export type Identities = Storage['identities']
export type Members = Storage['members']
export type Sessions = Storage['sessions']
export type SignIns = Storage['signIns']
export type Reasoning = Storage['reasoning']
export type Responses = Storage['responses']
export type Shares = Storage['shares']
export type Tasks = Storage['tasks']
export type UpstreamLimits = Storage['upstreamLimits']
