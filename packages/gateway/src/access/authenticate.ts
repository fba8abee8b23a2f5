// Authentication by API key. The key is hashed at once; only the hash is looked up, cached and compared.
import { andThen } from '@trivium/http/and-then.ts'
import type { HttpRequest, RequestHeaders } from '@trivium/http/request.ts'
import { DIALECTS, type DialectId } from '@trivium/protocol/dialects/index.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { checkGroupOffered } from '../catalogue/offered-groups.ts'
import type { FileConfig } from '../config/types.ts'
import type { RequestRecord } from '../observe/request-record.ts'
import { Failure } from '../request/failure.ts'
import { type After, answerWithin } from '../storage/node/deadlines.ts'
import type { Caller, Keys } from '../storage/storage.ts'
import type { CompanyTokens } from './company-tokens/company-tokens.ts'
import { isToken } from './company-tokens/read-token.ts'
import { checkOrigin } from './origin.ts'

const SECRET = /^sk-[A-Za-z0-9_-]{16,256}$/

export type Callers = {
  find(secret: string): Promise<Caller> | Caller
  /** Looks the caller up again because `former` is out of date. Concurrent calls share one lookup. */
  refresh(secret: string, former: Caller): Promise<Caller> | Caller
  /** Empties the cache: a key or an account has changed. */
  clear(): void
}

type Known = Caller | 'unknown'
type CallersOptions = { limit?: number; onClear?: () => void; contact?: () => string; tokens?: CompanyTokens }

/** Invalid keys have a smaller cache of their own, so that guessing keys does not evict valid ones. */
const INVALID_SHARE = 10

/**
 * `onClear`: called when the cache is emptied, for other caches that depend on keys and accounts. `contact`: whom a caller of a disabled
 * account asks, as a sentence. `tokens`: of sign-in providers; absent: none is accepted.
 */
export function createCallers(
  keys: Pick<Keys, 'findCaller'>,
  clock: () => number,
  { limit = 100_000, onClear = () => {}, contact, tokens }: CallersOptions = {},
): Callers {
  let known = new Map<string, Caller>()
  let invalid = new Map<string, 'unknown'>()
  let lookups = new Map<string, Promise<Known>>()

  async function lookUp(hash: Uint8Array, name: string): Promise<Known> {
    // A clear() during the lookup replaces the maps, so a result that may be out of date ends up in maps that are not read.
    const [valid, rejected, pending] = [known, invalid, lookups]
    try {
      const caller = await keys.findCaller(hash)
      if (caller) remember(valid, name, caller, limit)
      else remember(rejected, name, 'unknown', Math.ceil(limit / INVALID_SHARE))
      return caller ?? 'unknown'
    } finally {
      pending.delete(name)
    }
  }

  const callers: Callers = {
    find(secret) {
      if (tokens && isToken(secret)) return tokens.find(secret)
      if (!SECRET.test(secret)) throw secret.startsWith('ak-') ? adminKeyHere() : invalidKey()
      const name = nameOf(secret)
      const caller = known.get(name) ?? invalid.get(name)
      if (caller !== undefined) return admit(caller, clock, contact)
      let lookup = lookups.get(name)
      if (!lookup) {
        lookup = lookUp(hashSecret(secret), name)
        lookups.set(name, lookup)
      }
      return lookup.then((found) => admit(found, clock, contact))
    },
    refresh(secret, former) {
      if (tokens && isToken(secret)) return tokens.refresh(secret, former)
      const name = nameOf(secret)
      if (known.get(name) === former) known.delete(name)
      return callers.find(secret)
    },
    clear() {
      known = new Map()
      invalid = new Map()
      lookups = new Map()
      tokens?.clear()
      onClear()
    },
  }
  return callers
}

function remember<T>(cache: Map<string, T>, name: string, value: T, limit: number): void {
  if (cache.size >= limit) cache.delete(cache.keys().next().value ?? '')
  cache.set(name, value)
}

/** The caller, whose address the key allows. `former`: the cached caller, if it is known to be out of date. */
export function authenticate(
  arriving: Arriving,
  dialect: DialectId,
  authority: AuthenticateDependencies,
  former?: Caller,
): Promise<Caller> | Caller {
  if (arriving.caller && !former) return arriving.caller
  const { headers } = arriving.http
  const secret = readApiKey(headers, arriving.query, dialect, authority.catalogue().config.compatibility)
  const found = former ? authority.callers.refresh(secret, former) : authority.callers.find(secret)
  // Nearly always cached: awaiting would cost more than everything else here.
  return andThen(found, allowed, arriving, authority)
}

