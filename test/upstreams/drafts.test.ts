// What an operator does before an upstream is stored: kinds, models, a priced test, and the whole as one revision; then its figures.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type AdminClient, adminClient, adminOutcome } from '../support/admin/admin-client.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { operate } from '../support/gateway/operate.ts'
import { type StubVendor, startStubVendor } from '../support/upstreams/stub-vendor.ts'

type Json = Record<string, unknown>
type List = { data: Json[] }

let vendor: StubVendor
let gateway: Gateway
let admin: AdminClient
beforeAll(async () => {
  vendor = startStubVendor()
  gateway = await startGateway({ config: 'server: { show_upstreams: true }\n' })
  const made = await operate<{ secret: string }>(gateway, 'admin-key create', { name: 'ops', role: 'admin' })
  admin = adminClient(gateway.url, made.secret)
})
afterAll(async () => {
  await gateway.stop()
  vendor.stop()
})

const ROLE = 'arn:aws:iam::123456789012:role/trivium'
const TEXT = { model: 'm', estimate: true }

const draft = (more: Json = {}) => ({ kind: 'openai', base_url: vendor.baseUrl, keys: [vendor.key], ...more })
const booked = async () => (await admin<List>('GET', 'ledger/transfers?kind=test')).body.data.length

test('every kind says what it needs, and where its keys are made', async () => {
  const { data } = (await admin<List>('GET', 'upstream-kinds')).body
  const kind = (id: string) => data.find((each) => each.id === id)
  expect(kind('openai')).toMatchObject({
    name: 'OpenAI',
    base_url: 'https://api.openai.com/v1',
    needs_base_url: false,
    needs_key: true,
    keys_url: 'https://platform.openai.com/api-keys',
  })
  expect(kind('azure')).toMatchObject({ base_url: null, needs_base_url: true, base_url_example: expect.any(String) })
  expect(kind('ollama')).toMatchObject({ needs_key: false, keys_url: null })
  expect(Number(kind('openai')?.priced_models)).toBeGreaterThan(3)
  expect(kind('voyage')).toMatchObject({ protocols: [], priced_models: 6 })
  expect(kind('vertex-claude')).toMatchObject({ place_fields: ['project', 'location'] })
  expect(kind('openai')).toMatchObject({ auth: [{ type: 'key', fields: [] }], api_version: null })
  const names = ['region', 'access_key', 'secret_key', 'session_token']
  const aws = { type: 'aws', fields: names.map((name) => ({ name, is_secret: name !== 'region' })) }
  expect(kind('bedrock')).toMatchObject({ auth: [{ type: 'key', fields: [] }, aws] })
  // Whoever needs a key from a vendor is told where it is.
  const without = data.filter(({ needs_key, keys_url }) => needs_key && keys_url === null).map(({ id }) => id)
  expect(without).toEqual([])
})

test('a draft is tested with its real answer, after its price, and the cost is booked', async () => {
  const before = await booked()
  const estimate = await admin('POST', 'upstream-drafts/test', { body: draft({ estimate: true }) })
  // The cheapest model of the list, by what the test would cost.
  expect(estimate.body).toMatchObject({ type: 'text', price: 'list', calls: 4, checks: [], booked: false })
  expect(Number(estimate.body.cost_at_most_usd)).toBeGreaterThan(0)
  expect(vendor.answered()).toBe(0)
  const tested = await admin('POST', 'upstream-drafts/test', { body: draft({ model: 'gpt-6.1-terra' }) })
  expect(tested.body).toMatchObject({ ok: true, model: 'gpt-6.1-terra', calls: 4, booked: true })
  const checks = tested.body.checks as { ok: boolean; answer: string }[]
  expect(checks.map(({ ok }) => ok)).toEqual([true, true, true, true])
  expect(checks[0]?.answer).toMatch(/\w/)
  expect(vendor.answered()).toBe(4)
  expect(await booked()).toBe(before + 1)
  const rows = (await admin<List>('GET', 'audit-log?limit=1')).body.data
  expect(rows).toMatchObject([{ action: 'upstream draft-test', target: 'upstream-draft' }])
})

test('models of every type are proposed with their units', async () => {
  const figures: [model: string, type: string, price: Json, proposed: Json][] = [
    ['text-embedding-3-small', 'embedding', { input: '0.02' }, { input: '0.03' }],
    ['rerank-v4.0-fast', 'rerank', { per_search: '0.002' }, { per_search: '0.003' }],
    ['tts-1', 'speech', { per_million_characters: '15.00' }, { per_million_characters: '22.50' }],
    ['whisper-1', 'transcription', { per_minute: '0.006' }, { per_minute: '0.009' }],
    ['omni-moderation-latest', 'moderation', { per_request: '0.00' }, { per_request: '0.00' }],
  ]
  const asked = { models: figures.map(([model]) => model), markup_percent: 50 }
  const { body } = await admin<{ models: Json[] }>('POST', 'price-proposals', { body: asked })
  expect(body.models).toMatchObject(
    figures.map(([model, type, price, proposed_price]) => ({ model, type, price, proposed_price })),
  )
})

