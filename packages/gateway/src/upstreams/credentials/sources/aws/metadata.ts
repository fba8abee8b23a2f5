// Keys of AWS from where the gateway runs: a task of ECS, a pod with EKS Pod Identity, an instance of EC2.
import { type AwsKeys, type Source, SourceFailed } from '../../credential.ts'
import type { CredentialAnswer } from '../answer.ts'
import { METADATA } from '../fetch-credential.ts'
import { readToken, type SourceTools, tokenIn } from '../tools.ts'
import { temporaryKeys } from './keys.ts'

const CONTAINER = 'container credentials'
const INSTANCE = 'instance metadata'
const ROLES = '/latest/meta-data/iam/security-credentials/'
const TOKEN_SECONDS = '21600'

/** undefined: the platform has set none of its variables. */
export function containerSource(tools: SourceTools): Source<AwsKeys> | undefined {
  const { variables } = tools
  const relative = variables.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI
  const url = relative === undefined ? variables.AWS_CONTAINER_CREDENTIALS_FULL_URI : METADATA.container + relative
  if (url === undefined) return undefined
  return {
    name: CONTAINER,
    async read(signal) {
      const token = await containerToken(variables)
      const headers = token === undefined ? {} : { authorization: token }
      const answer = await tools.fetch(CONTAINER, { url, headers, secrets: token === undefined ? [] : [token] }, signal)
      const advice = 'Check the role of the task, or the pod identity association of the service account'
      return temporaryKeys(answer, answer.object(advice), 'Token')
    },
  }
}

/** The file is read each time: the platform rotates it. */
async function containerToken(variables: SourceTools['variables']): Promise<string | undefined> {
  const file = variables.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE
  if (file !== undefined) return await readToken(file, CONTAINER)
  const token = variables.AWS_CONTAINER_AUTHORIZATION_TOKEN
  return token === undefined ? undefined : tokenIn(token, `${CONTAINER}: AWS_CONTAINER_AUTHORIZATION_TOKEN`)
}

/** Version 2 alone, whose token a program cannot be tricked into fetching. */
export function instanceSource(tools: SourceTools): Source<AwsKeys> {
  const { AWS_EC2_METADATA_DISABLED, AWS_EC2_METADATA_SERVICE_ENDPOINT } = tools.variables
  const base = (AWS_EC2_METADATA_SERVICE_ENDPOINT ?? METADATA.instance).replace(/\/+$/, '')
  return {
    name: INSTANCE,
    async read(signal) {
      if (AWS_EC2_METADATA_DISABLED?.toLowerCase() === 'true') throw new SourceFailed(`${INSTANCE}: ${NOTHING}`)
      const session = await openInstance(base, tools, signal)
      const listed = await session(ROLES)
      const role = listed.isOk ? listed.text.trim().split('\n')[0] : ''
      if (!role) throw listed.rejected('The instance has no role: attach an instance profile')
      const answer = await session(ROLES + encodeURIComponent(role))
      const found = answer.object('Check the role of the instance')
      if (found.Code !== undefined && found.Code !== 'Success')
        throw answer.rejected('Check the trust policy of the role of the instance')
      return temporaryKeys(answer, found, 'Token')
    },
  }
}

export async function instanceRegion(tools: SourceTools, signal: AbortSignal): Promise<string> {
  const base = (tools.variables.AWS_EC2_METADATA_SERVICE_ENDPOINT ?? METADATA.instance).replace(/\/+$/, '')
  const answer = await (await openInstance(base, tools, signal))('/latest/meta-data/placement/region')
  if (!answer.isOk) throw answer.rejected('Set AWS_REGION')
  return answer.text.trim()
}

async function openInstance(
  base: string,
  tools: SourceTools,
  signal: AbortSignal,
): Promise<(path: string) => Promise<CredentialAnswer>> {
  const headers = { 'x-aws-ec2-metadata-token-ttl-seconds': TOKEN_SECONDS }
  const call = { method: 'PUT' as const, url: `${base}/latest/api/token`, headers, absent: NOTHING }
  const opened = await tools.fetch(INSTANCE, call, signal)
  if (!opened.isOk) throw opened.rejected(ONLY_VERSION_1)
  const token = tokenIn(opened.text.trim(), `${INSTANCE}: the session token`)
  const opening = { headers: { 'x-aws-ec2-metadata-token': token }, secrets: [token] }
  return (path) => tools.fetch(INSTANCE, { url: base + path, ...opening }, signal)
}

const ONLY_VERSION_1 =
  'Version 2 of instance metadata (IMDSv2) is needed: version 1 is not used. Enable it for the instance'

const NOTHING =
  'No other source is configured: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile in ~/.aws, a role of the service account or of the task; in a container on EC2, a hop limit of 2 for instance metadata'
