// What a token says of itself, checked before anything is done that costs: nothing here is proved yet. Its own claims choose the provider and
// the key; what it brings along as a key (jwk, jku, x5u, x5c) is never looked at.

import { isObject } from '@trivium/protocol/canonical/reading.ts'
import type { ApiTokens } from '../../config/sections/sign-in/api-tokens.ts'
import type { SignInProvider } from '../../config/sections/sign-in.ts'
import { Failure } from '../../request/failure.ts'

/** API keys begin with sk-, and JSON objects with {". */
export const isToken = (secret: string): boolean => secret.startsWith('eyJ')

/** Providers with many groups write long ones; proxies take less. */
const LONGEST_TOKEN = 8_192
/** Signed with a private key: a provider's secrets and public keys prove nothing of who signed. */
export const ALGORITHMS: readonly string[] = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]
/** Other kinds of tokens are signed with the same keys: of logouts, of proofs of possession. */
const TYPES: readonly unknown[] = [undefined, 'jwt', 'at+jwt', 'application/jwt', 'application/at+jwt']

export type Claims = Readonly<Record<string, unknown>>
export type ReadToken = {
  header: { alg: string; kid: string | undefined }
  claims: Claims
  mapping: ApiTokens
  provider: SignInProvider
  sub: string
  /** Milliseconds. */
  notBefore: number
  expiresAt: number
}

type Accepted = { providers: readonly SignInProvider[]; apiTokens: readonly ApiTokens[] }

/** Throws Failure. */
export function readToken(token: string, { providers, apiTokens }: Accepted, now: number): ReadToken {
  if (apiTokens.length === 0)
    throw wrong('This gateway accepts no tokens of sign-in providers. Send an API key that begins with sk-.')
  if (token.length > LONGEST_TOKEN) throw wrong(`The token has more than ${LONGEST_TOKEN} characters.`)
  const parts = token.split('.')
  const [header, claims] = [objectIn(parts[0]), objectIn(parts[1])]
  if (parts.length !== 3 || !header || !claims) throw wrong('The token is no signed JWT.')
  const { alg, kid, typ, crit } = header
  if (typeof alg !== 'string' || !ALGORITHMS.includes(alg))
    throw wrong(`The token is signed in a way that is not accepted. Accepted: ${ALGORITHMS.join(', ')}.`)
  if (
    !TYPES.includes(typeof typ === 'string' ? typ.toLowerCase() : typ) ||
    crit !== undefined ||
    claims.cnf !== undefined
  )
    throw wrong('The token is of a kind that is not accepted. Send an access token or an ID token.')
  const ofIssuer = apiTokens.flatMap((mapping) => {
    const provider = providers.find(({ id }) => id === mapping.provider)
    return provider && isSameIssuer(provider.issuer, claims.iss) ? [{ mapping, provider }] : []
  })
  if (ofIssuer.length === 0) throw wrong('The issuer of the token is none whose tokens this gateway accepts.')
  const audiences = [claims.aud].flat()
  const found = ofIssuer.find(({ mapping }) => mapping.audiences.some((each) => audiences.includes(each)))
  if (!found) throw wrong('The token is for another audience than this gateway (claim aud).')
  const { clients, clockSkewMs } = found.mapping
  if (clients.length > 0 && !clients.some((each) => each === (claims.azp ?? claims.client_id ?? claims.appid)))
    throw wrong('The token was issued to an application whose tokens this gateway does not accept (claim azp).')
  const { sub, exp, nbf = 0, iat = 0 } = claims
  if (typeof sub !== 'string' || sub === '' || sub.length > LONGEST_SUBJECT)
    throw wrong('The token names no person (claim sub).')
  if (!isTime(exp) || !isTime(nbf) || !isTime(iat)) throw wrong('The token has no valid times (claims exp, nbf, iat).')
  const times = { notBefore: Math.max(nbf, iat) * 1_000 - clockSkewMs, expiresAt: exp * 1_000 + clockSkewMs }
  checkTimes(times, now)
  return { header: { alg, kid: typeof kid === 'string' ? kid : undefined }, claims, sub, ...found, ...times }
}

const LONGEST_SUBJECT = 255

/** Throws Failure. */
export function checkTimes({ notBefore, expiresAt }: Pick<ReadToken, 'notBefore' | 'expiresAt'>, now: number): void {
  if (expiresAt <= now)
    throw new Failure('api_key_expired', 'The token has expired. Get a new one from your sign-in provider.')
  if (notBefore > now) throw wrong('The token is not valid yet (claims nbf, iat).')
}

/** Some write a slash at the end in one place and none in another. */
export const isSameIssuer = (issuer: string, other: unknown): boolean =>
  typeof other === 'string' && other.replace(/\/$/, '') === issuer.replace(/\/$/, '')

const isTime = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 && value < 1e11

function objectIn(part: string | undefined): Record<string, unknown> | undefined {
  if (part === undefined || !/^[\w-]+$/.test(part)) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The same code as for API keys, so that clients ask for another credential. */
export const wrong = (message: string): Failure => new Failure('invalid_api_key', message)
