// The grants of Google's token service.
import { type AccessToken, type Expiring, SourceFailed } from '../../credential.ts'
import { FORM } from '../fetch-credential.ts'
import type { SourceTools } from '../tools.ts'
import { CLOUD_SCOPE, type GoogleCredentials, tokenUrl } from './credentials.ts'

const LIFE_SECONDS = 3600

/** A JWT, signed with the key of the service account, for a token. */
export async function serviceAccountToken(
  credentials: GoogleCredentials,
  tools: SourceTools,
  signal: AbortSignal,
): Promise<Expiring<AccessToken>> {
  const { what, object } = credentials
  const { importPKCS8, SignJWT } = await import('jose')
  const url = tokenUrl(credentials)
  const key = await importPKCS8(String(object.private_key), 'RS256').catch(() => {
    throw new SourceFailed(`${what}: private_key is not an RSA key in PEM (PKCS #8)`)
  })
  const now = Math.floor(tools.now() / 1000)
  const assertion = await new SignJWT({ scope: CLOUD_SCOPE })
    .setProtectedHeader({
      alg: 'RS256',
      typ: 'JWT',
      ...(typeof object.private_key_id === 'string' ? { kid: object.private_key_id } : {}),
    })
    .setIssuer(String(object.client_email))
    .setAudience(url)
    .setIssuedAt(now)
    .setExpirationTime(now + LIFE_SECONDS)
    .sign(key)
  const form = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }
  return askToken(
    what,
    url,
    form,
    [assertion],
    'Check that the key of the service account is not disabled or deleted',
    tools,
    signal,
  )
}

export async function userToken(
  credentials: GoogleCredentials,
  tools: SourceTools,
  signal: AbortSignal,
): Promise<Expiring<AccessToken>> {
  const { what, object } = credentials
  const [client_id, client_secret, refresh_token] = [
    String(object.client_id),
    String(object.client_secret),
    String(object.refresh_token),
  ]
  const form = { grant_type: 'refresh_token', client_id, client_secret, refresh_token }
  const advice = 'If it was revoked or has expired, run: gcloud auth application-default login'
  return askToken(what, tokenUrl(credentials), form, [client_secret, refresh_token], advice, tools, signal)
}

export async function askToken(
  what: string,
  url: string,
  form: Record<string, string>,
  secrets: readonly string[],
  advice: string,
  tools: SourceTools,
  signal: AbortSignal,
): Promise<Expiring<AccessToken>> {
  const body = new URLSearchParams(form).toString()
  const answer = await tools.fetch(what, { url, body, headers: FORM, secrets }, signal)
  const found = answer.object(advice)
  return { value: answer.field(found, 'access_token'), expiresAt: answer.endAfter(found, 'expires_in') }
}
