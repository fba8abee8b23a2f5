// Sessions of browsers: begun by sign-in, looked up in the store at every request, so that a session that ends on one node has
// ended on all of them.

import { hashToken, newToken } from '../../access/secrets/tokens.ts'
import type { Account, Session } from '../../storage/storage.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import type { Call } from '../route.ts'
import { clearSessionCookie, readSessionCookie, setSessionCookie } from './cookie.ts'

const DAY_MS = 86_400_000
/** Since the last request. */
const LIFE_MS = 30 * DAY_MS
/** The time of the last request is kept to the minute. */
const TOUCH_EVERY_MS = 60_000

type Dependencies = Pick<ConsoleDependencies, 'store' | 'config' | 'clock'>
type SessionCall = Pick<Call, 'http' | 'headers' | 'origin'>

/** undefined: not signed in, or the session has ended or expired, or the account is disabled. */
export async function currentSession(
  { http, headers }: Pick<SessionCall, 'http' | 'headers'>,
  { store, config, clock }: Dependencies,
): Promise<{ session: Session; account: Account } | undefined> {
  const { server } = config()
  const token = readSessionCookie(http.headers, server)
  if (token === undefined) return undefined
  const found = await store.sessions.find(hashToken(token))
  if (found === undefined) {
    clearSessionCookie(headers, server)
    return undefined
  }
  if (clock() - found.session.seenAt >= TOUCH_EVERY_MS) {
    await store.sessions.touch(found.session.id, clock() + LIFE_MS)
    setSessionCookie(headers, server, token, LIFE_MS)
  }
  return found
}

/**
 * Signs the browser in, with a new token: one that was planted in the browser before is worth nothing. The session that the
 * browser had ends. `password`: the hash that was checked. undefined: the account is disabled, or the password has changed since.
 */
export async function startSession(
  call: SessionCall,
  account: bigint,
  { store, config, clock }: Dependencies,
  password?: string,
): Promise<Session | undefined> {
  const { server } = config()
  const token = newToken()
  const { userAgent, address } = call.origin
  const expiresAt = clock() + LIFE_MS
  const former = readSessionCookie(call.http.headers, server)
  const replaced = former === undefined ? undefined : await store.sessions.find(hashToken(former))
  const proof = password === undefined ? {} : { password }
  const session = await store.sessions.create({
    ...{ account, hash: hashToken(token), expiresAt, userAgent, address, ...proof },
  })
  if (session === undefined) return undefined
  if (replaced) await store.sessions.end(replaced.session.account, replaced.session.id)
  setSessionCookie(call.headers, server, token, LIFE_MS)
  return session
}

export async function endSession(
  call: Pick<SessionCall, 'headers'>,
  session: Session,
  { store, config }: Dependencies,
): Promise<void> {
  await store.sessions.end(session.account, session.id)
  clearSessionCookie(call.headers, config().server)
}
