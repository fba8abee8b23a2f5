// The ledger as a whole, for operators: what its accounts hold, and the runs of its audit.
import type { Nanos } from '../../money/amount.ts'
import type { AuditActor } from './audit-log.ts'

/** All of one moment. A balance is what an account received less what it gave; all of them together are 0 in a correct ledger. */
export type BookBalances = {
  /** The sum of all wallets. */
  wallets: Nanos
  held: Nanos
  /** By the ids of money/book.ts. That of revenue is the sum of what was charged, not that of its transfers. */
  accounts: ReadonlyMap<bigint, Nanos>
}

export type AuditRun = {
  id: bigint
  startedAt: number
  /** undefined: it runs, or was stopped if `renewedAt` is long ago. */
  endedAt: number | undefined
  renewedAt: number
  actor: AuditActor
  step: number
  steps: number
  /** undefined: it has no result. */
  ok: boolean | undefined
  /** JSON. */
  report: string | undefined
}

export interface Books {
  balances(): Promise<BookBalances>
  /** Forgets all but the last runs. */
  beginAudit(actor: AuditActor): Promise<bigint>
  renewAudit(run: bigint, step: number, steps: number): Promise<void>
  /** `ok` undefined: it failed before it had a result. */
  endAudit(run: bigint, ok: boolean | undefined, report: string | undefined): Promise<void>
  /** Newest first, after and before these ids. */
  audits(range: { before?: bigint; after?: bigint }, limit: number): Promise<AuditRun[]>
}