test('the models of a draft, and what they would be sold for', async () => {
  const listed = await admin('POST', 'upstream-drafts/models', { body: draft() })
  expect(listed.body).toMatchObject({ kind: 'openai', is_complete: true, models: vendor.models })
  const proposals = { models: vendor.models, markup_percent: 20 }
  const { body } = await admin<{ models: Json[] }>('POST', 'price-proposals', { body: proposals })
  expect(body.models).toMatchObject([
    {
      model: 'gpt-6.1-terra',
      type: 'text',
      present: null,
      price: { input: '1.00', output: '5.00', tiers: { priority: '2' } },
      // Figures grow; multipliers and lengths stay.
      proposed_price: { input: '1.20', output: '6.00', tiers: { priority: '2' }, long_context: [{ above: 272000 }] },
    },
    { model: 'gpt-6-astra', proposed_price: { input: '12.00', output: '60.00' } },
    { model: 'house-model', type: null, price: null, proposed_price: null },
  ])
})

test('of a vendor that lists no models, those of the price list are proposed', async () => {
  const at = (path: string) => ({ base_url: new URL(path, vendor.baseUrl).href })
  const listed = await admin('POST', 'upstream-drafts/models', { body: draft({ kind: 'ark', ...at('/api/v3') }) })
  expect(listed.body).toMatchObject({ kind: 'ark', is_complete: false })
  expect(listed.body.models).toEqual(expect.arrayContaining(['seed-1-8-251228', 'seedream-4-5-251128']))
  const unknown = await admin('POST', 'upstream-drafts/models', { body: draft({ kind: 'qwen', ...at('/') }) })
  expect(adminOutcome(unknown)).toBe('409 conflict')
})

test.each([
  ['a wrong key', { keys: ['not-the-key-of-the-vendor'] }, '502 upstream_failed', /rejected \(401\)/],
  ['no key', { keys: undefined }, '400 bad_request', /keys.*is missing/],
  ['a metadata service', { base_url: 'http://169.254.169.254/v1' }, '400 bad_request', /metadata service/],
  ['a wrong path', { base_url: 'https://api.example.com/api' }, '400 bad_request', /\/v1/],
  ['an unknown kind', { kind: 'opnai' }, '400 bad_request', /opnai/],
  ['allow_private', { allow_private: true }, '400 bad_request', /allow_private/],
])('%s is an answer that says so, without the key', async (_, more, outcome, message) => {
  const answer = await admin('POST', 'upstream-drafts/models', { body: draft(more) })
  expect(adminOutcome(answer)).toBe(outcome)
  expect(answer.body.error?.message).toMatch(message)
  const calls = vendor.answered()
  const tested = await admin('POST', 'upstream-drafts/test', { body: draft({ ...more, model: 'house-model' }) })
  expect([tested.status === 200, tested.body.ok ?? false]).toEqual([outcome.startsWith('502'), false])
  expect(vendor.answered()).toBe(calls)
  expect(JSON.stringify([answer.body, tested.body])).not.toMatch(/not-the-key|stub-vendor-key/)
})

test.each([
  ['region', { region: 'us east' }, /the name of a region, such as us-east-1/],
  ['project', { project: 'p' }, /the kind bedrock has no project/],
  ['api_version', { api_version: '2024-10-21' }, /without an API version/],
  ['auth', { auth: { type: 'google' } }, /does not take auth of type google; kinds that do: vertex/],
  ['auth', { auth: { type: 'aws', access_key: 'AKID' } }, /access_key and secret_key go together/],
  ['auth.profile', { auth: { type: 'aws', profile: 'p' } }, /can only be set in the configuration file/],
  ['auth.role_arn', { auth: { type: 'aws', role_arn: ROLE } }, /can only be set in the configuration file/],
  ['base_url', { base_url: 'https://evil.example/v1', region: undefined }, /is not a host of the vendor/],
])('a draft of a cloud is checked, and its error names the field %s', async (param, more, message) => {
  const body = { kind: 'bedrock', region: 'us-east-1', auth: { type: 'aws' }, ...more }
  for (const path of ['models', 'test']) {
    const answer = await admin('POST', `upstream-drafts/${path}`, {
      body: { ...body, ...(path === 'test' ? TEXT : {}) },
    })
    expect(adminOutcome(answer)).toBe('400 bad_request')
    expect(answer.body.error).toMatchObject({ param, message: expect.stringMatching(message) })
  }
})

