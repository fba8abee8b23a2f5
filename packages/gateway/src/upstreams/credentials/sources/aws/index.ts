// Keys of AWS: those that the configuration has, else the first source that is configured, in the order of the SDKs.
import type { UpstreamAuth } from '../../../../config/types.ts'
import { type AwsKeys, type Source, SourceFailed } from '../../credential.ts'
import { foundSource, never, type SourceTools } from '../tools.ts'
import { containerSource, instanceSource } from './metadata.ts'
import { environmentSource, profileSource, readProfiles } from './profiles.ts'
import { assumeRole, assumeRoleByToken } from './sts.ts'

export type AwsAuth = Extract<UpstreamAuth, { type: 'aws' }>

/** A source that is configured and fails is the answer: the next one would be another identity. */
export function awsSource(auth: AwsAuth, tools: SourceTools): Source<AwsKeys> {
  const { roleArn, region, externalId } = auth
  const base = foundSource('AWS', tools, () => find(auth, tools))
  if (roleArn === undefined) return base
  return {
    get name() {
      return `role ${roleArn} of ${base.name}`
    },
    read: async (signal) => assumeRole({ roleArn, region, externalId }, (await base.read(signal)).value, tools, signal),
  }
}

async function find(
  { accessKey, secretKey, sessionToken, profile, region }: AwsAuth,
  tools: SourceTools,
): Promise<Source<AwsKeys>> {
  const { variables } = tools
  if (accessKey !== undefined && secretKey !== undefined)
    return { name: 'configuration', read: async () => never({ accessKey, secretKey, sessionToken }) }
  const name = profile ?? variables.AWS_PROFILE
  const inProfile = async () => profileSource(name ?? 'default', await readProfiles(tools), tools)
  if (profile !== undefined) return (await inProfile()) ?? missingProfile(profile)
  const found = environmentSource(tools) ?? (await inProfile())
  if (found) return found
  if (variables.AWS_PROFILE !== undefined) return missingProfile(variables.AWS_PROFILE)
  const { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: roleArn } = variables
  if (file !== undefined && roleArn !== undefined)
    return { name: 'web identity', read: (signal) => assumeRoleByToken({ roleArn, region }, file, tools, signal) }
  return containerSource(tools) ?? instanceSource(tools)
}

function missingProfile(name: string): never {
  throw new SourceFailed(
    `profile ${name}: not in the shared files of AWS, or without credentials; check AWS_PROFILE, AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE`,
  )
}