function allowed(caller: Caller, { http, record }: Arriving, { catalogue }: AuthenticateDependencies): Caller {
  record.account = caller.account
  record.key = caller.key
  checkGroupOffered(caller, catalogue().config)
  if (caller.restrictions.networks) checkOrigin(caller, http.headers, http, catalogue().trustedProxies)
  return caller
}

type Arriving = {
  http: HttpRequest
  query: string
  record: Pick<RequestRecord, 'account' | 'key'>
  /** Whose key has been looked up before. */
  caller?: Caller
}
export type AuthenticateDependencies = { callers: Callers; catalogue(): Catalogue }

export function hashSecret(secret: string): Buffer {
  return new Bun.CryptoHasher('sha256').update(secret).digest()
}

/** The same hash as text, in one native call: the cache's key. */
const nameOf = (secret: string): string => Bun.SHA256.hash(secret, 'base64')

/** Throws for a key that does not work now. */
export function admit(caller: Known, clock: () => number, contact?: () => string): Caller {
  if (caller === 'unknown' || caller.deleted) throw invalidKey()
  if (caller.expiresAt !== undefined && caller.expiresAt <= clock()) throw expiredKey()
  if (caller.accountDisabled) throw accountDisabled(caller.disabledReason, contact?.())
  if (caller.makerDisabled) throw makerDisabled()
  return caller
}

export const invalidKey = () => new Failure('invalid_api_key', 'The API key is invalid, incomplete or deleted.')
const adminKeyHere = () =>
  new Failure('invalid_api_key', 'Admin keys cannot call models. Send an API key that begins with sk-.')
export const expiredKey = () => new Failure('api_key_expired', 'The API key has expired. Create a new one.')
/** `reason`: in the words of the operator, who may have given none. */
export const accountDisabled = (reason = '', contact = '') =>
  new Failure(
    'account_disabled',
    `This account is disabled${reason === '' ? '.' : `: ${reason.replace(/[.\s]+$/, '')}.`}${contact || ' Ask the operator of this gateway.'}`,
  )

const makerDisabled = () =>
  new Failure(
    'account_disabled',
    'The person who made this API key is disabled. Use a key of another person, or ask the operator of this gateway.',
  )

/** The headers of other dialects are read after the dialect's own, so that any client works on any path. */
const ALL_HEADERS = Object.values(DIALECTS).flatMap(({ credential }) => credential.headers)

/** LiteLLM reads it before any other. */
const LITELLM_KEY = 'x-litellm-api-key'

export function readApiKey(
  headers: RequestHeaders,
  query: string,
  dialect: DialectId,
  { litellm }: FileConfig['compatibility'],
): string {
  const { credential } = DIALECTS[dialect]
  const given = litellm ? headers.get(LITELLM_KEY) : null
  if (given) return given.replace(/^bearer /i, '').trim()
  for (const name of credential.headers) {
    const value = headers.get(name)
    if (value) return value
  }
  const authorization = headers.get('authorization')
  if (authorization && /^bearer /i.test(authorization)) return authorization.slice(7).trim()
  for (const name of ALL_HEADERS) {
    const value = headers.get(name)
    if (value) return value
  }
  const inQuery = query ? new URLSearchParams(query).get('key') : null
  // URLs are kept in the logs of proxies and in histories; a key can be deleted then.
  if (inQuery && isToken(inQuery)) throw new Failure('invalid_api_key', TOKEN_IN_URL)
  if (inQuery) return inQuery
  throw new Failure('invalid_api_key', `No API key was sent. Send it as ${credential.example}.`)
}

const TOKEN_IN_URL = 'Tokens are not accepted in a URL. Send the token as Authorization: Bearer TOKEN.'

/**
 * Lookups of keys that are not cached. A database that does not respond must not keep requests, and their connections, waiting for as long as
 * other queries may take: clients repeat them meanwhile.
 */
export const KEY_LOOKUP_MS = 1_500

/** The same lookups; one that takes longer rejects with StoreDown. `after`: runs a function later, unless it is cancelled. */
export const timedLookups = (keys: Pick<Keys, 'findCaller'>, after: After): Pick<Keys, 'findCaller'> => ({
  findCaller: (hash) => answerWithin(KEY_LOOKUP_MS, after, keys.findCaller(hash)),
})
