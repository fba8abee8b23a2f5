// Rows as they come from either driver -> the gateway's types.

import { splitTags } from '../../money/budgets/attribution.ts'
import { type Limits, type Period, type Spent, spentIn } from '../../money/limits.ts'
import type { Account, Holder } from '../accounts.ts'
import { flag, integer, list, optional, type Row, small, text } from '../fields.ts'
import type { Caller, Ceiling, Key, KeyMaker, KeyPurpose, KeyTags, Operator, Restrictions } from '../keys.ts'

export { bytes, flag, integer, optional, type Row, small, text } from '../fields.ts'

export const toLimits = (row: Row): Limits => ({
  requestsPerMinute: optional(row.requests_per_minute, small),
  tokensPerMinute: optional(row.tokens_per_minute, small),
  concurrent: optional(row.concurrent, small),
})

export const toSpent = (row: Row): Spent => ({
  spentAt: small(row.spent_at),
  spentDay: integer(row.spent_day),
  weekBefore: integer(row.week_before),
  monthBefore: integer(row.month_before),
})

/** Its amount is text, since JSON has no 64-bit integers. */
export const ceilingText = (ceiling: Ceiling | undefined): string | null =>
  ceiling === undefined || Object.keys(ceiling).length === 0
    ? null
    : JSON.stringify({ ...ceiling, ...(ceiling.cap === undefined ? {} : { cap: String(ceiling.cap) }) })

function toCeiling(value: unknown): Ceiling {
  const { cap, ...ceiling } = JSON.parse(text(value)) as Omit<Ceiling, 'cap'> & { cap?: string }
  return cap === undefined ? ceiling : { ...ceiling, cap: BigInt(cap) }
}

const toRestrictions = (row: Row): Restrictions => ({
  models: optional(row.models, list),
  networks: optional(row.networks, list),
})

/** The cap of an account or a key, and what counts against it now. */
export function toCap(row: Row, now: number) {
  const capPeriod = optional(row.cap_period, (period) => period as Period)
  const spentUnderCap = capPeriod === undefined ? integer(row.spent) : spentIn(toSpent(row), capPeriod, now)
  return { cap: optional(row.cap, integer), capPeriod, spentUnderCap }
}

/** `now` by the store's clock: what was spent today depends on it. */
export function toAccount(row: Row, now: number): Account {
  const spent = toSpent(row)
  return {
    id: integer(row.id),
    name: text(row.name),
    balance: integer(row.balance),
    held: integer(row.held),
    creditLine: integer(row.credit_line),
    disabled: flag(row.disabled),
    limits: toLimits(row),
    ...toCap(row, now),
    spentToday: spentIn(spent, 'day', now),
    spentThisMonth: spentIn(spent, 'month', now),
    createdAt: small(row.created_at),
    deletedAt: optional(row.deleted_at, small),
  }
}

export function toKey(row: Row, now: number): Key {
  const spent = toSpent(row)
  return {
    id: integer(row.id),
    account: integer(row.account),
    person: optional(row.person, integer),
    operator: toOperator(row),
    name: text(row.name),
    group: text(row.group_name),
    deleted: flag(row.deleted),
    expiresAt: optional(row.expires_at, small),
    ...toCap(row, now),
    limits: toLimits(row),
    restrictions: toRestrictions(row),
    tags: splitTags(text(row.tags)),
    areTagsLocked: flag(row.tags_locked),
    lastFour: text(row.last_four),
    purpose: flag(row.company_token) ? 'token' : (text(row.purpose) as KeyPurpose),
    madeBy: text(row.made_by) as KeyMaker,
    ownSince: optional(row.own_since, small),
    ceiling: optional(row.ceiling, toCeiling) ?? {},
    revision: small(row.revision),
    formerUntil: Number(row.former_until) > now ? small(row.former_until) : undefined,
    spent: integer(row.spent),
    spentToday: spentIn(spent, 'day', now),
    spentThisMonth: spentIn(spent, 'month', now),
    held: integer(row.held),
    createdAt: small(row.created_at),
  }
}

function toOperator({ operator_person, operator_key }: Row): Operator | undefined {
  if (operator_key !== null) return { adminKey: integer(operator_key) }
  return operator_person === null ? undefined : { person: integer(operator_person) }
}

function toKeyTags({ tags, tags_locked, member_tags }: Row): KeyTags | undefined {
  const ofMember = splitTags(optional(member_tags, text) ?? '')
  if (tags === '' && ofMember.length === 0) return undefined
  return { tags: splitTags(text(tags)), areLocked: flag(tags_locked), ...(ofMember.length === 0 ? {} : { ofMember }) }
}

/** `owner`: of the account, if the account holder chose the key's group. */
export const toCaller = (row: Row, owner: Holder | undefined): Caller => ({
  key: integer(row.key),
  account: integer(row.account),
  group: text(row.group_name),
  groupChosenBy: owner,
  // An account that pays for company tokens may be that of a whole company.
  isRestricted:
    flag(row.company_token) || [row.cap, row.models, row.networks, row.own_since].some((value) => value !== null),
  ownSince: optional(row.own_since, small),
  revision: small(row.revision),
  deleted: flag(row.deleted),
  expiresAt: optional(row.expires_at, small),
  accountDisabled: flag(row.disabled),
  makerDisabled: flag(row.maker_disabled),
  disabledReason: text(row.disabled_reason),
  restrictions: toRestrictions(row),
  tags: toKeyTags(row),
  person: optional(row.person, integer),
  budgetsVersion: small(row.budgets_version) || undefined,
  limits: toLimits(row),
  accountLimits: toLimits(withPrefix(row, ACCOUNT_PREFIX)),
})

/** How columns are named where one row has those of an account and those of a key. */
export const ACCOUNT_PREFIX = 'account_'
export const KEY_PREFIX = 'key_'
export const withPrefix = (row: Row, prefix: string): Row =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value] as const] : [],
    ),
  )
