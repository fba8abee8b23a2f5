// What happened when, as the reference model keeps it.
import type { Nanos } from '../../packages/gateway/src/money/amount.ts'

/** `owner`: of a key or an account, whose ids differ here. `counted`: under a limit, so that the ledger has to know of it. */
export type Begun = { owner: bigint; at: number; counted: boolean }
/** Reserved at a time for a request, less what it gave back. */
export type Reserved = { owner: bigint; request: bigint; at: number; tokens: number }
type Paid = { owner: bigint; at: number; amount: Nanos }
export type Happened = { begun: readonly Begun[]; reserved: readonly Reserved[]; paid: readonly Paid[] }

export const NOTHING_HAPPENED: Happened = { begun: [], reserved: [], paid: [] }
