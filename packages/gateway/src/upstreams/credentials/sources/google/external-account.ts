// Workload identity federation: a token of another cloud or cluster is exchanged for one of Google Cloud.
import { type AccessToken, type Expiring, SourceFailed } from '../../credential.ts'
import { type JsonObject, objectIn } from '../answer.ts'
import { awsSource } from '../aws/index.ts'
import { instanceRegion } from '../aws/metadata.ts'
import { regionOf, signedHeaders } from '../aws/sts.ts'
import { readText, type SourceTools, tokenIn } from '../tools.ts'
import { CLOUD_SCOPE, type GoogleCredentials, googleUrl } from './credentials.ts'
import { askToken } from './tokens.ts'

const STS_URL = 'https://sts.googleapis.com/v1/token'
const CALLER_URL = 'https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15'
const IMPERSONATION = 'service_account_impersonation_url'
const LIFE_SECONDS = 3600

export async function exchangeToken(
  credentials: GoogleCredentials,
  tools: SourceTools,
  signal: AbortSignal,
): Promise<Expiring<AccessToken>> {
  const { what, object } = credentials
  const subject = await subjectToken(credentials, tools, signal)
  const userProject = object.workforce_pool_user_project
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    audience: String(object.audience),
    scope: CLOUD_SCOPE,
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    subject_token: subject,
    subject_token_type: String(object.subject_token_type),
    ...(userProject === undefined ? {} : { options: JSON.stringify({ userProject }) }),
  }
  const advice =
    'The provider of the workload identity pool must accept the issuer, the audience and the attributes of the token'
  const url = googleUrl(credentials, 'token_url', STS_URL)
  const token = await askToken(`${what}: exchange`, url, form, [subject], advice, tools, signal)
  return object[IMPERSONATION] === undefined ? token : await impersonate(credentials, token.value, tools, signal)
}

/** A token of the service account that the URL of the credentials names. */
export async function impersonate(
  credentials: GoogleCredentials,
  token: AccessToken,
  tools: SourceTools,
  signal: AbortSignal,
): Promise<Expiring<AccessToken>> {
  const { what, object } = credentials
  const url = googleUrl(credentials, IMPERSONATION, '')
  const { token_lifetime_seconds: seconds = LIFE_SECONDS } = (object.service_account_impersonation ?? {}) as JsonObject
  const { delegates } = object
  const body = JSON.stringify({
    scope: [CLOUD_SCOPE],
    lifetime: `${seconds}s`,
    ...(delegates === undefined ? {} : { delegates }),
  })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const answer = await tools.fetch(`${what}: impersonation`, { url, body, headers, secrets: [token] }, signal)
  const found = answer.object(
    'The identity needs the role Service Account Token Creator (or Workload Identity User) on the service account',
  )
  return { value: answer.field(found, 'accessToken'), expiresAt: answer.endAt(Date.parse(String(found.expireTime))) }
}

async function subjectToken(
  { what, object }: GoogleCredentials,
  tools: SourceTools,
  signal: AbortSignal,
): Promise<string> {
  const source = (object.credential_source ?? {}) as JsonObject
  if (typeof source.environment_id === 'string')
    return await callerOfAws(String(object.audience), source, tools, signal)
  const title = `${what}: subject token`
  if (typeof source.file === 'string') return tokenOf(await readText(source.file, title), source, title)
  if (typeof source.url !== 'string')
    throw new SourceFailed(
      `${what}: credential_source must have a file, a url or an environment_id; others are not supported`,
    )
  const headers = Object.fromEntries(Object.entries(source.headers ?? {}).map(([name, value]) => [name, String(value)]))
  const answer = await tools.fetch(title, { url: source.url, headers, secrets: Object.values(headers) }, signal)
  if (!answer.isOk) throw answer.rejected('Check url and headers of credential_source')
  return tokenOf(answer.text, source, title)
}

/** The text itself, or a field of its JSON. */
function tokenOf(text: string, source: JsonObject, what: string): string {
  const { type, subject_token_field_name: name } = (source.format ?? {}) as JsonObject
  if (type !== 'json') return tokenIn(text.trim(), what)
  return tokenIn(String(objectIn(text)?.[String(name)] ?? ''), `${what}: the field ${name}`)
}

/** A signed request that tells who signs it: Google sends it to AWS. */
async function callerOfAws(
  audience: string,
  source: JsonObject,
  tools: SourceTools,
  signal: AbortSignal,
): Promise<string> {
  const region = regionOf(tools.variables) ?? (await instanceRegion(tools, signal))
  const { value } = await awsSource({ type: 'aws', region }, tools).read(signal)
  const url = String(source.regional_cred_verification_url ?? CALLER_URL).replace('{region}', region)
  const named = { 'x-goog-cloud-target-resource': audience }
  const signed = await signedHeaders({ method: 'POST', url, headers: named }, value, region, tools)
  const headers = Object.entries({ host: new URL(url).host, ...signed }).map(([key, text]) => ({ key, value: text }))
  return encodeURIComponent(JSON.stringify({ url, method: 'POST', headers }))
}
