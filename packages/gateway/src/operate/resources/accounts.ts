// Accounts, and what belongs to them, as the admin API shows them.
import {
  BALANCES,
  boolean,
  fields,
  ID,
  listOf,
  nullable,
  number,
  string,
  TIME,
  USD,
  word,
} from '../../request/schema/schema.ts'
import { MEMBER_ROLES } from '../../storage/people/members.ts'
import { PERIOD } from '../inputs/schemas.ts'
import { LIMITS_SHOWN } from './keys.ts'
import { resource } from './resource.ts'

export const CAP_SHOWN = {
  cap_usd: nullable(USD),
  cap_period: nullable(PERIOD),
  cap_resets_at: nullable(TIME),
  cap_left_usd: nullable(USD),
}

export const ACCOUNT_SHOWN = resource(
  'account',
  fields({
    id: ID,
    name: string(),
    email: nullable(string('Of its first owner.')),
    ...BALANCES,
    disabled: boolean(),
    ...CAP_SHOWN,
    limits: LIMITS_SHOWN,
    spent_today_usd: USD,
    spent_this_month_usd: USD,
    spent_30_days_usd: string('Decimal USD. On the last 30 days (UTC), today included.'),
    active_keys: number('Keys that clients can use.'),
    groups: listOf(string('Of one of these keys.')),
    running_requests: number(),
    last_used_at: nullable(TIME),
    created_at: TIME,
    deleted_at: nullable(TIME),
    people: listOf(fields({ email: string(), role: word(...MEMBER_ROLES) })),
  }),
)

export const NEW_ACCOUNT = fields({
  ...ACCOUNT_SHOWN.properties,
  key_id: nullable(string('Of the key that was asked for.')),
  secret: nullable(string('Of that key. It is shown once.')),
  sign_in_url: nullable(string('The link that was asked for. It works once, within 24 hours.')),
})

export const MEMBERS_SHOWN = resource(
  'members',
  fields({
    id: ID,
    name: string(),
    people: listOf(
      fields({
        email: string(),
        role: word(...MEMBER_ROLES),
        ...CAP_SHOWN,
        /** With the keys that the person made in the account. */
        spent_usd: USD,
        spent_this_month_usd: USD,
        tags: listOf(string('Requests with their keys carry it by default.')),
      }),
    ),
  }),
)

const CHARGED = { requests: number(), tokens: number(), charged_usd: USD }

export const STATEMENT_FIELDS = fields({
  id: ID,
  account_id: ID,
  account: string('Its name.'),
  owners: listOf(string('An email address.')),
  month: string(),
  from: TIME,
  to: string('Its end, exclusive: ISO 8601 in UTC.'),
  is_complete: boolean('The month is over.'),
  currency: word('USD'),
  opening_balance_usd: USD,
  credited_usd: string('Decimal USD, with refunds.'),
  refunded_usd: string('Decimal USD: refunds of requests, which are part of the credits.'),
  debited_usd: string('Decimal USD: corrections and other amounts that were taken, apart from charges.'),
  charged_usd: string('Decimal USD: what requests cost.'),
  closing_balance_usd: USD,
  requests: number(),
  models: listOf(fields({ model: nullable(string('Null: all models beyond the first thousand.')), ...CHARGED })),
  keys: listOf(
    fields({
      key_id: nullable(string('Null: all keys beyond the first thousand.')),
      key: nullable(string('Its name.')),
      last_four: nullable(string()),
      member: nullable(string('Who made it, if the person is a member.')),
      ...CHARGED,
    }),
  ),
  members: listOf(fields({ member: nullable(string('Null: keys that no member made.')), ...CHARGED })),
  days: listOf(fields({ day: string('Such as 2026-01-31, UTC.'), requests: number(), charged_usd: USD })),
  entries: listOf(
    fields({
      kind: word('credit', 'debit', 'usage'),
      at: TIME,
      reason: string(),
      amount_usd: string('Decimal USD; negative if it was taken.'),
      requests: number(),
      balance_after_usd: USD,
    }),
  ),
})
export const STATEMENT = resource('statement', STATEMENT_FIELDS)

export const SIGN_IN_LINK = resource('sign_in_link', fields({ email: string(), url: string(), expires_at: TIME }))

export const SESSIONS_SHOWN = resource(
  'sessions',
  fields({
    email: string(),
    sessions: listOf(
      fields({ id: ID, user_agent: string(), address: string(), created_at: TIME, seen_at: TIME, expires_at: TIME }),
    ),
  }),
)

export const SECOND_FACTOR = resource(
  'second_factor',
  fields({ email: string(), second_factor: boolean(), sessions_ended: number() }),
)

export const NOTES_SHOWN = resource(
  'notes',
  fields({
    id: ID,
    name: string(),
    notes: listOf(
      fields({
        id: ID,
        at: TIME,
        author: string('As in the audit log, such as `person/7`.'),
        author_email: nullable(string()),
        text: string(),
      }),
    ),
  }),
)

export const BULK_RESULT = resource(
  'bulk_result',
  fields({
    changed: number(),
    unchanged: number('Were so already.'),
    rejected: number(),
    skipped: number('For lack of time. Repeat the call.'),
    results: listOf(
      fields({
        id: ID,
        result: word('changed', 'unchanged', 'rejected', 'skipped'),
        message: nullable(string('Why it was not changed.')),
      }),
    ),
  }),
)