test('a draft of a cloud is estimated by the model behind an opaque name', async () => {
  const place = { kind: 'azure-classic', resource: 'my', api_version: '2025-01-01', auth: { type: 'entra' } }
  const estimate = async (more: Json) =>
    (await admin('POST', 'upstream-drafts/test', { body: { ...place, model: 'mine', estimate: true, ...more } })).body
  expect(await estimate({})).toMatchObject({ base_url: 'https://my.openai.azure.com/openai', cost_at_most_usd: null })
  const known = await estimate({ base_model: 'gpt-4.1' })
  expect(known).toMatchObject({ model: 'mine', price: 'list', type: 'text', cost_at_most_usd: expect.any(String) })
})

test('a viewer sees kinds and figures, and may not test; nothing of a draft is stored', async () => {
  const { secret } = await operate<{ secret: string }>(gateway, 'admin-key create', { name: 'v', role: 'viewer' })
  const viewer = adminClient(gateway.url, secret)
  for (const path of ['upstream-kinds', 'upstream-figures']) expect((await viewer('GET', path)).status).toBe(200)
  for (const path of ['test', 'models'])
    expect(adminOutcome(await viewer('POST', `upstream-drafts/${path}`, { body: draft() }))).toBe('403 forbidden')
  expect((await admin<List>('GET', 'configuration/revisions')).body.data).toEqual([])
  const exported = await admin('GET', 'configuration/export')
  expect(JSON.stringify(exported.body)).not.toContain(vendor.key)
})

test('upstream, models and group are one revision, whose preview says what else changes; then its figures', async () => {
  const { secret } = await newKey(gateway)
  const cost = { input: '1.00', output: '5.00' }
  const routes = [{ upstream: 'stub', model: 'gpt-6.1-terra', cost }]
  const entries = [
    { kind: 'upstream', id: 'stub', value: draft() },
    { kind: 'model', id: 'terra', value: { routes, price: { input: '1.20', output: '6.00' } } },
    { kind: 'group', id: 'staff', value: { models: ['terra'], multiplier: '1' } },
    { kind: 'group', id: 'default', value: { models: ['*'], multiplier: '1' } },
  ]
  const dry = await admin('POST', 'configuration/import?dry_run=true', { body: { entries } })
  const told = ['sandbox_off', 'registration_closed', 'trial_credit_taken_back', 'default_group_written']
  expect(Object.keys(dry.body.effects as Json)).toEqual(expect.arrayContaining(told))
  expect(JSON.stringify(dry.body)).not.toContain(vendor.key)
  expect((await admin('POST', 'configuration/import', { body: { entries } })).status).toBe(201)
  expect((await admin<List>('GET', 'configuration/revisions')).body.data).toHaveLength(1)

  const ask = (model: string) => chat(gateway.url, secret, { model, messages: [{ role: 'user', content: 'Hello' }] })
  expect((await ask('terra')).status).toBe(200)
  const again = await admin<{ models: Json[] }>('POST', 'price-proposals', { body: { models: ['terra'] } })
  expect(again.body.models).toMatchObject([{ model: 'terra', present: 'stored', price: null }])
  const figures = async () => (await admin<List>('GET', 'upstream-figures?hours=2')).body.data
  expect(await figures()).toMatchObject([
    {
      id: 'stub',
      kind: 'openai',
      name: 'OpenAI',
      base_url: vendor.baseUrl,
      models: 1,
      node: '0',
      health: 'ready',
      running_requests: 0,
      requests: 1,
      failed: 0,
      total_ms: { p50: expect.any(Number), p95: expect.any(Number) },
      hours: [{ requests: expect.any(Number) }, { requests: expect.any(Number), failed: 0 }],
    },
  ])

  const disable = await admin('POST', 'upstreams/stub/disable?dry_run=true')
  const effects = { running_requests: 0, models_left_without_route: 1, models_without_route: 'terra' }
  expect(disable.body).toMatchObject({ before: { state: 'enabled' }, after: { state: 'disabled' }, effects })
  expect(adminOutcome(await admin('DELETE', 'upstreams/stub?dry_run=true'))).toBe('409 conflict')
  for (const path of ['groups/staff', 'models/terra']) expect((await admin('DELETE', path)).status).toBe(200)
  const { body } = await admin('DELETE', 'upstreams/stub?dry_run=true')
  expect(body.effects).toMatchObject({ running_requests: 0, models_left_without_route: 0 })
  await admin('POST', 'upstreams/stub/drain')
  expect(await figures()).toMatchObject([{ health: 'draining', switch: { state: 'draining' } }])
})
