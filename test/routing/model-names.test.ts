// Names of models besides their ids, in a running gateway: aliases, hidden models, retired ids, and wildcards.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type AdminClient, adminClient } from '../support/admin/admin-client.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, receiptOf, startGateway } from '../support/gateway/gateway.ts'
import { operate } from '../support/gateway/operate.ts'
import { reply, respondWith, startUpstream, type Upstream } from '../support/upstreams/raw-upstream.ts'

let upstream: Upstream
let gateway: Gateway
let secret: string

const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const LATER = day(30)
const BEFORE = day(-1)

beforeAll(async () => {
  upstream = await startUpstream(respondWith(reply({ model: 'new' })))
  const routes = 'routes: [{ upstream: up, model: new }], price: { input: 1, output: 4 }'
  gateway = await startGateway({
    config: `
upstreams:
  - { id: up, dialect: chat, base_url: "${upstream.url}", keys: [k] }
  - { id: vendor, kind: openai, dialect: chat, base_url: "${upstream.url}", keys: [k] }
models:
  - { id: new, ${routes}, aliases: [fast, team/fast] }
  - { id: old, ${routes}, retires: ${LATER}, replaced_by: new }
  - { id: gone, ${routes}, retires: ${BEFORE}, replaced_by: new }
  - { id: ended, ${routes}, retires: ${BEFORE} }
  - { id: renamed, replaced_by: new }
  - { id: quiet, ${routes}, hidden: true }
  - { id: openai/*, routes: [{ upstream: vendor }] }
groups:
  - { id: default, models: ["*"] }
  - { id: few, models: [old, gone] }
  - { id: vendors, models: ["openai/*"] }
`,
  })
  secret = (await newKey(gateway)).secret
})
afterAll(async () => {
  await gateway.stop()
  upstream.stop()
})

const body = (model: string) => ({ model, max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] })

async function called(model: string, key = secret) {
  const response = await chat(gateway.url, key, body(model))
  const { model: named, error } = (await response.json()) as {
    model?: string
    error?: { code: string; message: string }
  }
  return { status: response.status, named, warnings: response.headers.get('x-trivium-warnings'), error, response }
}

type Listed = { id: string; retires_at: string | null; replaced_by?: string; price: object; protocols: string[] }
async function listed(key = secret): Promise<Listed[]> {
  const response = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
  return ((await response.json()) as { data: Listed[] }).data
}

describe('a request by another name', () => {
  test.each([
    ['an alias', 'fast', 'new', null],
    ['an alias with a slash', 'team/fast', 'new', null],
    ['a model that is retired later', 'old', 'old', `model;retires-${LATER}`],
    ['a model that was replaced', 'gone', 'new', 'model;replaced-by-new'],
    ['an id that leads elsewhere at all times', 'renamed', 'new', 'model;replaced-by-new'],
    ['a hidden model', 'quiet', 'quiet', null],
  ])('%s', async (_, name, answers, warnings) => {
    const { status, named, response, ...said } = await called(name)
    expect([status, named, said.warnings]).toEqual([200, answers, warnings])
    const receipt = await receiptOf<{ model: string; cost_usd: string }>(gateway.url, secret, response)
    expect(receipt).toMatchObject({ model: answers, cost_usd: '0.00009' })
  })

  test('a model that ended says since when, and is none like any other', async () => {
    const { status, error } = await called('ended')
    expect([status, error?.code]).toEqual([404, 'model_not_found'])
    expect(error?.message).toContain(`The model 'ended' was retired on ${BEFORE}.`)
  })

  test('a key for the old id may use what replaces it; a group without that may not', async () => {
    const { secret: own } = await newKey(gateway, '10', { models: 'gone' })
    expect((await called('gone', own)).status).toBe(200)
    expect((await called('new', own)).status).toBe(403)
    const { secret: ofFew } = await newKey(gateway, '10', { group: 'few' })
    expect((await called('old', ofFew)).status).toBe(200)
    expect((await called('gone', ofFew)).status).toBe(403)
  })
})

