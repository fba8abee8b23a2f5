// The verbs of the ledger and their results.
import type { Nanos } from './amount.ts'
import { TASK_NODE } from './book.ts'
import type { Attribution } from './budgets/attribution.ts'

/**
 * A request and its owner: the node with this id at this epoch, or, with TASK_NODE, the holder of the task's lease at this
 * epoch. A task's hold survives restarts and the death of nodes, is not a running request, and has a deadline. Its end is
 * never journaled: the holder of the lease retries it until the store responds.
 */
export type Owned = { id: bigint; nodeId: number; epoch: number }
export const taskOwner = (id: bigint, leaseEpoch: number): Owned => ({ id, nodeId: TASK_NODE, epoch: leaseEpoch })
/** The name of the lease that a task's request is ended under. */
export const taskLease = (id: bigint): string => `task/${id}`

/**
 * What a request counts against beside its account and key. `budgets`: ids, at most MOST_BUDGETS; those that do not exist any more are left
 * out. Both are absent where there is nothing to say.
 */
export type Counted = { budgets?: readonly bigint[] | undefined; attribution?: Attribution | undefined }

export type Hold = Owned &
  Counted & {
    verb: 'hold'
    account: bigint
    key: bigint
    /** The key as the caller knows it. */
    revision: number
    /** It can be extended, so it need not reserve all that is available at once. */
    extensible: boolean
    /** Requested, and the least that is accepted; what is available in between is granted. */
    amount: Nanos
    minimum: Nanos
    /** The same in tokens, for limits per minute. */
    tokens: number
    minimumTokens: number
    model: string
    upstream: string
    /** When the reaper voids the hold of a task, by the store's clock; undefined: the hold belongs to a node. */
    deadline?: number | undefined
  }
/** `known`: what the owner knows to be held. If more is held, this extension took effect and its response was lost. */
export type Extend = Owned & {
  verb: 'extend'
  known: Nanos
  amount: Nanos
  minimum: Nanos
  /** Reserved with `amount`; if less money is granted, proportionally fewer tokens are. */
  tokens: number
  progress: Nanos
  /** All that is available may be granted, as to a hold that cannot be extended. */
  whole?: true
}
/**
 * `tokens`: all that the request used. `upstream`: which one answered; absent: that of the hold. `upstreamCost`: what the operator pays for
 * it; absent: that is not known. `model`: that of the hold, for metrics; like `account`, `key` and what is counted, by which a journal can charge a request
 * that the database lost, the ledger does not read it.
 */
export type Settle = Owned &
  Counted & {
    verb: 'settle'
    cost: Nanos
    tokens: number
    outcome: string
    receipt: string
    upstream?: string | undefined
    upstreamCost?: Nanos | undefined
    model?: string | undefined
    account?: bigint | undefined
    key?: bigint | undefined
  }
export type Void = Owned & { verb: 'void'; outcome: string; receipt: string }
export type Finish = Settle | Void
/**
 * The hold of a task becomes that of the node that runs it: from then on it is a running request like any other, for limits, the reaper
 * and its end. `lease`: the epoch at which the node has the task's lease.
 */
export type Begin = Owned & { verb: 'begin'; lease: number }
/**
 * A request that the ledger does not know, although its hold was confirmed: the database lost commits. It is entered again as running
 * under its owner, with nothing held, so that its journaled settlement finds it.
 */
export type Restore = Owned &
  Counted & { verb: 'restore'; account: bigint; key: bigint; model: string; upstream: string }
/** The request `by` is about to run in place of `id`, with the same idempotency key. */
export type TakeOver = { verb: 'take_over'; id: bigint; by: bigint }
/** Charges what was delivered and neither paid for itself nor by a repetition. */
export type Collect = { verb: 'collect'; limit: number }
export type RequestVerb = Hold | Extend | Finish
export type Reap = { verb: 'reap'; limit: number }
/**
 * `join` claims a node id for a new process, with a higher epoch than all before. `takeover`: the former process of that id is
 * known to be dead, because the caller owns the database file; its lease need not expire first.
 */
