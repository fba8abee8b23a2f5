// What profiles of the shared files say of credentials.
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { awsReading, IN_ENVIRONMENT, KEYS, ROLE } from '../../../../../test-support/clouds/aws-reading.ts'
import { failureOf, readNow, useClouds, type Variables } from '../../../../../test-support/clouds/use-clouds.ts'

const setup = useClouds()
const { source, read, config, expectGiven, clusterToken } = awsReading(setup)

describe('profiles', () => {
  test('keys, from both files; the file of credentials wins', async () => {
    const variables = {
      AWS_CONFIG_FILE: config(
        '[default]\nregion = eu-west-1\n[profile "the team"] # ours\naws_access_key_id=OLD\ns3 =\n  aws_access_key_id = NESTED\n',
      ),
      AWS_SHARED_CREDENTIALS_FILE: config(
        '; a comment\n[the team]\nAWS_ACCESS_KEY_ID = AKIDNEW # new\naws_secret_access_key = a=b/c+d\naws_session_token = t\n',
      ),
    }
    const expected = { accessKey: 'AKIDNEW', secretKey: 'a=b/c+d', sessionToken: 't' }
    expect((await read({ profile: 'the team' }, variables)).value).toEqual(expected)
    expect((await read({}, { ...variables, AWS_PROFILE: 'the team' })).value).toEqual(expected)
  })

  test('files in the home folder, read anew each time', async () => {
    const home = join(setup.folder, 'home')
    const write = (key: string) =>
      setup.file('home/.aws/credentials', `[default]\naws_access_key_id = ${key}\naws_secret_access_key = x\n`)
    const found = source({}, { HOME: home })
    write('AKIDFIRST')
    expect((await readNow(found)).value.accessKey).toBe('AKIDFIRST')
    write('AKIDSECOND')
    expect((await readNow(found)).value.accessKey).toBe('AKIDSECOND')
  })

  test('roles of roles, each signed by the keys before', async () => {
    const { aws } = setup.clouds
    aws.roles.set('arn:aws:iam::1:role/first', { trusts: [KEYS.accessKey], externalId: 'x-1' })
    aws.roles.set('arn:aws:iam::2:role/second', { trusts: ['*'] })
    const variables = {
      AWS_CONFIG_FILE: config(`
[profile base]
aws_access_key_id = ${KEYS.accessKey}
aws_secret_access_key = ${KEYS.secretKey}
[profile first]
role_arn = arn:aws:iam::1:role/first
source_profile = base
external_id = x-1
[profile second]
role_arn = arn:aws:iam::2:role/second
source_profile = first
region = eu-west-1
duration_seconds = 900
role_session_name = seven
`),
    }
    expectGiven(await read({ profile: 'second' }, variables))
    expect(aws.sessions.get('arn:aws:iam::2:role/second')).toEqual({
      region: 'eu-west-1',
      name: 'seven',
      seconds: '900',
    })
  })

  test.each([
    ['Environment', IN_ENVIRONMENT],
    [
      'EcsContainer',
      {
        AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/credentials/7',
        AWS_CONTAINER_AUTHORIZATION_TOKEN: 'container-token',
      },
    ],
    ['Ec2InstanceMetadata', {}],
  ] as [string, Variables][])('a role with the keys of %s', async (name, variables) => {
    setup.clouds.aws.state.container.token = 'container-token'
    setup.clouds.aws.roles.set(ROLE, { trusts: ['*', KEYS.accessKey] })
    const AWS_CONFIG_FILE = config(`[profile p]\nrole_arn = ${ROLE}\ncredential_source = ${name}\n`)
    expectGiven(await read({ profile: 'p' }, { ...variables, AWS_CONFIG_FILE }))
  })

  test('a role with its own keys, and one with a token', async () => {
    setup.clouds.aws.roles.set(ROLE, { trusts: [KEYS.accessKey], subject: 'system:serviceaccount:ai:gateway' })
    const token = setup.file('profile-token', await clusterToken())
    const AWS_CONFIG_FILE = config(`
[profile own]
role_arn = ${ROLE}
source_profile = own
aws_access_key_id = ${KEYS.accessKey}
aws_secret_access_key = ${KEYS.secretKey}
[profile token]
role_arn = ${ROLE}
web_identity_token_file = ${token}
`)
    expectGiven(await read({ profile: 'own' }, { AWS_CONFIG_FILE }))
    expectGiven(await read({ profile: 'token' }, { AWS_CONFIG_FILE }))
  })

  test.each([
    ['role_arn = r\nsource_profile = gone', 'needs a source_profile that exists, or a credential_source'],
    ['role_arn = r\nsource_profile = p', 'needs a source_profile that exists, or a credential_source'],
    [
      'role_arn = r\nsource_profile = q\n[profile q]\nrole_arn = s\nsource_profile = p',
      'profile q: its role needs a source_profile',
    ],
    ['role_arn = r\nsource_profile = p\nmfa_serial = m', 'needs a code of a person'],
    ['sso_session = corp\nsso_account_id = 1', 'aws configure export-credentials --profile p --format process'],
    ['sso_start_url = https://x', 'set credential_process'],
    ['region = eu-west-1', 'without credentials'],
  ])('%j', async (settings, message) => {
    const variables = { AWS_CONFIG_FILE: config(`[profile p]\n${settings}\n`) }
    expect(await failureOf(read({ profile: 'p' }, variables))).toContain(message)
  })
})
