// Before sign-in, sessions, and the settings of an account.
import type { Static } from 'typebox'
import { isAnyAddress, isStrictAddress } from '../../access/email-address.ts'
import { LONGEST_PASSWORD } from '../../access/password-rules.ts'
import {
  AMOUNT_OR_ZERO,
  BE_AN_ADDRESS,
  EMAIL,
  NAME,
  NEW_PASSWORD,
  PERIOD,
  POSITIVE_AMOUNT,
} from '../../administration/inputs/schemas.ts'
import { MEMBER_SPENT } from '../../administration/resources/accounts.ts'
import {
  always,
  BALANCES,
  boolean,
  either,
  fields,
  ID,
  idOf,
  listOf,
  NOTHING,
  nullable,
  number,
  optional,
  string,
  TIME,
  text,
  textLike,
  USD,
  word,
} from '../../request/schema/schema.ts'
import { MEMBER_ROLES } from '../../storage/people/members.ts'
import { GATEWAY_ROLES } from '../../storage/people/people.ts'
import type { RouteDeclaration, RouteName } from './route.ts'

/** Looser than at registration: operators may create accounts with unusual addresses. */
const anyAddress = textLike((value) => isAnyAddress(value.trim()), BE_AN_ADDRESS)
const password = text({ max: LONGEST_PASSWORD })
/** From the authenticator app, or a recovery code. */
const code = text({ max: 64 })
const linkToken = textLike((value) => /^[A-Za-z0-9_-]{1,100}$/.test(value), 'be the part of the link behind the #')

const ABOUT = fields({
  name: string(),
  support_url: nullable(string()),
  registration: fields({ open: boolean(), trial_credit_usd: USD }),
  sign_in: fields({
    password: boolean('Whether all may sign in with a password; owners of the gateway always may.'),
    providers: listOf(fields({ id: string(), name: string() })),
  }),
  mail: boolean('Whether emails can be sent: verification and reset of passwords.'),
  password: fields({ min_length: number(), max_length: number() }),
  base_url: string('The URL that clients use: `server.public_url`, else the origin of this request.'),
  version: string(),
})
export type About = Static<typeof ABOUT>

const REGISTRATION = fields({
  email: textLike((value) => isStrictAddress(value.trim()), BE_AN_ADDRESS),
  password: NEW_PASSWORD,
  /** From the link of an invitation: it allows to sign up where registration is closed. */
  invitation: optional(linkToken),
})
export type Registration = Static<typeof REGISTRATION>
const REGISTERED = fields({
  id: ID,
  email: string(),
  trial_credit_usd: USD,
  notice: nullable(string('Why there is less trial credit than expected.')),
})
export type Registered = Static<typeof REGISTERED>

const SIGN_IN = fields({ email: anyAddress, password, code: optional(code) })
export type Credentials = Static<typeof SIGN_IN>
const SIGNED_IN = fields({ signed_in: always(true) })
/** Send the credentials again, with a code. */
const SECOND_FACTOR_REQUIRED = fields({ signed_in: always(false), second_factor_required: always(true) })
const SIGN_IN_RESULT = either(SIGNED_IN, SECOND_FACTOR_REQUIRED)
export type SignInResult = Static<typeof SIGN_IN_RESULT>

/** `next`: the page of the console to show then. */
const START = fields({ next: optional(text({ max: 500 })) })
export type StartSignIn = Static<typeof START>

const FORGOT_PASSWORD = fields({ email: anyAddress })
export type ForgotPassword = Static<typeof FORGOT_PASSWORD>
const RESET_PASSWORD = fields({ token: linkToken, password: NEW_PASSWORD })
export type ResetPassword = Static<typeof RESET_PASSWORD>
export const LINK_TOKEN = fields({ token: linkToken })
export type LinkToken = Static<typeof LINK_TOKEN>

const SET_UP = fields({ token: linkToken, password: optional(NEW_PASSWORD) })
export type SetUp = Static<typeof SET_UP>
/** Send the token again, with a new password. */
const PASSWORD_REQUIRED = fields({ signed_in: always(false), password_required: always(true) })
const SET_UP_RESULT = either(SIGNED_IN, SECOND_FACTOR_REQUIRED, PASSWORD_REQUIRED)
export type SetUpResult = Static<typeof SET_UP_RESULT>

/** The role of a person in the account. */
const MEMBER_ROLE = word(...MEMBER_ROLES)
const SWITCH_ACCOUNT = fields({ account: idOf('an account') })
export type SwitchAccount = Static<typeof SWITCH_ACCOUNT>
const CHANGE_ACCOUNT = fields({ name: NAME })
export type ChangeAccount = Static<typeof CHANGE_ACCOUNT>

const MEMBERS = listOf(
  fields({
    email: string(),
    role: MEMBER_ROLE,
    cap_usd: nullable(USD),
    cap_period: nullable(PERIOD),
    cap_resets_at: nullable(TIME),
    cap_left_usd: nullable(USD),
    ...MEMBER_SPENT,
  }),
)
export type MemberRow = Static<typeof MEMBERS>[number]
/** Null removes the cap. */
const CHANGE_MEMBER = fields({ email: EMAIL, cap_usd: nullable(POSITIVE_AMOUNT), cap_period: optional(PERIOD) })
export type ChangeMember = Static<typeof CHANGE_MEMBER>

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
export type SessionInfo = Static<typeof SESSION>

const VERIFY_SESSION = fields({ code })
export type VerifySession = Static<typeof VERIFY_SESSION>

const SESSIONS = listOf(
  fields({ id: ID, user_agent: string(), address: string(), created_at: TIME, seen_at: TIME, current: boolean() }),
)
export type SignedInBrowser = Static<typeof SESSIONS>[number]

