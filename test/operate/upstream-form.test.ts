// What the forms of an upstream of a cloud ask for, and what they write.
import { expect, test } from 'bun:test'
import {
  type Auth,
  authFieldsOf,
  firstType,
  storedAuth,
} from '../../packages/console/src/operate/pages/upstreams/cloud.ts'
import { EMPTY, upstreamOf } from '../../packages/console/src/operate/pages/upstreams/wizard/draft.ts'
import { listUpstreamKinds } from '../../packages/gateway/src/operate/upstreams/kinds.ts'

const { items } = await listUpstreamKinds.run({} as never, {})
const kindOf = (id: string) => {
  const kind = items.find((each) => each.id === id)
  if (!kind) throw new Error(`no kind ${id}`)
  return kind
}
const fieldsOf = (id: string, hasBaseUrl = false) =>
  Object.fromEntries(
    kindOf(id).auth.map(({ type }) => [type, authFieldsOf(kindOf(id), type, hasBaseUrl).map(({ name }) => name)]),
  )

test.each([
  ['openai', 'key', [], { key: [] }],
  ['bedrock', 'aws', ['region'], { key: [], aws: ['access_key', 'secret_key', 'session_token'] }],
  ['vertex-claude', 'google', ['project', 'location'], { key: [], google: ['credentials'] }],
  ['azure-classic', 'entra', ['resource'], { key: [], entra: ['tenant', 'client_id', 'client_secret'] }],
] as const)('%s asks by default for %s, and for what stored upstreams may have', (id, type, places, fields) => {
  expect(firstType(kindOf(id))).toBe(type)
  expect(kindOf(id).place_fields).toEqual([...places])
  expect(fieldsOf(id) as unknown).toEqual(fields)
})

test('a base URL of one’s own does not say where it is, and nothing asks for what only the file may have', () => {
  expect(fieldsOf('bedrock', true).aws).toEqual(['region', 'access_key', 'secret_key', 'session_token'])
  const all = items.flatMap(({ auth }) => auth.flatMap(({ fields }) => fields.map(({ name }) => name)))
  for (const name of ['profile', 'role_arn', 'external_id']) expect(all).not.toContain(name)
  const secrets = kindOf('azure').auth.flatMap(({ fields }) => fields.filter(({ is_secret }) => is_secret))
  expect(secrets.map(({ name }) => name)).toEqual(['client_secret'])
  expect(kindOf('azure-classic').api_version).toBe('2024-10-21')
})

const AWS: Auth = { type: 'aws', access_key: ' AKID ', secret_key: '' }
test.each([
  [
    { kind: 'openai', key: ' k ' },
    { kind: 'openai', keys: ['k'] },
  ],
  [
    { kind: 'bedrock', place: { region: ' eu-west-1 ' }, auth: AWS, key: 'of before' },
    { kind: 'bedrock', region: 'eu-west-1', auth: { type: 'aws', access_key: 'AKID' } },
  ],
  [
    { kind: 'bedrock', place: { region: 'eu-west-1' }, auth: { type: 'key' }, key: 'k' },
    { kind: 'bedrock', region: 'eu-west-1', keys: ['k'] },
  ],
  [
    {
      kind: 'azure-classic',
      baseUrl: 'https://my.openai.azure.com/openai',
      place: { resource: 'my', api_version: '2025-01-01' },
      auth: { type: 'entra' },
    },
    {
      kind: 'azure-classic',
      base_url: 'https://my.openai.azure.com/openai',
      api_version: '2025-01-01',
      auth: { type: 'entra' },
    },
  ],
] as const)('the draft %j', (draft, written) => {
  expect(upstreamOf({ ...EMPTY, ...draft }) as unknown).toEqual(written)
})

test('of a stored upstream, the type that authorises it is what is written, or follows from its kind', () => {
  expect(storedAuth({ auth: null, keys: [{}] }, kindOf('bedrock'))).toEqual({ type: 'key' })
  expect(storedAuth({ auth: null, keys: null }, kindOf('bedrock'))).toEqual({ type: 'aws' })
  expect(storedAuth({ auth: AWS, keys: null }, kindOf('bedrock'))).toBe(AWS)
})