test('the list has aliases and dates, and neither hidden nor retired models', async () => {
  const all = (await listed()).filter(({ id }) => !id.startsWith('openai/'))
  expect(all.map(({ id }) => id)).toEqual(['new', 'fast', 'team/fast', 'old'])
  expect(all[1]).toEqual({ ...all[0], id: 'fast', display_name: 'fast' } as Listed & { display_name: string })
  expect(all[3]).toMatchObject({ retires_at: `${LATER}T00:00:00Z`, replaced_by: 'new' })
  expect(all[0]?.retires_at).toBeNull()
})

describe('a wildcard', () => {
  test('lists the models of the price list, which are called by the name after the slash', async () => {
    const { secret: own } = await newKey(gateway, '10', { group: 'vendors' })
    const ids = (await listed(own)).map(({ id }) => id)
    expect(ids).toContain('openai/gpt-6.1-sol')
    expect(ids.every((id) => id.startsWith('openai/'))).toBe(true)
    upstream.behave(respondWith(reply({ model: 'gpt-6.1-sol' })))
    const { status, named, response } = await called('openai/gpt-6.1-sol', own)
    upstream.behave(respondWith(reply({ model: 'new' })))
    expect([status, named]).toEqual([200, 'openai/gpt-6.1-sol'])
    expect(JSON.parse(upstream.last().body.toString()).model).toBe('gpt-6.1-sol')
    // 10 tokens at 2 USD and 20 at 10 USD a million.
    expect(await receiptOf<object>(gateway.url, own, response)).toMatchObject({ cost_usd: '0.00022' })
    expect((await called('new', own)).status).toBe(403)
  })

  test.each(['openai/gpt-of-nobody', 'openai/*', 'openai/', 'gpt-6.1-sol'])('%s does not exist', async (name) => {
    const { status, error } = await called(name)
    expect([status, error?.code]).toEqual([404, 'model_not_found'])
  })
})

test('all of it can be stored, changed and read by the admin API', async () => {
  const owner = await operate<{ secret: string }>(gateway, 'admin-key create', { name: 'test', role: 'owner' })
  const client = adminClient(gateway.url, owner.secret)
  const call = (method: string, path: string, body?: object): ReturnType<AdminClient> =>
    client(method, path, body && { body })
  const model = {
    id: 'stored',
    routes: [
      {
        upstream: 'up',
        model: 'new',
        limits: { rpm: 5, usd_per_day: '12.5' },
        set: { top_p: 0.5 },
        default: { temperature: 0.25 },
        drop: ['logit_bias'],
        headers: { set: { 'x-team': 'search' } },
        system: { before: 'Be brief.' },
      },
    ],
    price: { input: '1', output: '4' },
    aliases: ['kept'],
    hidden: true,
  }
  expect((await call('POST', 'models', model)).status).toBe(201)
  expect((await call('GET', 'models/stored')).body).toMatchObject(model)
  expect((await called('kept')).named).toBe('stored')
  const sent = JSON.parse(upstream.last().body.toString())
  expect(sent).toMatchObject({
    top_p: 0.5,
    temperature: 0.25,
    messages: [{ role: 'system', content: 'Be brief.' }, {}],
  })
  expect(upstream.last().headers['x-team']).toBe('search')
  const changed = await call('PATCH', 'models/stored', { aliases: null, retires: LATER, replaced_by: 'new' })
  expect(changed.status).toBe(200)
  expect((await called('kept')).status).toBe(404)
  expect((await called('stored')).warnings).toBe(`model;retires-${LATER}`)
  const wrong = await call('PATCH', 'models/stored', { replaced_by: 'stored' })
  expect([wrong.status, JSON.stringify(wrong.body)]).toEqual([400, expect.stringContaining('leads back to the model')])
  const misspelt = await call('PATCH', 'models/stored', {
    routes: [{ upstream: 'up', model: 'new', set: { temprature: 1 } }],
  })
  expect([misspelt.status, JSON.stringify(misspelt.body)]).toEqual([
    400,
    expect.stringContaining('did you mean temperature?'),
  ])
  const wildcard = { id: 'also/*', routes: [{ upstream: 'vendor', limits: { rpm: 100 } }] }
  expect((await call('POST', 'models', wildcard)).status).toBe(201)
  expect((await called('also/gpt-6.1-sol')).status).toBe(200)
  expect((await call('DELETE', `models/${encodeURIComponent('also/*')}`)).status).toBe(200)
  expect((await called('also/gpt-6.1-sol')).status).toBe(404)
})
