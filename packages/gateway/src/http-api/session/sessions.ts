// Sessions of browsers: begun by sign-in, looked up in the store at every request, so that a session that ends on one node has
// ended on all of them.

import type { HttpRequest } from '@trivium/http/request.ts'
import type { ResponseHeaders } from '@trivium/http/response.ts'
import { hashToken, newToken } from '../../access/secrets/tokens.ts'
import type { FileConfig } from '../../config/types.ts'
import type { ApiRequest } from '../../request/api-request.ts'
import type { AuditFields, NewSession, Session, SignedIn, Storage } from '../../storage/storage.ts'
import type { Origin } from '../origin.ts'
import { clearSessionCookie, readSessionCookie, setSessionCookie } from './cookie.ts'

const DAY_MS = 86_400_000
/** Since the last request. */
const LIFE_MS = 30 * DAY_MS
/** Since the sign-in, however often the session is used: a copied cookie works no longer than this. */
const LONGEST_LIFE_MS = 90 * DAY_MS
/** The time of the last request is kept to the minute. */
const TOUCH_EVERY_MS = 60_000

export type SessionDependencies = {
  store: Pick<Storage, 'sessions' | 'people' | 'audited'>
  config(): Pick<FileConfig, 'server'>
  clock(): number
}
type SessionCall = {
  http: Pick<HttpRequest, 'headers'>
  headers: ResponseHeaders
  origin: Origin
  incoming: Pick<ApiRequest, 'id'>
}
/** `by`: what the person signed in with. */
type Proof = Pick<NewSession, 'password' | 'withoutSecondFactor' | 'withCode' | 'endsAt'> & {
  by: 'password' | 'provider' | 'link' | 'sign-up'
}

/** undefined: not signed in, or the session has ended or expired, or the person is disabled or no longer a member. */
export async function currentSession(
  { http, headers }: Pick<SessionCall, 'http' | 'headers'>,
  { store, config, clock }: Pick<SessionDependencies, 'config' | 'clock'> & { store: Pick<Storage, 'sessions'> },
): Promise<SignedIn | undefined> {
  const { server } = config()
  const token = readSessionCookie(http.headers, server)
  if (token === undefined) return undefined
  const found = await store.sessions.find(hashToken(token))
  if (found === undefined) {
    clearSessionCookie(headers, server)
    return undefined
  }
  const now = clock()
  const { id, createdAt, seenAt, endsAt } = found.session
  if (now - seenAt >= TOUCH_EVERY_MS) {
    const lifeMs = Math.min(LIFE_MS, (endsAt ?? createdAt + LONGEST_LIFE_MS) - now)
    await store.sessions.touch(id, now + lifeMs)
    if (lifeMs > 0) setSessionCookie(headers, server, token, lifeMs)
  }
  return found
}

/**
 * Signs the browser in, with a new token: one that was planted in the browser before is worth nothing. The session that the
 * browser had ends. `proof`: what was checked. undefined: the person is disabled or has no account, or what was checked has
 * changed since.
 */
export async function startSession(
  call: SessionCall,
  person: bigint,
  { store, config, clock }: SessionDependencies,
  { by, ...proof }: Proof,
): Promise<Session | undefined> {
  const { server } = config()
  const token = newToken()
  const { userAgent, address } = call.origin
  const lifeMs = Math.min(LIFE_MS, (proof.endsAt ?? Number.POSITIVE_INFINITY) - clock())
  const expiresAt = clock() + lifeMs
  const former = readSessionCookie(call.http.headers, server)
  const replaced = former === undefined ? undefined : await store.sessions.find(hashToken(former))
  const { sessions } = await storeFor(call, person, { by, second_factor: proof.withCode ?? false }, store)
  const session = await sessions.create({
    ...proof,
    person,
    hash: hashToken(token),
    expiresAt,
    userAgent,
    address,
  })
  if (session === undefined) return undefined
  if (replaced) await store.sessions.end(replaced.session.person, replaced.session.id)
  setSessionCookie(call.headers, server, token, lifeMs)
  return session
}

/** Sign-ins of people who operate the gateway are in its audit log: those of account holders would drown them. */
async function storeFor(
  { origin, incoming }: SessionCall,
  id: bigint,
  after: AuditFields,
  store: SessionDependencies['store'],
): Promise<Pick<Storage, 'sessions'>> {
  if ((await store.people.findById(id))?.role === undefined) return store
  return store.audited({
    actor: { type: 'person', id: String(id) },
    address: origin.address,
    requestId: incoming.id,
    action: 'sign-in succeeded',
    object: `person/${id}`,
    before: undefined,
    after: { ...after, browser: origin.userAgent },
    reason: '',
  })
}

export async function endSession(
  call: Pick<SessionCall, 'headers'>,
  session: Session,
  { store, config }: SessionDependencies,
): Promise<void> {
  await store.sessions.end(session.person, session.id)
  clearSessionCookie(call.headers, config().server)
}