export type Join = { verb: 'join'; nodeId: number; config: string; takeover?: boolean }
/**
 * `witness`: what the database has confirmed to this node; a database without it has lost commits. Absent: its commits cannot get lost
 * while the process lives.
 */
export type Renew = { verb: 'renew'; nodeId: number; epoch: number; config: string; witness?: Witness }
/** How many renewals were confirmed, and the last request whose end was since then. */
export type Witness = { renewals: number; ended: bigint | undefined }
export type Leave = { verb: 'leave'; nodeId: number; epoch: number }
/** `holder`: unique per process; it makes an acquisition whose response was lost repeatable. */
/** `longestMs`: no holder has the lease for longer. One that seems to got it before the clock was set back: it has expired. */
export type AcquireLease = {
  verb: 'acquire_lease'
  lease: string
  holder: string
  ttlMs: number
  longestMs?: number
}
export type RenewLease = { verb: 'renew_lease'; lease: string; epoch: number; ttlMs: number }
export type ReleaseLease = { verb: 'release_lease'; lease: string; epoch: number }
export type LeaseVerb = AcquireLease | RenewLease | ReleaseLease
export type Verb =
  | Hold
  | Extend
  | Settle
  | Void
  | Begin
  | Restore
  | TakeOver
  | Collect
  | Reap
  | Join
  | Renew
  | Leave
  | LeaseVerb

export type VerbRejection =
  | LackOfFunds
  | 'key_invalid'
  | 'key_expired'
  | 'key_changed'
  | 'account_disabled'
  | 'node_lost'
  | 'node_taken'
  | 'commits_lost'
  | 'lease_taken'
  | 'lease_lost'
  | 'unknown_request'
  | 'not_open'
  | Limited

/** The request is too expensive for the balance or a cap; a cheaper one may pass. */
export const isLackOfFunds = (verdict: string): verdict is LackOfFunds =>
  (LACKS_OF_FUNDS as readonly string[]).includes(verdict)
const LACKS_OF_FUNDS = [
  'no_balance',
  'key_cap_reached',
  'member_cap_reached',
  'account_cap_reached',
  'budget_reached',
] as const
type LackOfFunds = (typeof LACKS_OF_FUNDS)[number]

/** A limit of the key or of the account is reached for now. */
export type Limited = `${'key' | 'account'}_${'concurrent' | 'requests' | 'tokens'}`

export type Result = {
  verdict: 'done' | 'repeated' | VerbRejection
  /**
   * hold, extend: granted. begin: held. settle, void: charged. reap: how many. join, acquire_lease: the epoch. renew: how
   * many renewals there were. take_over: done: the first request that is repeated, 0 if it need not be remembered; repeated: it was charged
   * this, or will be. collect: how many. Rejected for lack of money: what
   * is available; by a limit: milliseconds until there is room again, 0 if that depends on other requests.
   */
  amount: bigint
  /** hold, extend, begin: tokens granted. */
  tokens: number
  /** settle, void, reap, collect: how much more accounts are charged since this verb; negative where it corrects what was reaped. */
  change: Nanos
  /** budget_reached: which one. */
  budget?: bigint
  /** hold, done: what was left under each of its budgets before it, in their order; undefined for one that limits nothing. */
  budgetsLeft?: readonly (Nanos | undefined)[]
}

export const done = (amount: bigint, tokens = 0, change = 0n): Result => ({ verdict: 'done', amount, tokens, change })
export const repeated = (amount: bigint, tokens = 0): Result => ({ verdict: 'repeated', amount, tokens, change: 0n })
export const rejected = (verdict: VerbRejection, amount: bigint = 0n, budget?: bigint): Result => ({
  verdict,
  amount,
  tokens: 0,
  change: 0n,
  ...(budget === undefined ? {} : { budget }),
})
/** `repeated` is the result of a verb that took effect earlier. */
export const isDone = ({ verdict }: Result): boolean => verdict === 'done' || verdict === 'repeated'
