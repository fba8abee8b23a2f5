// What account holders are told: notices, up to where they were told, an outbox, and where each wants to be told.
import type { Nanos } from '../../money/amount.ts'
import type { BudgetTerms } from '../../money/budgets/budget.ts'
import { fieldsOf, integer, maybe, small, text, word } from '../fields.ts'
import type { BudgetSubject } from './budgets.ts'

/** `key`: one was stopped. */
export const NOTICE_KINDS = ['budget', 'balance', 'key', 'statement'] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

/** Why a notice is listed without being sent; '': it is sent. */
export type Withheld = '' | 'hour' | 'queue'

export const toNotice = fieldsOf({
  id: integer,
  account: integer,
  kind: word<NoticeKind>(),
  /** The member whose key or cap it is about; undefined: only owners are told. */
  person: maybe(integer),
  /** What letters and webhooks say, as JSON. */
  facts: text,
  at: small,
  withheld: word<Withheld>(),
})
export type Notice = ReturnType<typeof toNotice>
export type NewNotice = Omit<Notice, 'id'>

/** A crossing is told of once: of a subject, the highest level in a period, of an amount. `period`: never before the one that is known. */
export type NoticeMark = { account: bigint; subject: string; period: number; basis: bigint; level: number }

/** `sending`: as long as a process is at it. `unknown`: it ended meanwhile, and nobody knows whether it arrived. */
export const NOTICE_STATES = ['waiting', 'sending', 'sent', 'failed', 'unknown'] as const
export type NoticeState = (typeof NOTICE_STATES)[number]

export const toNoticeDelivery = fieldsOf({
  id: integer,
  notice: integer,
  account: integer,
  /** Who gets the email; undefined: the account's webhook gets it. */
  person: maybe(integer),
  state: word<NoticeState>(),
  tries: small,
  dueAt: small,
  error: text,
})
export type NoticeDelivery = ReturnType<typeof toNoticeDelivery>

export type NoticeWebhook = { url: string; setAt: number }

/** One of the people of an account, whose address is proved and who is not disabled. */
export type NoticeReader = {
  account: bigint
  person: bigint
  email: string
  isOwner: boolean
  language: string | undefined
  /** undefined: those that the operator has set. */
  kinds: readonly NoticeKind[] | undefined
  lowBalance: Nanos | undefined
}

/** A budget, or a cap in its shape. */
export type Crossable = BudgetTerms &
  BudgetSubject & {
    account: bigint
    /** The id of the budget; undefined: a cap. */
    budget: bigint | undefined
    /** The member whose key or cap it is. */
    owner: bigint | undefined
    spentNow: Nanos
    periodEndsAt: number | undefined
    hard: boolean
    /** undefined: those that the operator has set. */
    alerts: readonly number[] | undefined
  }

/** `lastCredit`: the id of the transfer; undefined: none is known. */
export type WalletState = { account: bigint; balance: Nanos; creditLine: Nanos; lastCredit: bigint | undefined }

export type NoticedKey = {
  id: bigint
  account: bigint
  person: bigint | undefined
  name: string
  lastFour: string
  expiresAt: number | undefined
}

/** A row of the audit log. `person`: who did it; undefined: an admin key, the command line or a job. */
export type NoticedChange = {
  id: bigint
  person: bigint | undefined
  action: string
  object: string
  reason: string
}
