// The keys that providers sign tokens with: fetched when they are needed, renewed in the background, and kept while a provider is down.

import { isObject } from '@trivium/protocol/canonical/reading.ts'
import type { CryptoKey, JWK } from 'jose'
import type { SignInProvider } from '../../config/sections/sign-in.ts'
import { errorText, type Log } from '../../observe/log.ts'
import { Failure } from '../../request/failure.ts'
import { isSameIssuer, type ReadToken, wrong } from './read-token.ts'

/** A key that a provider withdraws is not accepted for longer than this. */
export const FRESH_MS = 10 * 60_000
/** The last keys of a provider that is down are accepted for this long. */
export const KEPT_MS = 24 * 3_600_000
/** Between fetches that failed, and for keys that nobody has published: tokens can name any. */
export const PAUSE_MS = 10_000
const MOST_KEYS = 100
/** Requests that wait for one fetch. */
const MOST_WAITING = 256
/** Counts the providers of all configurations since the start. */
const MOST_PROVIDERS = 64

export type ProviderKey = {
  jwk: JWK
  of: Published
  isPublished: boolean
  imported: Map<string, Promise<CryptoKey | Uint8Array>>
}
type Published = {
  keys: ReadonlyMap<string, ProviderKey>
  goodAt: number | undefined
  triedAt: number | undefined
  fetching: Promise<void> | undefined
  waiting: number
}
type Provider = Pick<SignInProvider, 'id' | 'issuer' | 'allowPrivate'>

export type KeyOptions = {
  clock(): number
  /** The JSON at a URL, under limits of size and time, without redirects. */
  ask(url: string, provider: Pick<SignInProvider, 'allowPrivate'>): Promise<unknown>
  log: Pick<Log, 'warn'>
}

export function createProviderKeys({ clock, ask, log }: KeyOptions) {
  const all = new Map<string, Published>()

  function publishedBy({ issuer, allowPrivate }: Provider): Published {
    const name = `${allowPrivate} ${issuer}`
    const known = all.get(name)
    if (known) return known
    if (all.size >= MOST_PROVIDERS) all.clear()
    const published = { keys: new Map(), goodAt: undefined, triedAt: undefined, fetching: undefined, waiting: 0 }
    all.set(name, published)
    return published
  }

  /** One fetch at a time. Never rejects: without new keys the present ones stay. */
  function renew(published: Published, provider: Provider): Promise<void> {
    published.triedAt = clock()
    published.fetching ??= fetchKeys(provider, ask)
      .then((keys) => {
        replaceKeys(published, keys)
        published.goodAt = clock()
      })
      .catch((error: unknown) =>
        log.warn('company tokens: the keys of a provider cannot be fetched', {
          provider: provider.id,
          error: errorText(error),
        }),
      )
      .finally(() => {
        published.fetching = undefined
      })
    return published.fetching
  }

  const mayTry = ({ triedAt }: Published): boolean => triedAt === undefined || clock() - triedAt >= PAUSE_MS
  const isWithin = ({ goodAt }: Published, ms: number): boolean => goodAt !== undefined && clock() - goodAt < ms

  async function waitFor(published: Published, fetching: Promise<void>): Promise<void> {
    if (published.waiting >= MOST_WAITING) throw unavailable()
    published.waiting += 1
    await fetching.finally(() => {
      published.waiting -= 1
    })
  }

  return {
    /** That the token says it is signed with. Throws Failure. */
    async find({ header, provider }: Pick<ReadToken, 'header' | 'provider'>): Promise<ProviderKey> {
      const published = publishedBy(provider)
      if (!isWithin(published, FRESH_MS) && mayTry(published)) void renew(published, provider)
      if (!isWithin(published, KEPT_MS)) {
        if (published.fetching) await waitFor(published, published.fetching)
        if (!isWithin(published, KEPT_MS)) throw unavailable()
      }
      const found = matching(published, header)
      if (found) return found
      const fetching = published.fetching ?? (mayTry(published) ? renew(published, provider) : undefined)
      if (fetching) await waitFor(published, fetching)
      const renewed = matching(published, header)
      if (renewed) return renewed
      throw wrong('The token is signed with a key that its issuer does not publish.')
    },
    /** Whether what was verified with the key still counts. Begins to renew old keys. */
    isUsable({ of, isPublished }: ProviderKey, provider: Provider): boolean {
      if (!isWithin(of, FRESH_MS) && mayTry(of)) void renew(of, provider)
      return isPublished && isWithin(of, KEPT_MS)
    },
  }
}
export type ProviderKeys = ReturnType<typeof createProviderKeys>

