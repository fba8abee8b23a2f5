// Settings: who is signed in, on which browsers, with which preferences.

import { ApiRejection } from '../http-api/rejection.ts'
import { clearSessionCookie } from '../http-api/session/cookie.ts'
import { formatUsd, parseUsd } from '../money/amount.ts'
import { balancesJson } from '../money/json.ts'
import { availableIn } from '../storage/accounts.ts'
import type { SignedInCall } from './call.ts'
import type { ConsoleDependencies } from './dependencies.ts'
import type { ChangePreferences, SessionInfo, SignedInBrowser } from './routes/account.ts'
import { personEntry } from './session/person-entry.ts'

export async function showSession(
  { account, person, role }: SignedInCall,
  { store }: ConsoleDependencies,
): Promise<SessionInfo> {
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
}

export async function listSessions(
  { person, session }: SignedInCall,
  { store }: ConsoleDependencies,
): Promise<SignedInBrowser[]> {
  return (await store.sessions.list(person.id)).map(({ id, userAgent, address, createdAt, seenAt }) => ({
    id: String(id),
    user_agent: userAgent,
    address,
    current: id === session.id,
    created_at: new Date(createdAt).toISOString(),
    seen_at: new Date(seenAt).toISOString(),
  }))
}

export async function endOneSession(
  call: SignedInCall<undefined, unknown, { id: string }>,
  { store, config }: ConsoleDependencies,
): Promise<void> {
  const { id } = call.parameters
  const { sessions } = store.audited(personEntry(call, call.person.id, 'session end', { before: { session: id } }))
  const isEnded = /^\d{1,18}$/.test(id) && (await sessions.end(call.person.id, BigInt(id)))
  if (!isEnded) throw new ApiRejection({ code: 'not_found', message: 'You have no such session.' })
  if (BigInt(id) === call.session.id) clearSessionCookie(call.headers, config().server)
}

export async function changePreferences(
  { person, body }: SignedInCall<ChangePreferences>,
  { store }: ConsoleDependencies,
): Promise<void> {
  const { low_balance_usd, language } = body
  await store.people.setPreferences(person.id, {
    ...(low_balance_usd === undefined
      ? {}
      : { lowBalance: low_balance_usd === null ? undefined : parseUsd(low_balance_usd) }),
    ...(language === undefined ? {} : { language: language ?? undefined }),
  })
}