/** `current` is required if the account has a password. */
const CHANGE_PASSWORD = fields({ current: optional(password), password: NEW_PASSWORD })
export type ChangePassword = Static<typeof CHANGE_PASSWORD>
const PREFERENCES = fields({
  low_balance_usd: optional(nullable(AMOUNT_OR_ZERO)),
  language: optional(nullable(word('en', 'zh'))),
})
export type ChangePreferences = Static<typeof PREFERENCES>

const BEGUN_SECOND_FACTOR = fields({ secret: string(), uri: string() })
export type BegunSecondFactor = Static<typeof BEGUN_SECOND_FACTOR>
const CONFIRM = fields({ secret: text({ max: 64 }), code, password })
export type ConfirmSecondFactor = Static<typeof CONFIRM>
const RECOVERY_CODES = fields({ recovery_codes: listOf(string()) })
export type RecoveryCodes = Static<typeof RECOVERY_CODES>
const REMOVE = fields({ password, code })
export type RemoveSecondFactor = Static<typeof REMOVE>

// For the description of the API.
const GRACE = { email: 'grace@example.com', password: 'correct horse battery' }
const TOKEN = { token: 'the-part-of-the-link-behind-the-number-sign' }

export const ACCOUNT_ROUTES = {
  'GET about': { policy: 'public', summary: 'What the sign-in page shows', output: ABOUT },
  'POST register': {
    policy: 'public',
    summary: 'Creates an account, and signs in a browser',
    body: REGISTRATION,
    example: GRACE,
    output: REGISTERED,
    status: 201,
  },
  'POST sign-in': {
    policy: 'public',
    summary: 'Signs in',
    body: SIGN_IN,
    example: GRACE,
    output: SIGN_IN_RESULT,
    takesOwnSlot: true,
  },
  'GET sign-in/{provider}': {
    policy: 'public',
    summary: 'Redirects a browser to a sign-in provider',
    query: START,
    output: 'redirect',
    status: 303,
    takesOwnSlot: true,
  },
  'GET sign-in/{provider}/callback': {
    policy: 'public',
    summary: 'Signs in a browser that returns from a sign-in provider',
    output: 'redirect',
    status: 303,
    takesOwnSlot: true,
  },
  'POST password/forgot': {
    policy: 'public',
    summary: 'Sends a link that resets the password, if there is such an account',
    body: FORGOT_PASSWORD,
    example: { email: GRACE.email },
    status: 202,
  },
  'POST password/reset': {
    policy: 'public',
    summary: 'Sets a password by a link',
    body: RESET_PASSWORD,
    example: { ...TOKEN, password: GRACE.password },
  },
  'POST email/verify': {
    policy: 'public',
    summary: 'Verifies an email address by a link',
    body: LINK_TOKEN,
    example: TOKEN,
  },
  'POST setup': {
    policy: 'public',
    summary: "Signs in by a link from the operator's terminal",
    body: SET_UP,
    example: TOKEN,
    output: SET_UP_RESULT,
  },

  'GET session': { policy: 'session', summary: 'Who is signed in', output: SESSION },
  'POST session/account': {
    policy: 'session',
    summary: 'Shows another account of the person',
    body: SWITCH_ACCOUNT,
    example: { account: '7' },
  },
  'POST session/verify': {
    policy: 'session',
    summary: 'Proves the second factor again: dangerous changes of the admin API need a proof of the last 10 minutes',
    body: VERIFY_SESSION,
    example: { code: '123456' },
  },
  'POST account': {
    policy: 'owner',
    summary: 'Renames the account',
    body: CHANGE_ACCOUNT,
    example: { name: 'Acme' },
  },
  'GET members': {
    policy: 'member',
    summary: 'Lists the people of the account with their caps; to a member, themselves alone',
    output: MEMBERS,
  },
  'POST members': {
    policy: 'owner',
    summary: 'Sets the cap of a member',
    body: CHANGE_MEMBER,
    example: { email: 'bob@example.com', cap_usd: '20', cap_period: 'month' },
    output: MEMBERS,
  },
  'POST sign-out': { policy: 'session', summary: 'Ends this session', body: NOTHING },
  'POST sign-out-everywhere': { policy: 'session', summary: 'Ends all sessions', body: NOTHING },
  'GET sessions': { policy: 'session', summary: 'Lists the sessions of the person', output: SESSIONS },
  'DELETE sessions/{id}': { policy: 'session', summary: 'Ends one session' },
  'POST password': {
    policy: 'session',
    summary: 'Changes the password, and ends all other sessions',
    body: CHANGE_PASSWORD,
    example: { current: GRACE.password, password: 'another password' },
  },
  'POST preferences': {
    policy: 'session',
    summary: 'Changes preferences',
    body: PREFERENCES,
    example: { low_balance_usd: '5' },
  },
  'POST email/resend': {
    policy: 'session',
    summary: 'Sends the link that verifies the email address again',
    body: NOTHING,
    status: 202,
  },
  'POST second-factor/begin': {
    policy: 'session',
    summary: 'Creates a secret for an authenticator app, valid once a code confirms it',
    body: NOTHING,
    output: BEGUN_SECOND_FACTOR,
  },
  'POST second-factor/confirm': {
    policy: 'session',
    summary: 'Turns two-factor authentication on; the recovery codes are shown once',
    body: CONFIRM,
    example: { secret: 'JBSWY3DPEHPK3PXP', code: '123456', password: GRACE.password },
    output: RECOVERY_CODES,
  },
  'POST second-factor/remove': {
    policy: 'session',
    summary: 'Turns two-factor authentication off',
    body: REMOVE,
    example: { password: GRACE.password, code: '123456' },
  },
} as const satisfies Record<RouteName, RouteDeclaration>
