// Field `auth` of upstreams: what it may hold, and what stored entries may not.
import { describe, expect, test } from 'bun:test'
import { KINDS } from '../upstreams/kinds/index.ts'
import { assemble } from './assemble.ts'
import { describeChanges } from './changes.ts'
import type { FileConfig, UpstreamAuth } from './types.ts'

const BUILT_IN = {
  kinds: KINDS,
  priceList: () => ({ date: '2026-01-01', vendors: [] }),
  limits: () => undefined,
  capabilities: () => undefined,
  now: () => 0,
}
const BEDROCK = { kind: 'bedrock', base_url: 'https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1' }
const VERTEX = { kind: 'vertex', base_url: 'https://aiplatform.googleapis.com/v1/projects/p/locations/global' }
const AZURE = { kind: 'azure', base_url: 'https://my.openai.azure.com/openai/v1' }
const ARN = 'arn:aws:iam::123456789012:role/trivium'

type Written = Record<string, unknown>

const inFile = (upstream: Written) =>
  assemble(
    { source: JSON.stringify({ upstreams: [{ id: 'u', ...upstream }] }), file: '/etc/trivium/trivium.yaml', env: {} },
    BUILT_IN,
  )
const stored = (value: Written) =>
  assemble(
    {
      source: '',
      file: '',
      env: {},
      stored: [{ kind: 'upstream', id: 'u', value, revision: 1 }],
      strictly: new Set(['upstreams/u']),
    },
    BUILT_IN,
  )
const authOf = (result: ReturnType<typeof assemble>): UpstreamAuth | undefined =>
  result.config?.upstreams.get('u')?.auth
const mistakesOf = ({ mistakes }: ReturnType<typeof assemble>): string =>
  mistakes.map(({ message }) => message).join('\n')
const json = (fields: Written) =>
  JSON.stringify({ type: 'service_account', client_email: 'a@b', private_key: 'k', ...fields })

describe('in the file', () => {
  test.each<[Written, UpstreamAuth | undefined]>([
    [{ ...BEDROCK, auth: { type: 'aws' } }, { type: 'aws' }],
    [BEDROCK, { type: 'aws' }],
    [VERTEX, { type: 'google' }],
    [{ ...BEDROCK, keys: ['k'] }, undefined],
    [
      { ...BEDROCK, auth: { type: 'aws', region: 'eu-west-1', role_arn: ARN, external_id: 'x-1', profile: 'p' } },
      { type: 'aws', region: 'eu-west-1', roleArn: ARN, externalId: 'x-1', profile: 'p' },
    ],
    [
      { ...VERTEX, auth: { type: 'google', credentials: 'g.json' } },
      { type: 'google', credentials: '/etc/trivium/g.json' },
    ],
    [
      { ...AZURE, auth: { type: 'entra', tenant: 't', client_id: 'c', client_secret: 's' } },
      { type: 'entra', tenant: 't', clientId: 'c', clientSecret: 's' },
    ],
  ])('%j', (upstream, expected) => {
    const result = inFile(upstream)
    expect(mistakesOf(result)).toBe('')
    expect(authOf(result)).toEqual(expected)
    expect(result.config?.upstreams.get('u')?.keys).toEqual([expected?.type ?? 'k'])
  })

  test.each<[Written, string]>([
    [{ ...BEDROCK, auth: { type: 'aws' }, keys: ['k'] }, 'keys already authorise its requests'],
    [
      { ...BEDROCK, auth: { type: 'google' } },
      'the kind bedrock does not take auth of type google; kinds that do: vertex, vertex-claude',
    ],
    [
      { dialect: 'chat', base_url: 'https://a.example/v1', auth: { type: 'aws' } },
      'an upstream without kind does not take auth',
    ],
    [{ ...BEDROCK, auth: { type: 'azure' } }, 'expected one of aws, google, entra, not "azure"'],
    [{ ...BEDROCK, auth: { region: 'us-east-1' } }, 'type is missing'],
    [{ ...BEDROCK, auth: { type: 'aws', tenant: 't' } }, 'unknown field "tenant"'],
    [{ ...BEDROCK, auth: { type: 'aws', access_key: 'a' } }, 'access_key and secret_key go together'],
    [{ ...BEDROCK, auth: { type: 'aws', region: 'us-east-1.evil.example/' } }, 'is not possible here'],
    [{ ...BEDROCK, auth: { type: 'aws', role_arn: 'arn' } }, 'write one such as arn:aws:iam'],
    [{ ...BEDROCK, auth: { type: 'aws', external_id: 'x1' } }, 'write role_arn, too'],
    [{ ...BEDROCK, auth: 'aws' }, 'expected fields'],
    [{ ...VERTEX, auth: { type: 'google', credentials: '{ "a": 1 }' } }, 'it has no type'],
    [{ kind: 'sandbox', auth: { type: 'aws' } }, 'the sandbox models have no such setting'],
  ])('%j: %s', (upstream, message) => {
    expect(mistakesOf(inFile(upstream))).toContain(message)
  })

  test('mistakes never repeat a secret', () => {
    const secret = 'a planted secret'
    for (const name of ['access_key', 'secret_key', 'session_token'])
      expect(mistakesOf(inFile({ ...BEDROCK, auth: { type: 'aws', [name]: secret } }))).not.toContain('planted')
    const broken = { ...VERTEX, auth: { type: 'google', credentials: '{ "private_key": "planted' } }
    expect(mistakesOf(inFile(broken))).not.toContain('planted')
  })
})

