// The protocol with providers of sign-ins: OpenID Connect, by the authorization code with PKCE. What a provider says of itself is cached; all
// that is fetched has bounds, and leads to no private host unless the operator's file allows it.
import type * as OAuth from 'oauth4webapi'
import type { SignInProvider } from '../../config/sections/sign-in.ts'
import type { Origin } from '../../http-api/origin.ts'
import { askPublic } from '../../upstreams/public/ask-public.ts'
import { createHashingPlaces, type HashingOptions } from '../session/guessing/hashing-places.ts'

const TIMEOUT_MS = 5_000
const MAX_BYTES = 256 * 1024
const DISCOVERY_LIFE_MS = 10 * 60_000
/** Counts the providers of all configurations since the start. */
const MOST_DISCOVERIES = 64
/** Sign-ins that wait for providers at once. */
const CALLS_AT_ONCE = 16

/** What binds a callback to the browser that began the sign-in. */
export type Secrets = { state: string; nonce: string; verifier: string }

/** What the provider says of the person: its ID token and, for what that lacks, its user info. */
export type Claims = { sub: string; readonly [name: string]: unknown }

export type Providers = {
  /** `work` in one of few places, shared fairly among networks. undefined: there was none in time. */
  inPlace<T>(origin: Origin, work: () => Promise<T>): Promise<{ value: T } | undefined>
  /** The URL that the browser is sent to, and what its callback is checked by. */
  begin(provider: SignInProvider, redirectUri: string): Promise<{ url: string; secrets: Secrets }>
  /** Throws what oauth4webapi throws where anything is wrong: state, nonce, code, PKCE, issuer, audience, times or signature. */
  finish(provider: SignInProvider, callback: URLSearchParams, redirectUri: string, secrets: Secrets): Promise<Claims>
}

type Library = typeof OAuth
type Discovery = { server: OAuth.AuthorizationServer; keys: OAuth.JWKSCacheInput; at: number }

export function createProviders(options: Pick<HashingOptions, 'after' | 'clock'>): Providers {
  const places = createHashingPlaces({ ...options, places: CALLS_AT_ONCE })
  const discoveries = new Map<string, Promise<Discovery>>()
  const { clock } = options

  /** Shared by all sign-ins that need it at the same time. One that failed is not kept. */
  async function discover(oauth: Library, provider: SignInProvider): Promise<Discovery> {
    const { issuer, allowPrivate } = provider
    const name = `${allowPrivate} ${issuer}`
    const known = await discoveries.get(name)?.catch(() => undefined)
    if (known && clock() - known.at < DISCOVERY_LIFE_MS) return known
    const asked = (async () => {
      const url = new URL(issuer)
      const response = await oauth.discoveryRequest(url, callOptions(oauth, provider))
      return { server: await oauth.processDiscoveryResponse(url, response), keys: {}, at: clock() }
    })()
    if (discoveries.size >= MOST_DISCOVERIES) discoveries.clear()
    discoveries.set(name, asked)
    asked.catch(() => discoveries.get(name) === asked && discoveries.delete(name))
    return await asked
  }

  return {
    inPlace: (origin, work) => places.run(origin, work),
    async begin(provider, redirectUri) {
      // Only gateways with a provider need the library.
      const oauth = await import('oauth4webapi')
      const { server } = await discover(oauth, provider)
      const secrets = {
        state: oauth.generateRandomState(),
        nonce: oauth.generateRandomNonce(),
        verifier: oauth.generateRandomCodeVerifier(),
      }
      const url = new URL(server.authorization_endpoint ?? '')
      const parameters = {
        client_id: provider.clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: provider.scopes.join(' '),
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(secrets.verifier),
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return { url: url.href, secrets }
    },
    async finish(provider, callback, redirectUri, { state, nonce, verifier }) {
      const oauth = await import('oauth4webapi')
      const { server, keys } = await discover(oauth, provider)
      const client: OAuth.Client = { client_id: provider.clientId }
      const parameters = oauth.validateAuthResponse(server, client, callback, state)
      const fetched = callOptions(oauth, provider)
      const authentication = clientAuthentication(oauth, server, provider.clientSecret)
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        authentication,
        parameters,
        redirectUri,
        verifier,
        fetched,
      )
      const expected = { expectedNonce: nonce, requireIdToken: true }
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, expected)
      await oauth.validateApplicationLevelSignature(server, response, { ...fetched, [oauth.jwksCache]: keys })
      const claims = oauth.getValidatedIdTokenClaims(tokens)
      if (!claims) throw new Error('the provider sent no ID token')
      if (hasAll(claims, provider) || server.userinfo_endpoint === undefined) return claims
      const info = await oauth.userInfoRequest(server, client, tokens.access_token, fetched)
      return mergeClaims(claims, await oauth.processUserInfoResponse(server, client, claims.sub, info))
    },
  }
}

/**
 * The ID token, and what it lacks. The address and whether it is verified are one statement: they come from the same document, or the address
 * counts as unverified.
 */
export function mergeClaims(token: Claims, info: Claims): Claims {
  const whole = [token, info].find(({ email, email_verified: verified }) => email != null && verified != null)
  const { email, email_verified } = whole ?? { email: token.email ?? info.email, email_verified: false }
  return { ...info, ...token, email, email_verified }
}

const hasAll = (claims: object, { groupsClaim }: SignInProvider): boolean =>
  ['email', 'email_verified', ...(groupsClaim === undefined ? [] : [groupsClaim])].every((name) => name in claims)

/** In the header, unless the provider takes it in the body alone. */
function clientAuthentication(oauth: Library, server: OAuth.AuthorizationServer, secret: string): OAuth.ClientAuth {
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return methods.includes('client_secret_basic') || !methods.includes('client_secret_post')
    ? oauth.ClientSecretBasic(secret)
    : oauth.ClientSecretPost(secret)
}

function callOptions(oauth: Library, { issuer, allowPrivate }: SignInProvider) {
  return {
    // Only an issuer on this machine may have such a URL.
    [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
    [oauth.customFetch]: async (
      url: string,
      { method, headers, body }: OAuth.CustomFetchOptions<'GET' | 'POST', URLSearchParams | null | undefined>,
    ): Promise<Response> => {
      const sent = body == null ? {} : { body: body.toString() }
      const limits = { maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, allowPrivate }
      const { status, bytes, ...answer } = await askPublic(url, { method, headers, ...sent }, limits)
      return new Response(status === 204 ? null : Uint8Array.from(bytes), { status, headers: answer.headers })
    },
  }
}
