// Models and groups as operators see them at once, and what a changed price would have meant for requests that were charged.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { MODEL_TYPES, modalityOf } from '../../packages/gateway/src/modalities/index.ts'
import { parseUsd } from '../../packages/gateway/src/money/amount.ts'
import { type AdminClient, adminClient, adminOutcome } from '../support/admin/admin-client.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'
import { closeDatabase, operate } from '../support/gateway/operate.ts'

type Json = Record<string, unknown>
type Row = Json & { id: string; problems: string[]; effective: Json | null; last_7_days: Json }
type List = { data: Row[]; has_more: boolean; last_id: string }

const EMBEDDED = MODEL_TYPES.map((type) => modalityOf(type).sandbox.id).sort()
const CONFIG = `
upstreams: [{ id: box, kind: sandbox }]
models:
  - { id: filed, routes: [{ upstream: box, model: sandbox-text }], price: { input: 1, output: 4 } }
  - { id: bare, routes: [{ upstream: box, model: sandbox-text }] }
groups:
  - { id: default, models: ["*"] }
  - { id: half, models: ["*"], multiplier: 0.5 }
`
const ROUTE = { upstream: 'box', model: 'sandbox-text', cost: { input: '1.00', output: '5.00' } }
const STORED = [
  ['models', { id: 'text', routes: [ROUTE], price: { input: '2.00', output: '8.00' } }],
  ['models', { id: 'loss', routes: [{ ...ROUTE, weight: 2 }], price: { input: '2.00', output: '4.00' } }],
  [
    'models',
    {
      id: 'picture',
      type: 'image',
      routes: [{ upstream: 'box', model: 'sandbox-image' }],
      price: { per_image: '0.05' },
    },
  ],
  ['groups', { id: 'fixed', models: ['text'], prices: { text: { input: '1.00', output: '1.00' } } }],
] as const

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  const clients: Record<string, AdminClient> = {}
  const of = (role: string): AdminClient => clients[role] as AdminClient

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: CONFIG })
    for (const role of ['owner', 'finance', 'support', 'viewer']) {
      const { secret } = await operate<{ secret: string }>(gateway, 'admin-key create', { name: role, role })
      clients[role] = adminClient(gateway.url, secret)
    }
    for (const [path, body] of STORED) expect(adminOutcome(await of('owner')('POST', path, { body }))).toBe('201')
    for (const group of ['default', 'half', 'fixed']) {
      const { id } = await operate<{ id: string }>(gateway, 'account create', { name: group, credit_usd: '5' })
      const { body } = await of('owner')('POST', 'keys', { body: { account: id, name: group, group } })
      const secret = String(body.secret)
      await call(secret, 'chat/completions', { model: 'text', messages: [{ role: 'user', content: 'Hello' }] })
      if (group === 'default') await call(secret, 'images/generations', { model: 'picture', prompt: 'A hill', n: 2 })
    }
  })
  afterAll(async () => {
    await gateway.stop()
    await closeDatabase(gateway.home)
  })

  async function call(secret: string, path: string, body: Json): Promise<void> {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    const answer = await fetch(`${gateway.url}/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect([await answer.text(), answer.status]).toEqual([expect.any(String), 200])
  }

  const list = async (path: string, role = 'owner') => (await of(role)<List>('GET', path)).body
  const ids = async (path: string) => (await list(path)).data.map(({ id }) => id)
  const impact = async (path: string, body: Json, role = 'finance') =>
    await of(role)('POST', `${path}/price-impact`, { body })

  test('a model is listed with what is in force, its margins, the groups that offer it and recent use', async () => {
    const [text] = (await list('models?model=text')).data
    expect(text).toMatchObject({
      source: { from: 'stored' },
      problems: [],
      margin_percent: '37.5',
      effective: {
        type: 'text',
        price: { input: '2.00', output: '8.00', cached_input: '2.00' },
        routes: [
          {
            upstream: 'box',
            model: 'sandbox-text',
            priority: 1,
            weight: 1,
            margins: [
              { figure: 'input', price_usd: '2.00', cost_usd: '1.00', margin_percent: '50.0' },
              { figure: 'output', price_usd: '8.00', cost_usd: '5.00', margin_percent: '37.5' },
            ],
          },
        ],
        offers: [
          { group: 'default', price: { input: '2.00', output: '8.00' }, multiplier: '1', has_own_price: false },
          { group: 'half', price: { input: '1.00', output: '4.00' }, multiplier: '0.5', has_own_price: false },
          { group: 'fixed', price: { input: '1.00', output: '1.00' }, multiplier: '1', has_own_price: true },
          { group: 'sandbox' },
        ],
      },
      last_7_days: { requests: 3, unknown_costs: 0 },
    })
    const { data } = await list('usage?group_by=model')
    expect(text?.last_7_days.charged_usd).toBe(data.find(({ model }) => model === 'text')?.charged_usd)
  })

  test('costs, margins and losses are absent for those who may not see them', async () => {
    for (const role of ['support', 'viewer']) {
      const { data } = await list('models', role)
      expect(JSON.stringify(data)).not.toMatch(/cost|margin/)
      expect(data.find(({ id }) => id === 'loss')?.problems).toEqual([])
    }
  })

  test.each([
    ['models', ['bare', 'filed', 'loss', 'picture', ...EMBEDDED, 'text']],
    ['models?order=attention&limit=2', ['bare', 'filed']],
    ['models?order=attention&limit=2&after=filed', ['loss', 'picture']],
    ['models?order=attention&limit=2&before=picture', ['filed', 'loss']],
    ['models?problem=no_price', ['bare']],
    ['models?problem=below_cost', ['loss']],
    ['models?type=image&upstream=box', ['picture']],
    ['models?search=EXT&group=fixed', ['text']],
  ])('%s lists %j', async (path, expected) => {
    expect(await ids(path)).toEqual(expected)
  })

  test('a group is listed with its keys and the models that it offers', async () => {
    const { data } = await list('groups')
    expect(data.map(({ id, keys, models_offered }) => ({ id, keys, models_offered }))).toContainEqual({
      id: 'fixed',
      keys: 1,
      models_offered: 1,
    })
  })

  test('another price is applied to what receipts counted, in each group by its own terms', async () => {
    const same = (await impact('models/text', { price: { input: '2' } })).body
    expect(same).toMatchObject({ object: 'price_impact', requests: 3, accounts_pay_more: 0, is_part: false })
    expect(same.would_be_charged_usd).toBe(same.charged_usd)
    const doubled = (await impact('models/text', { price: { input: '4', output: '16' } })).body
    // The group with a price of its own pays what it paid.
    expect(doubled).toMatchObject({ requests: 3, left_out: 0, accounts: 3, accounts_pay_more: 2, accounts_pay_less: 0 })
    const named = (doubled.most_affected as Json[]).map(({ account, charged_usd, would_be_charged_usd }) => [
      account,
      Number(parseUsd(String(would_be_charged_usd))) / Number(parseUsd(String(charged_usd))),
    ])
    expect(named).toEqual([
      ['default', 2],
      ['half', 2],
    ])
    expect(doubled.prices).toMatchObject([
      { model: 'text', group: 'default', price: { output: '8.00' }, would_be_price: { output: '16.00' } },
      { model: 'text', group: 'half', price: { output: '4.00' }, would_be_price: { output: '8.00' } },
      { model: 'text', group: 'sandbox', price: { output: '8.00' }, would_be_price: { output: '16.00' } },
    ])
    const pictures = (await impact('models/picture', { price: { per_image: '0.04' } })).body
    expect(pictures).toMatchObject({ charged_usd: '0.10', would_be_charged_usd: '0.08', accounts_pay_less: 1 })
  })

  test('other terms of a group are applied to the requests of its keys alone', async () => {
    const { body } = await impact('groups/fixed', { prices: { text: { output: '2' } } })
    expect(body).toMatchObject({ requests: 1, accounts: 1, accounts_pay_more: 1 })
    // Without the model nothing is left to compare.
    expect((await impact('groups/fixed', { models: ['filed'], prices: null })).body).toMatchObject({
      requests: 0,
      left_out: 1,
    })
  })

  test('no more requests are looked at than was asked for, and the answer says so', async () => {
    const { body } = await impact('models/text', { price: { input: '4' }, requests: 2 })
    expect(body).toMatchObject({ requests: 2, is_part: true })
    expect(Date.parse(String(body.from))).toBeGreaterThan(Date.now() - 3_600_000)
  })

  test.each([
    ['models/filed', { price: { input: '2' } }, 'finance', '409 conflict', /line 4 of .*trivium\.yaml/],
    ['models/text', { price: { input: '-2' } }, 'finance', '400 bad_request', /price\.input/],
    ['models/text', { price: { input: '2' } }, 'support', '403 forbidden', /money/],
    ['models/none', { price: { input: '2' } }, 'finance', '404 not_found', /none/],
    ['groups/half', { multiplier: '2' }, 'finance', '409 conflict', /line 8/],
  ])('%s with %j as %s is %s', async (path, body, role, outcome, message) => {
    const answer = await impact(path, body, role)
    expect(adminOutcome(answer)).toBe(outcome)
    expect(JSON.stringify(answer.body.error)).toMatch(message)
  })

  test('a dry run says how many keys and models a change concerns', async () => {
    const dry = async (method: string, path: string, body?: Json) =>
      (await of('owner')(method, `${path}?dry_run=true`, { body })).body.effects
    expect(await dry('PATCH', 'groups/fixed', { multiplier: '2' })).toEqual({ keys_in_group: 1 })
    // One of them is the key of the first start.
    expect(await dry('DELETE', 'models/picture')).toEqual({ models_no_longer_offered: 1, keys_that_lose_models: 3 })
  })
})