describe('stored', () => {
  test.each<[Written, UpstreamAuth]>([
    [BEDROCK, { type: 'aws' }],
    [
      { ...BEDROCK, auth: { type: 'aws', region: 'us-east-1' } },
      { type: 'aws', region: 'us-east-1' },
    ],
    [AZURE, { type: 'entra' }],
    [{ kind: 'bedrock-mantle', region: 'us-east-1' }, { type: 'aws' }],
    [
      { kind: 'bedrock-invoke', auth: { type: 'aws', region: 'cn-north-1' } },
      { type: 'aws', region: 'cn-north-1' },
    ],
    [{ kind: 'vertex', project: 'acme', location: 'eu' }, { type: 'google' }],
    [{ kind: 'azure-claude', resource: 'acme' }, { type: 'entra' }],
    [{ ...AZURE, base_url: 'https://my.openai.azure.us/openai/v1' }, { type: 'entra' }],
    [
      { ...VERTEX, base_url: 'https://gateway.example/v1', auth: { type: 'google', credentials: json({}) } },
      { type: 'google', credentials: json({}) },
    ],
  ])('%j', (value, expected) => {
    const result = stored(value)
    expect(mistakesOf(result)).toBe('')
    expect(authOf(result)).toEqual(expected)
  })

  const ONLY_IN_FILE = 'can only be set in the configuration file'
  test.each<[Written, string]>([
    [{ ...BEDROCK, auth: { type: 'aws', profile: 'p' } }, `profile: ${ONLY_IN_FILE}`],
    [{ ...BEDROCK, auth: { type: 'aws', role_arn: ARN } }, `role_arn: ${ONLY_IN_FILE}`],
    [{ ...BEDROCK, auth: { type: 'aws', external_id: 'x1' } }, `external_id: ${ONLY_IN_FILE}`],
    [{ ...VERTEX, auth: { type: 'google', credentials: '/etc/passwd' } }, ONLY_IN_FILE],
    [{ ...VERTEX, auth: { type: 'google', credentials: json({ type: 'external_account' }) } }, ONLY_IN_FILE],
    [
      { ...VERTEX, auth: { type: 'google', credentials: json({ type: 'impersonated_service_account' }) } },
      ONLY_IN_FILE,
    ],
    [
      { ...VERTEX, auth: { type: 'google', credentials: json({ token_uri: 'http://169.254.169.254/' }) } },
      'another token_uri',
    ],
    [
      { ...VERTEX, auth: { type: 'google', credentials: json({ universe_domain: 'evil.example' }) } },
      'another universe_domain',
    ],
    // The credentials of the machine go to the vendor alone.
    [{ ...BEDROCK, base_url: 'https://evil.example/v1' }, 'is not a host of the vendor'],
    [{ ...BEDROCK, base_url: 'https://evil.execute-api.us-east-1.amazonaws.com/v1' }, 'is not a host of the vendor'],
    [{ ...VERTEX, base_url: 'https://aiplatform.googleapis.com.evil.example/v1' }, 'is not a host of the vendor'],
    [{ ...VERTEX, base_url: 'http://aiplatform.googleapis.com/v1' }, 'is not a host of the vendor'],
    [
      { kind: 'bedrock-invoke', base_url: 'https://bedrock-runtime.us-east-1.amazonaws.com.evil.example' },
      'is not a host of the vendor',
    ],
    [{ ...AZURE, base_url: 'https://evil.azure-api.net/openai/v1' }, 'is not a host of the vendor'],
    [{ ...AZURE, base_url: 'https://evil.example/.openai.azure.com/openai/v1' }, 'is not a host of the vendor'],
  ])('%j: %s', (value, message) => {
    expect(mistakesOf(stored(value))).toContain(message)
  })
})

test('a change of a secret is named without it, and leaves the hash as it is; another change does not', () => {
  const configOf = (auth: Written) => inFile({ ...BEDROCK, auth: { type: 'aws', ...auth } }).config as FileConfig
  const before = configOf({ access_key: 'a', secret_key: 'old-secret' })
  const after = configOf({ access_key: 'a', secret_key: 'new-secret' })
  expect(describeChanges(before, after)).toEqual([{ what: 'upstreams[u].auth changed', restart: false }])
  expect(after.hash).toBe(before.hash)
  expect(configOf({ role_arn: ARN }).hash).not.toBe(configOf({}).hash)
})
