// Who calls the admin API: an admin key, or a person with a role who is signed in to the console. Looked up in the store for every request:
// a person who is disabled, or a key that is deleted, has no access from then on.
import { compileCidrs, matchesCidrs } from '@trivium/http/addresses/client-address.ts'
import { hashSecret } from '../access/authenticate.ts'
import type { ApiErrorCode } from '../http-api/errors.ts'
import { ApiRejection } from '../http-api/rejection.ts'
import { checkPage } from '../http-api/same-origin.ts'
import { readSessionCookie } from '../http-api/session/cookie.ts'
import { currentSession } from '../http-api/session/sessions.ts'
import type { Actor, Operation } from '../operate/operation.ts'
import { isUsable } from '../operate/people/admin-keys.ts'
import type { AdminKey, Session } from '../storage/storage.ts'
import type { AdminDependencies } from './dependencies.ts'
import type { Input } from './read-input.ts'
import type { AdminCall } from './routes.ts'

const ADMIN_KEY = /^ak-[A-Za-z0-9_-]{43}$/
/** The time of the last use is kept to the minute. */
const TOUCH_EVERY_MS = 60_000
const FRESH_MS = 10 * 60_000

/** People and admin keys. */
export type AdminActor = Extract<Actor, { type: 'person' | 'admin-key' }>

/** Unique among people and admin keys. */
export const nameOf = ({ type, id }: AdminActor): string => `${type}/${id}`

/** `account`: whose reads they count to. `session`: of a person. */
export type Identified = { actor: AdminActor; account: bigint; session: Session | undefined }

/** Negative, unlike the ids of accounts, and below those of networks. */
const tenantOf = (key: bigint): bigint => -10_000_000_000n - key

/** The text of the credential that is looked up; undefined: none was sent. A header wins over the cookie. */
export function credentialOf({ http }: Pick<AdminCall, 'http'>, deps: AdminDependencies): string | undefined {
  return keyIn(http.headers) ?? readSessionCookie(http.headers, deps.config().server)
}

function keyIn(headers: AdminCall['http']['headers']): string | undefined {
  const authorization = headers.get('authorization')
  if (authorization === null) return headers.get('x-api-key') ?? undefined
  return /^bearer /i.test(authorization) ? authorization.slice(7).trim() : authorization
}

/** Throws 401, 403 or 429. `isKnown`: the credential was valid a moment ago. */
export async function identify(call: AdminCall, deps: AdminDependencies, isKnown: boolean): Promise<Identified> {
  const waitSeconds = isKnown ? undefined : deps.failedCredentials.wait(call.origin)
  if (waitSeconds !== undefined)
    throw rejection('too_many_tries', `Too many wrong credentials. Retry in ${waitSeconds} seconds.`, waitSeconds)
  const key = keyIn(call.http.headers)
  return key === undefined ? await bySession(call, deps) : await byKey(key, call, deps)
}

async function bySession(call: AdminCall, deps: AdminDependencies): Promise<Identified> {
  const found = await currentSession(call, deps)
  // A request without any credential guesses nothing.
  if (!found) throw rejection('invalid_admin_key', NO_CREDENTIAL)
  checkPage(call.http, deps.config().server, deps.listenUrl())
  const { person, account, session } = found
  if (person.role === undefined)
    throw rejection('forbidden', 'The admin API needs a role in the gateway, which you do not have.')
  const { address } = call.origin
  const actor = { type: 'person', id: person.id, role: person.role, address, requestId: call.incoming.id } as const
  return { actor, account: account.id, session }
}

async function byKey(secret: string, call: AdminCall, deps: AdminDependencies): Promise<Identified> {
  const { store, clock, failedCredentials } = deps
  const { origin, incoming } = call
  const found = ADMIN_KEY.test(secret) ? await store.adminKeys.find({ hash: hashSecret(secret) }) : undefined
  if (!found || !isUsable(found, clock())) {
    failedCredentials.count(origin)
    failedCredentials.trace(
      origin,
      incoming.id,
      'admin-key rejected',
      found ? `admin-key/${found.key.id}` : 'admin-api',
    )
    throw rejection('invalid_admin_key', secret.startsWith('sk-') ? MODEL_KEY : WRONG_KEY)
  }
  const { key } = found
  if (!isFromNetworks(key, origin.address)) {
    failedCredentials.trace(origin, incoming.id, 'admin-key rejected', `admin-key/${key.id}`)
    const from = origin.address || 'an unknown address'
    throw rejection('address_not_allowed', `Admin key ${key.id} may not be used from ${from}.`)
  }
  if (clock() - (key.lastUsedAt ?? 0) >= TOUCH_EVERY_MS) await store.adminKeys.touch(key.id)
  const actor = {
    type: 'admin-key',
    id: key.id,
    role: key.role,
    address: origin.address,
    requestId: incoming.id,
  } as const
  return {
    actor: key.permissions ? { ...actor, permissions: key.permissions } : actor,
    account: tenantOf(key.id),
    session: undefined,
  }
}

const isFromNetworks = ({ networks }: AdminKey, address: string): boolean =>
  networks === undefined || matchesCidrs(address, compileCidrs(networks).cidrs)

/**
 * Dangerous changes by a person need a second factor that was shown a moment ago, where the person has one: a browser that was left open, or
 * a cookie that was copied, is not enough for them. Scripts have admin keys, which are limited otherwise. Throws 403. A dry run needs none.
 */
export async function checkSecondFactor(
  { session }: Pick<Identified, 'session'>,
  { isDangerous }: Operation,
  { input, isDryRun }: Input,
  { store, clock }: AdminDependencies,
): Promise<void> {
  if (!isDangerous || isDryRun || session === undefined) return
  if (isDangerous !== true && input[isDangerous.with] === undefined) return
  if (session.provedAt !== undefined && clock() - session.provedAt < FRESH_MS) return
  const found = await store.signIns.findByPerson(session.person)
  if (found?.secondFactor !== undefined) throw new ApiRejection(NEEDED)
}

const rejection = (code: ApiErrorCode, message: string, retryAfter?: number): ApiRejection =>
  new ApiRejection({ code, message, retryAfter })

const NO_CREDENTIAL = 'No admin key was sent. Send it as Authorization: Bearer ak-..., or sign in to the console.'
const WRONG_KEY = 'The admin key is wrong, deleted or expired, or the person who made it may not use it any more.'
const MODEL_KEY =
  'This key calls models. The admin API takes admin keys, which begin with ak-; trivium admin-key create makes one.'

const NEEDED = {
  code: 'second_factor_needed',
  message:
    'This needs a code of your second factor that is not older than 10 minutes. Send one to POST /console/api/session/verify, and repeat the request.',
} as const
