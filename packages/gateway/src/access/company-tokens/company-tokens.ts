// Authentication by a token of a sign-in provider. A token that was verified costs its hash: what is known of it is kept until it expires,
// until its key is withdrawn, or until the configuration changes.

import type { FileConfig } from '../../config/types.ts'
import { Failure } from '../../request/failure.ts'
import type { Caller } from '../../storage/storage.ts'
import { type Bearer, bearerOf } from './bearer.ts'
import { disabled } from './find-caller.ts'
import type { ProviderKey, ProviderKeys } from './provider-keys.ts'
import { ALGORITHMS, checkTimes, type ReadToken, readToken, wrong } from './read-token.ts'

export type CompanyTokens = {
  find(token: string): Promise<Caller> | Caller
  /** Looks the caller up again because `former` is out of date. */
  refresh(token: string, former: Caller): Promise<Caller> | Caller
  /** Forgets callers: a key, an account or a person has changed. What was verified stays. */
  clear(): void
}

export type CompanyTokenOptions = {
  signIn(): Pick<FileConfig['signIn'], 'providers' | 'apiTokens'>
  clock(): number
  keys: ProviderKeys
  findCaller(bearer: Bearer): Promise<Caller>
  /** Throws for a key that does not work now. */
  admit(caller: Caller): Caller
  limit?: number
}

type Verified = Bearer & Pick<ReadToken, 'notBefore' | 'expiresAt'> & { key: ProviderKey }

const MOST_TOKENS = 10_000
const MOST_FORGED = 1_000
/** Signatures that are verified, beside the main thread, and that wait for it. */
const VERIFIED_AT_ONCE = 16
const MOST_WAITING = 512

export function createCompanyTokens(options: CompanyTokenOptions): CompanyTokens {
  const { signIn, clock, keys, limit = MOST_TOKENS } = options
  const verified = new Map<string, Verified>()
  /** By the key whose signature they do not have. */
  const forged = new Map<string, ProviderKey>()
  const verify = inFewPlaces(verifySignature)
  let callers = new Map<string, Caller>()
  let lookups = new Map<string, Promise<Caller>>()

  const isCurrent = ({ mapping, provider, key }: Verified): boolean => {
    const { providers, apiTokens } = signIn()
    return apiTokens.includes(mapping) && providers.includes(provider) && keys.isUsable(key, provider)
  }

  async function check(token: string, name: string): Promise<Verified> {
    const read = readToken(token, signIn(), clock())
    const key = await keys.find(read)
    if (forged.get(name) === key) throw badSignature()
    if (!(await verify(token, read, key, clock()))) {
      remember(forged, name, key, MOST_FORGED)
      throw badSignature()
    }
    const { notBefore, expiresAt } = read
    const found = { ...bearerOf(read), notBefore, expiresAt, key }
    remember(verified, name, found, limit)
    return found
  }

  async function lookUp(token: string, name: string, known: Verified | undefined): Promise<Caller> {
    // A clear() during the lookup replaces the maps, so a result that may be out of date ends up in maps that are not read.
    const [valid, pending] = [callers, lookups]
    try {
      const caller = await options.findCaller(known ?? (await check(token, name)))
      remember(valid, name, caller, limit)
      return caller
    } finally {
      pending.delete(name)
    }
  }

  function admit(caller: Caller): Caller {
    if (caller.makerDisabled && !caller.accountDisabled) throw disabled()
    return options.admit(caller)
  }

  const tokens: CompanyTokens = {
    find(token) {
      const name = Bun.SHA256.hash(token, 'base64')
      const known = verified.get(name)
      const isKnown = known !== undefined && isCurrent(known)
      if (known && !isKnown) verified.delete(name)
      if (isKnown) {
        checkTimes(known, clock())
        const caller = callers.get(name)
        if (caller) return admit(caller)
      }
      let lookup = lookups.get(name)
      if (!lookup) {
        lookup = lookUp(token, name, isKnown ? known : undefined)
        lookups.set(name, lookup)
      }
      return lookup.then(admit)
    },
    refresh(token, former) {
      const name = Bun.SHA256.hash(token, 'base64')
      if (callers.get(name) === former) callers.delete(name)
      return tokens.find(token)
    },
    clear() {
      callers = new Map()
      lookups = new Map()
    },
  }
  return tokens
}

const badSignature = () => wrong('The signature of the token is wrong.')

function remember<T>(cache: Map<string, T>, name: string, value: T, limit: number): void {
  if (cache.size >= limit) cache.delete(cache.keys().next().value ?? '')
  cache.set(name, value)
}

/** Only gateways that accept tokens need the library, which also checks again what has been checked. */
async function verifySignature(token: string, read: ReadToken, key: ProviderKey, now: number): Promise<boolean> {
  const jose = await import('jose')
  const { alg } = read.header
  let imported = key.imported.get(alg)
  if (!imported) {
    imported = jose.importJWK(key.jwk, alg)
    key.imported.set(alg, imported)
  }
  const { issuer } = read.provider
  const bare = issuer.replace(/\/$/, '')
  try {
    await jose.jwtVerify(token, await imported, {
      algorithms: [...ALGORITHMS],
      issuer: [bare, `${bare}/`],
      audience: [...read.mapping.audiences],
      clockTolerance: read.mapping.clockSkewMs / 1_000,
      currentDate: new Date(now),
      requiredClaims: ['sub', 'exp'],
    })
    return true
  } catch (error) {
    if (error instanceof jose.errors.JOSEError) return false
    throw wrong('The key that the token is signed with cannot be used.')
  }
}

/** Verification takes no time of the main thread, but memory for what waits. */
function inFewPlaces<A extends unknown[], T>(work: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (...args) => {
    if (running >= VERIFIED_AT_ONCE) {
      if (waiting.length >= MOST_WAITING)
        throw new Failure('service_unavailable', 'Too many new tokens are being checked. Retry in 1 second.', {
          retryAfter: 1,
        })
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
    running += 1
    try {
      return await work(...args)
    } finally {
      running -= 1
      waiting.shift()?.()
    }
  }
}