const unavailable = () =>
  new Failure('service_unavailable', 'The keys of the sign-in provider are not available. Retry in 10 seconds.', {
    retryAfter: PAUSE_MS / 1_000,
  })

/** Keys by their JSON. */
export async function fetchKeys(
  { issuer, allowPrivate }: Pick<Provider, 'issuer' | 'allowPrivate'>,
  ask: KeyOptions['ask'],
): Promise<ReadonlyMap<string, JWK>> {
  const at = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const found = await ask(at, { allowPrivate })
  if (!isObject(found) || !isSameIssuer(issuer, found.issuer))
    throw new Error('the discovery document is of another issuer')
  const { jwks_uri: url } = found
  // Only an issuer on this machine may have such a URL.
  if (typeof url !== 'string' || !(url.startsWith('https://') || issuer.startsWith('http:')))
    throw new Error('the discovery document has no jwks_uri')
  const set = await ask(url, { allowPrivate })
  const list = isObject(set) && Array.isArray(set.keys) ? set.keys.slice(0, MOST_KEYS) : []
  const keys = list.filter((each): each is JWK => isObject(each) && FAMILIES.some((family) => isOf(family, each)))
  if (keys.length === 0) throw new Error('the provider publishes no keys for signatures')
  return new Map(keys.map((jwk) => [JSON.stringify(jwk), jwk]))
}

/** Keys that stay keep what was verified with them. */
function replaceKeys(published: Published, found: ReadonlyMap<string, JWK>): void {
  const { keys } = published
  for (const [name, key] of keys) if (!found.has(name)) key.isPublished = false
  const made = (jwk: JWK): ProviderKey => ({ jwk, of: published, isPublished: true, imported: new Map() })
  published.keys = new Map([...found].map(([name, jwk]) => [name, keys.get(name) ?? made(jwk)]))
}

/** A key has one family, whatever a token says: a public key is never the secret of an HMAC. */
type Family = { algorithms: readonly string[]; kty: string; crv?: string }
const FAMILIES: readonly Family[] = [
  { algorithms: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'], kty: 'RSA' },
  { algorithms: ['ES256'], kty: 'EC', crv: 'P-256' },
  { algorithms: ['ES384'], kty: 'EC', crv: 'P-384' },
  { algorithms: ['ES512'], kty: 'EC', crv: 'P-521' },
  { algorithms: ['EdDSA', 'Ed25519'], kty: 'OKP', crv: 'Ed25519' },
]

function isOf({ algorithms, kty, crv }: Family, jwk: Record<string, unknown>): boolean {
  if (jwk.kty !== kty || (crv !== undefined && jwk.crv !== crv)) return false
  if (jwk.use !== undefined && jwk.use !== 'sig') return false
  if (Array.isArray(jwk.key_ops) && !jwk.key_ops.includes('verify')) return false
  return jwk.alg === undefined || algorithms.includes(String(jwk.alg))
}

/** Without `kid` there must be only one that it can be. */
function matching({ keys }: Published, { alg, kid }: ReadToken['header']): ProviderKey | undefined {
  const family = FAMILIES.find(({ algorithms }) => algorithms.includes(alg))
  const fitting = [...keys.values()].filter(({ jwk }) => {
    if (!family || !isOf(family, jwk as Record<string, unknown>)) return false
    if (kid !== undefined && jwk.kid !== kid) return false
    return jwk.alg === undefined || jwk.alg === alg || family.kty === 'OKP'
  })
  return fitting.length === 1 ? fitting[0] : undefined
}
