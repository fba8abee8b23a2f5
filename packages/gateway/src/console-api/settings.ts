// Settings: who is signed in, on which browsers, with which preferences.

import { ApiRejection } from '../http-api/rejection.ts'
import { clearSessionCookie } from '../http-api/session/cookie.ts'
import { formatUsd, parseUsd } from '../money/amount.ts'
import { balancesJson } from '../money/json.ts'
import { AMOUNT_OR_ZERO } from '../operate/inputs/schemas.ts'
import {
  BALANCES,
  boolean,
  fields,
  ID,
  list,
  listOf,
  nullable,
  optional,
  string,
  TIME,
  USD,
  word,
} from '../request/schema/schema.ts'
import { availableIn } from '../storage/accounts.ts'
import { NOTICE_KINDS } from '../storage/console/notices.ts'
import { GATEWAY_ROLES } from '../storage/people/people.ts'
import { personEntry } from './call.ts'
import { route } from './route.ts'
import { MEMBER_ROLE } from './session/schemas.ts'

const SESSION = fields({
  account: fields({
    id: ID,
    name: string(),
    role: MEMBER_ROLE,
    disabled: boolean('It can only be read.'),
    email: string('Of the person.'),
    created_at: TIME,
    email_verified: boolean(),
    has_password: boolean(),
  }),
  /** All accounts of the person. */
  accounts: listOf(fields({ id: ID, name: string(), role: MEMBER_ROLE })),
  gateway_role: nullable(word(...GATEWAY_ROLES)),
  ...BALANCES,
  low_balance_usd: nullable(USD),
  is_low: boolean(),
  second_factor: boolean(),
  may_set_password: boolean('Signed in by the link of the first start: a password can be set without the former one.'),
  language: nullable(string()),
})

export const showSession = route(
  'GET session',
  { policy: 'session', summary: 'Who is signed in', output: SESSION },
  async ({ account, person, role }, { store }) => {
    const [preferences, found, memberships] = await Promise.all([
      store.people.preferences(person.id),
      store.signIns.findByPerson(person.id),
      store.members.accountsOf(person.id),
    ])
    const { lowBalance, language } = preferences
    const hasPassword = found?.password !== undefined
    return {
      account: {
        id: String(account.id),
        name: account.name,
        role,
        disabled: account.disabled,
        email: person.email,
        created_at: new Date(account.createdAt).toISOString(),
        email_verified: found?.emailVerifiedAt !== undefined,
        has_password: hasPassword,
      },
      ...balancesJson(account),
      low_balance_usd: lowBalance === undefined ? null : formatUsd(lowBalance),
      is_low: lowBalance !== undefined && availableIn(account) < lowBalance,
      accounts: memberships.map(({ account: { id, name }, role }) => ({ id: String(id), name, role })),
      gateway_role: person.role ?? null,
      second_factor: found?.secondFactor !== undefined,
      may_set_password: !hasPassword,
      language: language ?? null,
    }
  },
)

export const listSessions = route(
  'GET sessions',
  {
    policy: 'session',
    summary: 'Lists the sessions of the person',
    output: listOf(
      fields({ id: ID, user_agent: string(), address: string(), created_at: TIME, seen_at: TIME, current: boolean() }),
    ),
  },
  async ({ person, session }, { store }) =>
    (await store.sessions.list(person.id)).map(({ id, userAgent, address, createdAt, seenAt }) => ({
      id: String(id),
      user_agent: userAgent,
      address,
      current: id === session.id,
      created_at: new Date(createdAt).toISOString(),
      seen_at: new Date(seenAt).toISOString(),
    })),
)

export const endOneSession = route(
  'DELETE sessions/{id}',
  { policy: 'session', summary: 'Ends one session' },
  async (call, { store, config }) => {
    const { id } = call.parameters
    const { sessions } = store.audited(personEntry(call, call.person.id, 'session end', { before: { session: id } }))
    const isEnded = /^\d{1,18}$/.test(id) && (await sessions.end(call.person.id, BigInt(id)))
    if (!isEnded) throw new ApiRejection({ code: 'not_found', message: 'You have no such session.' })
    if (BigInt(id) === call.session.id) clearSessionCookie(call.headers, config().server)
  },
)

export const changePreferences = route(
  'POST preferences',
  {
    policy: 'session',
    summary: 'Changes preferences',
    body: fields({
      low_balance_usd: optional(nullable(AMOUNT_OR_ZERO)),
      language: optional(nullable(word('en', 'zh'))),
      /** The kinds of notices that come by email; null: those that the operator has set. */
      notices: optional(nullable(list(word(...NOTICE_KINDS), NOTICE_KINDS.length))),
    }),
    example: { low_balance_usd: '5' },
  },
  async ({ person, body }, { store }) => {
    const { low_balance_usd: low, language, notices } = body
    await store.people.setPreferences(person.id, {
      ...(low === undefined ? {} : { lowBalance: low === null ? undefined : parseUsd(low) }),
      ...(language === undefined ? {} : { language: language ?? undefined }),
      ...(notices === undefined ? {} : { notices: notices ?? undefined }),
    })
  },
)
