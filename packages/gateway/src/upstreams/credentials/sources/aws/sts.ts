// Roles of AWS: temporary keys from STS, for other keys or for a token of a cluster.
import type { AwsKeys, Expiring } from '../../credential.ts'
import { SourceFailed } from '../../credential.ts'
import { createSigner } from '../../signer.ts'
import { type CredentialAnswer, elementIn } from '../answer.ts'
import { FORM } from '../fetch-credential.ts'
import { readToken, type SourceTools } from '../tools.ts'
import { temporaryKeys } from './keys.ts'

export type Role = {
  roleArn: string
  /** Absent: that of the environment. */
  region?: string | undefined
  externalId?: string | undefined
  sessionName?: string | undefined
  seconds?: string | undefined
}

const VERSION = '2011-06-15'

export async function assumeRole(
  role: Role,
  keys: AwsKeys,
  tools: SourceTools,
  signal: AbortSignal,
): Promise<Expiring<AwsKeys>> {
  const what = `role ${role.roleArn}`
  const { region, url } = stsOf(role, tools, what)
  const external = role.externalId === undefined ? {} : { ExternalId: role.externalId }
  const body = formOf('AssumeRole', role, tools, external)
  const headers = await signedHeaders({ method: 'POST', url, headers: FORM, body }, keys, region, tools)
  const secrets = [keys.secretKey, keys.sessionToken ?? keys.secretKey]
  const call = { url, body, headers, secrets }
  const advice = `Check the keys ${keys.accessKey}, and that the role's trust policy allows them to assume it, with the same external_id`
  return keysIn(await tools.fetch(what, call, signal), advice)
}

type Signed = { method: string; url: string; headers: Record<string, string>; body?: string }

/** The headers of a call of STS with its signature. */
export async function signedHeaders(
  { body = '', ...request }: Signed,
  keys: AwsKeys,
  region: string,
  { now }: SourceTools,
): Promise<Record<string, string>> {
  const sign = createSigner({ service: 'sts', region })
  return { ...request.headers, ...(await sign({ ...request, body: [Buffer.from(body)] }, keys, now())) }
}

/** The token is read each time: its cluster rotates it. */
export async function assumeRoleByToken(
  role: Role,
  tokenFile: string,
  tools: SourceTools,
  signal: AbortSignal,
): Promise<Expiring<AwsKeys>> {
  const what = `web identity for role ${role.roleArn}`
  const token = await readToken(tokenFile, what)
  const body = formOf('AssumeRoleWithWebIdentity', role, tools, { WebIdentityToken: token })
  const call = { url: stsOf(role, tools, what).url, body, headers: FORM, secrets: [token] }
  const advice =
    "The role's trust policy must name the issuer of the token, its audience (sts.amazonaws.com) and its subject (the service account)"
  return keysIn(await tools.fetch(what, call, signal), advice)
}

function formOf(action: string, role: Role, { variables }: SourceTools, more: Record<string, string>): string {
  return new URLSearchParams({
    Action: action,
    Version: VERSION,
    RoleArn: role.roleArn,
    RoleSessionName: role.sessionName ?? variables.AWS_ROLE_SESSION_NAME ?? 'trivium',
    ...(role.seconds === undefined ? {} : { DurationSeconds: role.seconds }),
    ...more,
  }).toString()
}

export const regionOf = ({ AWS_REGION, AWS_DEFAULT_REGION }: SourceTools['variables']): string | undefined =>
  AWS_REGION ?? AWS_DEFAULT_REGION

/** Without a region the one host that is for all of them, which is signed for as the first. */
function stsOf(role: Role, { variables }: SourceTools, what: string): { region: string; url: string } {
  const region = role.region ?? regionOf(variables)
  if (region !== undefined && !/^[a-z0-9-]{1,40}$/.test(region))
    throw new SourceFailed(`${what}: the region is no region`)
  const suffix = region?.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  const url = variables.AWS_ENDPOINT_URL_STS ?? `https://sts.${region === undefined ? '' : `${region}.`}${suffix}`
  return { region: region ?? 'us-east-1', url: `${url.replace(/\/+$/, '')}/` }
}

function keysIn(answer: CredentialAnswer, advice: string): Expiring<AwsKeys> {
  if (!answer.isOk) throw answer.rejected(advice)
  const credentials = /<Credentials>(.*?)<\/Credentials>/s.exec(answer.text)?.[1] ?? ''
  const names = ['AccessKeyId', 'SecretAccessKey', 'SessionToken', 'Expiration']
  const fields = Object.fromEntries(names.map((name) => [name, elementIn(credentials, name)]))
  return temporaryKeys(answer, fields, 'SessionToken')
}
