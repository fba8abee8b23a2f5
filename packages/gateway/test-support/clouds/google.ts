// The token service of Google, its security token service, impersonation, and the metadata server.
import type { CloudRequest, CloudWorld } from './clouds.ts'
import { createIssuer } from './issuer.ts'
import type { SignedRequest, signerOf } from './signature.ts'

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const TOKEN_URL = 'https://oauth2.googleapis.com/token'
const IMPERSONATION = /^\/v1\/projects\/-\/serviceAccounts\/([^/]+):generateAccessToken$/
const CALLER = '?Action=GetCallerIdentity&Version=2011-06-15'
const JWT_TYPE = 'urn:ietf:params:oauth:token-type:jwt'
const AWS_TYPE = 'urn:ietf:params:aws:token-type:aws4_request'

type Signer = (request: SignedRequest) => ReturnType<typeof signerOf>

export async function googleServices({ clock, cluster }: CloudWorld) {
  const account = await createIssuer('gateway@project.iam.gserviceaccount.com', clock)
  let made = 0
  const tokens = new Map<string, { of: string; expiresAt: number }>()
  const state = {
    life: 3599,
    /** The name of the service account's key; another one was deleted. */
    keyId: 'key-1',
    /** What else its JWTs may be for: the URL of a server of tests. */
    audience: TOKEN_URL,
    refreshTokens: new Set(['1//refresh-token']),
    pool: '//iam.googleapis.com/projects/7/locations/global/workloadIdentityPools/p/providers/cluster',
    /** Who may impersonate which service account, by subject. */
    mayImpersonate: new Map<string, string>(),
    hasServiceAccount: true,
  }

  const issue = (of: string, life = state.life) => {
    const token = `ya29.token-${++made}`
    tokens.set(token, { of, expiresAt: clock.now + life * 1000 })
    return token
  }
  const given = (of: string) =>
    Response.json({ access_token: issue(of), expires_in: state.life, token_type: 'Bearer', scope: SCOPE })

  async function grant({ form }: CloudRequest): Promise<Response> {
    if (form.get('grant_type') === 'refresh_token') {
      const isKnown = form.get('client_id') === 'client.apps' && form.get('client_secret') === 'GOCSPX-client-secret'
      if (!isKnown) return rejected(401, 'invalid_client', `Unauthorized ${form.get('client_secret')}`)
      return state.refreshTokens.has(form.get('refresh_token') ?? '')
        ? given('user')
        : rejected(400, 'invalid_grant', `Token has been expired or revoked: ${form.get('refresh_token')}`)
    }
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
      return rejected(400, 'unsupported_grant_type', '')
    const found = await account.verify(form.get('assertion') ?? '', state.audience).catch((error: Error) => error)
    if (found instanceof Error) return rejected(400, 'invalid_grant', `Invalid JWT: ${found.message}`)
    const { claims, kid } = found
    const { iat = 0, exp = 0, scope } = claims
    if (kid !== state.keyId) return rejected(400, 'invalid_grant', 'Invalid JWT Signature.')
    if (exp - iat > 3600 || Math.abs(iat * 1000 - clock.now) > 300_000)
      return rejected(
        400,
        'invalid_grant',
        'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.',
      )
    return scope === SCOPE ? given(account.issuer) : rejected(400, 'invalid_scope', 'Invalid OAuth scope.')
  }

  /** The subject of the token that is exchanged. */
  async function subjectOf(form: URLSearchParams, signer: Signer): Promise<string | Error> {
    const [token, type] = [form.get('subject_token') ?? '', form.get('subject_token_type')]
    if (type === JWT_TYPE)
      return cluster.verify(token, 'google-audience').then(
        ({ claims }) => String(claims.sub),
        (error: Error) => error,
      )
    if (type !== AWS_TYPE) return new Error('Invalid subject_token_type')
    const { url, method, headers } = JSON.parse(decodeURIComponent(token)) as {
      url: string
      method: string
      headers: { key: string; value: string }[]
    }
    const sent = Object.fromEntries(headers.map(({ key, value }) => [key.toLowerCase(), value]))
    const { hostname, search, protocol } = new URL(url)
    if (
      protocol !== 'https:' ||
      !/^sts\.[a-z0-9-]+\.amazonaws\.com$/.test(hostname) ||
      search !== CALLER ||
      sent.host !== hostname
    )
      return new Error('not GetCallerIdentity')
    // Google's own libraries add it without signing it.
    if (sent['x-goog-cloud-target-resource'] !== form.get('audience')) return new Error('not for this audience')
    const by = signer({ method, url, headers: sent, body: '' })
    return Array.isArray(by) ? new Error(by.join(': ')) : by.accessKey
  }

  async function exchange({ form }: CloudRequest, signer: Signer): Promise<Response> {
    const isExchange = form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:token-exchange'
    const isForToken = form.get('requested_token_type') === 'urn:ietf:params:oauth:token-type:access_token'
    if (!isExchange || !isForToken || form.get('scope') !== SCOPE)
      return rejected(400, 'invalid_request', 'unsupported')
    if (form.get('audience') !== state.pool)
      return rejected(400, 'invalid_target', 'The target service indicated by the "audience" parameters is invalid.')
    const subject = await subjectOf(form, signer)
    if (subject instanceof Error)
      return rejected(400, 'invalid_grant', `${subject.message}: ${form.get('subject_token')}`)
    return Response.json({
      access_token: issue(subject),
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      expires_in: state.life,
    })
  }

  function impersonate({ headers, body, path }: CloudRequest): Response {
    const by = tokens.get(headers.authorization?.replace(/^Bearer /, '') ?? '')
    const { scope, lifetime } = JSON.parse(body) as { scope: string[]; lifetime: string }
    const email = decodeURIComponent(IMPERSONATION.exec(path)?.[1] ?? '')
    if (!by || by.expiresAt <= clock.now) return failed(401, 'UNAUTHENTICATED', `bad token ${headers.authorization}`)
    if (state.mayImpersonate.get(by.of) !== email)
      return failed(403, 'PERMISSION_DENIED', "Permission 'iam.serviceAccounts.getAccessToken' denied")
    const life = Number(/^(\d+)s$/.exec(lifetime)?.[1])
    if (!scope.includes(SCOPE) || !(life > 0 && life <= 3600))
      return failed(400, 'INVALID_ARGUMENT', 'lifetime or scope')
    return Response.json({
      accessToken: issue(email, life),
      expireTime: new Date(clock.now + life * 1000).toISOString(),
    })
  }

  function metadata({ headers }: CloudRequest): Response {
    if (headers['metadata-flavor'] !== 'Google') return new Response('', { status: 403 })
    const answer = state.hasServiceAccount ? given('default') : new Response('not found', { status: 404 })
    answer.headers.set('metadata-flavor', 'Google')
    return answer
  }

  return {
    state,
    account,
    tokens,
    service(request: CloudRequest, signer: Signer) {
      if (request.path.startsWith('/computeMetadata/')) return metadata(request)
      if (IMPERSONATION.test(request.path)) return impersonate(request)
      if (request.path === '/v1/token') return exchange(request, signer)
      return request.path === '/token' ? grant(request) : undefined
    },
  }
}

const rejected = (status: number, error: string, error_description: string) =>
  Response.json({ error, error_description }, { status })
const failed = (code: number, status: string, message: string) =>
  Response.json({ error: { code, message, status } }, { status: code })
