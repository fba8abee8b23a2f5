// API keys, and the callers they authenticate.
import type { Nanos } from '../money/amount.ts'
import type { Limits, Period } from '../money/limits.ts'
import type { Holder } from './accounts.ts'

/** What a key may be used for, besides its group. undefined: no restriction. */
export type Restrictions = {
  models: readonly string[] | undefined
  /** IP addresses and CIDR blocks that requests may come from. */
  networks: readonly string[] | undefined
}

export const NO_RESTRICTIONS: Restrictions = { models: undefined, networks: undefined }

export type Key = {
  id: bigint
  account: bigint
  /** Who made it in the console; undefined: an operator. */
  person: bigint | undefined
  /** The operator who made it, or learned its secret; undefined: none, or the command line. */
  operator: Operator | undefined
  name: string
  group: string
  deleted: boolean
  expiresAt: number | undefined
  cap: Nanos | undefined
  /** undefined: the cap covers all time. */
  capPeriod: Period | undefined
  limits: Limits
  restrictions: Restrictions
  /** Requests carry them by default. */
  tags: readonly string[]
  /** By the operator: neither the holder nor a request changes them. */
  areTagsLocked: boolean
  /** The end of the secret; empty for keys that were created before it was kept. */
  lastFour: string
  /** `playground`: the built-in key of the console, which no client holds; `token`: that of a person's company tokens. */
  purpose: KeyPurpose
  madeBy: KeyMaker
  /** It sees only what was made with it since then; undefined: no such bound. */
  ownSince: number | undefined
  ceiling: Ceiling
  /** Grows with every change of the terms. */
  revision: number
  /** Until when the former secret works, too, after a rotation. */
  formerUntil: number | undefined
  spent: Nanos
  /** What counts against the cap now: in all, or in the present period. */
  spentUnderCap: Nanos
  spentToday: Nanos
  spentThisMonth: Nanos
  held: Nanos
  createdAt: number
}

/** A person with a role in the gateway, or a key of the admin API. */
export type Operator = { person: bigint } | { adminKey: bigint }

/** What was made with a key, not earlier than a time. */
export type MadeWith = { key: bigint; since: number }

export type KeyPurpose = 'client' | 'playground' | 'token'

/**
 * Who made a key. `sign-up`: a session of a person who has not proved the address; `console`: any other session; `command-line` and
 * `first-start`: the operator.
 */
export type KeyMaker = 'sign-up' | 'console' | 'command-line' | 'first-start'

/** The owner of a secret, as authentication needs it. */
export type Caller = {
  key: bigint
  account: bigint
  group: string
  /** Set if the account holder chose the group, which works only while it is offered to that account. undefined: the operator did. */
  groupChosenBy: Holder | undefined
  /**
   * It sees only what was made with it: it has a cap, or may use only some models or networks, or an operator learned its secret, or company
   * tokens count under it.
   */
  isRestricted: boolean
  ownSince: number | undefined
  /** Version of everything cached here; a hold with an outdated revision is rejected. */
  revision: number
  deleted: boolean
  expiresAt: number | undefined
  accountDisabled: boolean
  /** The person who made it. */
  makerDisabled: boolean
  /** As the operator gave it, for the caller; empty: none. */
  disabledReason: string
  restrictions: Restrictions
  limits: Limits
  accountLimits: Limits
  /** Those of the key, and of the member who made it. Absent: there are none. */
  tags?: KeyTags | undefined
  /** Who made the key. Absent: an operator. */
  person?: bigint | undefined
  /** Version of the budgets of the account. Absent: it never had any. */
  budgetsVersion?: number | undefined
  /** The hash by which its key is found, if it came with a company token; the group and the tags are then the token's, too. */
  tokenKey?: Uint8Array
}

/** Tags that requests with a key carry. */
export type KeyTags = {
  tags: readonly string[]
  areLocked: boolean
  /** What the member who made the key brings: what the key or the request says of the same name holds in place of it. */
  ofMember?: readonly string[]
}

export type NewKey = {
  account: bigint
  person?: bigint
  /** `isolated`: it sees only what is made with it. */
  operator?: Operator | undefined
  isolated?: boolean
  /** SHA-256 of the secret; the secret itself never reaches a store. */
  hash: Uint8Array
  lastFour?: string
  purpose?: KeyPurpose
  madeBy: KeyMaker
  name: string
  group: string
  expiresAt: number | undefined
  cap: Nanos | undefined
  capPeriod: Period | undefined
  limits: Limits
  restrictions: Restrictions
  tags?: readonly string[] | undefined
  areTagsLocked?: boolean | undefined
  ceiling?: Ceiling
}

/** What the operator set on a key (access/ceilings.ts); absent: the account holder decides. */
export type Ceiling = Partial<Pick<Key, 'group' | 'expiresAt' | 'cap' | 'capPeriod'> & Limits & Restrictions>

/** What can be changed later. A field that is present and undefined is removed; an absent field stays. */
export type KeyChanges = Partial<Pick<Key, 'name' | 'ceiling' | 'tags' | 'areTagsLocked'>> & Ceiling

export type KeyFilter = {
  /** `active`: neither deleted nor expired. */
  state?: 'active' | 'expired' | 'deleted'
  purpose?: KeyPurpose
  /** Only keys that this person made. */
  person?: bigint
  /** Part of the name, in any case, or the last four characters of the secret. */
  name?: string
  /** Only keys with a lower id. */
  before?: bigint
}

/**
 * `formerUntil`: how long the secret that it replaces still works. `person`: who learns the new one; undefined: an operator. `learned`: from
 * now on, who has learned it and whether the key sees only what is made with it; absent: as it is.
 */
export type NewSecret = {
  hash: Uint8Array
  lastFour: string
  formerUntil: number | undefined
  person?: bigint
  learned?: { operator: Operator | undefined; isolated: boolean }
}
