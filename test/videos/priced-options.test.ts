// What changes the price of a video besides its length and resolution: tiers, drafts, sound and tools, by what came back.
import { afterAll, afterEach, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { startGateway } from '../support/gateway/gateway.ts'
import { QUICK } from '../support/gateway/video-gateway.ts'
import { videoBody, videoClient } from '../support/requests/videos.ts'
import { type State, startScriptedVideo } from '../support/upstreams/scripted-video.ts'

const LIMITS = 'limits: { seconds: [4, 12], default_seconds: 5, resolutions: [720p, 1080p], default_resolution: 720p }'
const PRICE = 'per_second: 0.05, variants: { "1080p": 0.12 }'
const TERMS = 'tiers: { flex: 0.5, priority: 2 }, draft: 0.4, silent: 0.5, tools: { web_search: 0.01 }'

const films = await startScriptedVideo()
const gateway = await startGateway({
  taskTiming: QUICK,
  config: `
upstreams:
  - { id: films, dialect: video-tasks, base_url: "${films.baseUrl}", keys: [key], breaker: false, allow_private: true }
models:
  - { id: sec, type: video, routes: [{ upstream: films, model: inner }], price: { ${PRICE} }, ${LIMITS} }
  - { id: terms, type: video, routes: [{ upstream: films, model: inner }], price: { ${PRICE}, ${TERMS} }, ${LIMITS} }
groups:
  - { id: default, models: ["*"] }
  - { id: staff, models: ["*"], multiplier: 0.8 }
`,
})
afterEach(async () => {
  films.reset()
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
})
afterAll(async () => {
  expect(gateway.output().stderr).not.toMatch(/"level":"error"/)
  await gateway.stop()
  films.stop()
})

async function newClient(more: Record<string, string> = {}) {
  const account = await newKey(gateway, '10', more)
  const client = videoClient(gateway, account.secret)
  /** A task that runs until `end` gives it another state. */
  async function begin(body: object) {
    films.script.states = ['running']
    const response = await client.send(body)
    const { id } = (await response.json()) as { id: string }
    expect(response.status).toBe(200)
    const end = (state: State) => {
      for (const task of films.tasks.values()) if (task.reference === id) task.states = [state]
    }
    return { id, requestId: response.headers.get('x-request-id') ?? '', end }
  }
  const only = async () => (await account.settled())[0]
  return { ...account, ...client, begin, only }
}

type Case = {
  name: string
  model: string
  fields?: object
  made?: object
  group?: string
  sent?: object
  held: string
  cost: string
  units: object
  formula: string
}

const CASES: Case[] = [
  {
    name: 'another tier: the usual one is held, since it may serve',
    model: 'terms',
    fields: { service_tier: 'flex' },
    held: '0.25',
    cost: '0.125',
    units: { seconds: 5 },
    formula: '5 seconds x 0.05 x 0.5 = 0.125 USD',
  },
  {
    name: 'another tier, served at the usual one',
    model: 'terms',
    fields: { service_tier: 'flex' },
    made: { service_tier: 'default' },
    held: '0.25',
    cost: '0.25',
    units: { seconds: 5 },
    formula: '5 seconds x 0.05 = 0.25 USD',
  },
  {
    name: 'a more expensive tier, in a group',
    model: 'terms',
    fields: { service_tier: 'priority' },
    group: 'staff',
    made: { service_tier: 'priority' },
    held: '0.40',
    cost: '0.40',
    units: { seconds: 5 },
    formula: '5 seconds x 0.05 x 2 x 0.8 = 0.40 USD',
  },
  {
    name: 'any tier: the most expensive is held',
    model: 'terms',
    fields: { service_tier: 'auto' },
    made: { service_tier: 'flex' },
    held: '0.50',
    cost: '0.125',
    units: { seconds: 5 },
    formula: '5 seconds x 0.05 x 0.5 = 0.125 USD',
  },
  {
    name: 'without sound',
    model: 'terms',
    fields: { generate_audio: false },
    held: '0.125',
    cost: '0.125',
    units: { seconds: 5 },
    formula: '5 seconds x 0.05 x 0.5 = 0.125 USD',
  },
  {
    name: "a draft: its resolution is the vendor's",
    model: 'terms',
    fields: { draft: true },
    sent: { duration: 5 },
    made: { draft: true, resolution: '480p' },
    held: '0.24',
    cost: '0.10',
    units: { seconds: 5 },
    formula: '5 seconds x 0.05 x 0.4 = 0.10 USD',
  },
  {
    name: 'calls of a tool',
    model: 'terms',
    fields: { tools: [{ type: 'web_search', limit: 3 }] },
    made: { usage: { completion_tokens: 9, tool_usage: { web_search: 3, other: 7 } } },
    held: '0.35',
    cost: '0.28',
    units: { seconds: 5 },
    formula: '3 web search x 0.01 + 5 seconds x 0.05 = 0.28 USD',
  },
  {
    name: 'more calls than are held for',
    model: 'terms',
    fields: { tools: [{ type: 'web_search' }] },
    made: { usage: { tool_usage: { web_search: 40 } } },
    held: '0.35',
    cost: '0.35',
    units: { seconds: 5 },
    formula: '10 web search x 0.01 + 5 seconds x 0.05 = 0.35 USD',
  },
]

test.each(CASES.map((each) => [each.name, each] as const))('%s', async (_, given) => {
  const { model, fields = {}, made = {}, group, sent, held, cost, units, formula } = given
  const client = await newClient(group === undefined ? {} : { group })
  const { id, requestId, end } = await client.begin(videoBody(model, fields))
  const { duration, resolution } = [...films.tasks.values()].at(-1)?.request ?? {}
  if (sent) expect({ duration, resolution }).toEqual({ duration: undefined, resolution: undefined, ...sent })
  expect(await client.account()).toMatchObject({ balance_usd: '10.00', held_usd: held })
  end({ status: 'succeeded', ...made })
  await client.until(id, 'succeeded')
  expect(await client.only()).toMatchObject({ request_id: requestId, outcome: 'completed', cost_usd: cost })
  const headers = { authorization: `Bearer ${client.secret}` }
  const receipt = await (await fetch(`${gateway.url}/v1/usage/${requestId}`, { headers })).json()
  expect(receipt).toMatchObject({ cost_usd: cost, held_usd: held, units, formula })
})

test('what has no price is not sent, and named in the response and on the receipt', async () => {
  const client = await newClient()
  const unpriced = { n: 4, num_videos: 2, 'batch-size': 3, sequential_image_generation: 'auto' }
  const fields = { service_tier: 'flex', tools: [{ type: 'web_search' }], ...unpriced, future: { kept: true } }
  const response = await client.send(videoBody('sec', fields))
  const warnings = ['service_tier', ...Object.keys(unpriced), 'tools'].map((name) => `${name};no-price`)
  expect(response.headers.get('x-trivium-warnings')?.split(', ')).toEqual(warnings)
  const sent = [...films.tasks.values()].at(-1)?.request
  expect(sent).toMatchObject({ future: { kept: true } })
  for (const name of ['service_tier', 'tools', ...Object.keys(unpriced)]) expect(sent).not.toHaveProperty(name)
  expect(await client.only()).toMatchObject({ cost_usd: '0.25', receipt: { warnings } })
})

test('of several tools those without a price are not sent', async () => {
  const client = await newClient()
  const tools = [{ type: 'code' }, { type: 'web_search', limit: 3 }, { type: 'code' }]
  const response = await client.send(videoBody('terms', { tools, service_tier: 'default' }))
  expect(response.headers.get('x-trivium-warnings')).toBe('tools;no-price')
  expect([...films.tasks.values()].at(-1)?.request).toMatchObject({ tools: [tools[1]], service_tier: 'default' })
  await client.only()
})

test('the final of a draft inherits: nothing is added, and its length is held at the most expensive resolution', async () => {
  const client = await newClient()
  const { id, end } = await client.begin(videoBody('terms', { draft: true, duration: 8 }))
  end({ status: 'succeeded', draft: true, resolution: '480p', duration: 8 })
  await client.until(id, 'succeeded')
  const content = [{ type: 'draft_task', draft_task: { id } }]
  const final = await client.begin({ model: 'terms', content })
  const { safety_identifier: _, ...sent } = [...films.tasks.values()].at(-1)?.request ?? {}
  expect(sent).toEqual({ model: 'inner', content: [{ type: 'draft_task', draft_task: { id: expect.any(String) } }] })
  expect(await client.account()).toMatchObject({ held_usd: '0.96' })
  expect(await client.read(final.id)).not.toHaveProperty('resolution')
  final.end({ status: 'succeeded', resolution: '1080p', duration: 8 })
  expect(await client.until(final.id, 'succeeded')).toMatchObject({ resolution: '1080p', duration: 8 })
  expect(await client.settled()).toMatchObject([{ cost_usd: '0.96' }, { cost_usd: '0.16' }])
})

test('tier and expiry are shown as the upstream reports them, from the first query on', async () => {
  const client = await newClient()
  const terms = { service_tier: 'default', execution_expires_after: 172_800 }
  const { id, end } = await client.begin(videoBody('sec'))
  expect(await client.read(id)).not.toHaveProperty('service_tier')
  end({ status: 'running', ...terms })
  await eventually(async () => (await client.read(id)).service_tier === 'default')
  expect(await client.read(id)).toMatchObject({ status: 'running', ...terms })
  const { total } = (await (await client.list('?filter.service_tier=default')).json()) as { total: number }
  expect(total).toBe(1)
  end({ status: 'succeeded', ...terms })
  expect(await client.until(id, 'succeeded')).toMatchObject(terms)
  await client.only()
})
