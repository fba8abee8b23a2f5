// The shared files of AWS, and what a profile in them says of credentials.
import { join } from 'node:path'
import { type AwsKeys, type Source, SourceFailed } from '../../credential.ts'
import { never, readIfThere, type SourceTools } from '../tools.ts'
import { runCredentialProcess } from './credential-process.ts'
import { containerSource, instanceSource } from './metadata.ts'
import { assumeRole, assumeRoleByToken, type Role } from './sts.ts'

type Profile = ReadonlyMap<string, string>
export type Profiles = ReadonlyMap<string, Profile>

/** Roles of roles. */
const MOST_STEPS = 5

/** From both files; what a profile has in both counts as the file of credentials has it. */
export async function readProfiles({ variables }: SourceTools): Promise<Profiles> {
  const inHome = (name: string) => variables.HOME && join(variables.HOME, '.aws', name)
  const profiles = new Map<string, Map<string, string>>()
  for (const [path, pattern] of [
    [variables.AWS_CONFIG_FILE ?? inHome('config'), /^(?:profile\s+["']?([^"']+)["']?|(default))$/],
    [variables.AWS_SHARED_CREDENTIALS_FILE ?? inHome('credentials'), /^(.+)$/],
  ] as const) {
    const text = path && (await readIfThere(path, 'profiles'))
    for (const [section, settings] of sectionsIn(text || '')) {
      const name = pattern.exec(section)?.slice(1).find(Boolean)?.trim()
      if (name !== undefined) profiles.set(name, new Map([...(profiles.get(name) ?? []), ...settings]))
    }
  }
  return profiles
}

/** Indented lines belong to a setting of other services. */
function sectionsIn(text: string): Map<string, Map<string, string>> {
  const sections = new Map<string, Map<string, string>>()
  let settings: Map<string, string> | undefined
  for (const line of text.split(/\r?\n/)) {
    const plain = line.replace(/(^|\s)[#;].*$/, '').trimEnd()
    const section = /^\[\s*([^\]]+?)\s*\]$/.exec(plain)?.[1]
    const [, name, value] = /^([^\s=][^=]*?)\s*=\s*(.*)$/.exec(plain) ?? []
    if (section !== undefined) {
      settings = sections.get(section) ?? new Map()
      sections.set(section, settings)
    } else if (name !== undefined && value) settings?.set(name.toLowerCase(), value)
  }
  return sections
}

/** undefined: the profile has nothing to do with credentials, or is the default one and is not there. */
export function profileSource(
  name: string,
  profiles: Profiles,
  tools: SourceTools,
  steps: readonly string[] = [],
): Source<AwsKeys> | undefined {
  const title = `profile ${name}`
  const profile = profiles.get(name)
  if (profile === undefined) return undefined
  const get = (setting: string) => profile.get(setting)
  const fail = (why: string) => new SourceFailed(`${title}: ${why}`)
  const roleArn = get('role_arn')
  // A role may name its own profile as the source of its keys.
  if (roleArn !== undefined && !steps.includes(name)) {
    const role = roleOf(roleArn, profile)
    const file = get('web_identity_token_file')
    if (file !== undefined) return { name: title, read: (signal) => assumeRoleByToken(role, file, tools, signal) }
    if (get('mfa_serial') !== undefined)
      throw fail('its role needs a code of a person (mfa_serial); use credential_process')
    if (steps.length >= MOST_STEPS) throw fail(`more than ${MOST_STEPS} roles lead to it`)
    const base = baseOf(profile, profiles, tools, [...steps, name])
    if (base === undefined) throw fail('its role needs a source_profile that exists, or a credential_source')
    return {
      name: `${title}, role of ${base.name}`,
      read: async (signal) => assumeRole(role, (await base.read(signal)).value, tools, signal),
    }
  }
  const [accessKey, secretKey] = [get('aws_access_key_id'), get('aws_secret_access_key')]
  if (accessKey !== undefined && secretKey !== undefined) {
    const keys = { accessKey, secretKey, sessionToken: get('aws_session_token') }
    return { name: title, read: async () => never(keys) }
  }
  const command = get('credential_process')
  if (command !== undefined) {
    const process = `${title}, credential_process`
    return { name: process, read: (signal) => runCredentialProcess(process, command, tools, signal) }
  }
  if (get('sso_session') ?? get('sso_start_url') ?? get('login_session'))
    throw fail(
      `its single sign-on is read by its program only: in another profile, set credential_process = aws configure export-credentials --profile ${name} --format process`,
    )
  return undefined
}

const roleOf = (roleArn: string, profile: Profile): Role => ({
  roleArn,
  region: profile.get('region'),
  externalId: profile.get('external_id'),
  sessionName: profile.get('role_session_name'),
  seconds: profile.get('duration_seconds'),
})

function baseOf(
  profile: Profile,
  profiles: Profiles,
  tools: SourceTools,
  steps: readonly string[],
): Source<AwsKeys> | undefined {
  const source = profile.get('source_profile')
  if (source !== undefined) return profileSource(source, profiles, tools, steps)
  switch (profile.get('credential_source')) {
    case 'Environment':
      return environmentSource(tools)
    case 'EcsContainer':
      return containerSource(tools)
    case 'Ec2InstanceMetadata':
      return instanceSource(tools)
    default:
      return undefined
  }
}

/** undefined: they are not set. */
export function environmentSource({ variables }: SourceTools): Source<AwsKeys> | undefined {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = variables
  if (AWS_ACCESS_KEY_ID === undefined || AWS_SECRET_ACCESS_KEY === undefined) return undefined
  const keys = { accessKey: AWS_ACCESS_KEY_ID, secretKey: AWS_SECRET_ACCESS_KEY, sessionToken: AWS_SESSION_TOKEN }
  return { name: 'environment', read: async () => never(keys) }
}
