// Certifications of servers that are right, wrong in one way, or talkative about who asks.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SECRETS, startTestServer } from '../../../test-support/faulty-server.ts'
import { assemble } from '../../config/assemble.ts'
import { certifyWithoutStore } from '../../operate/upstreams/certify.ts'
import { BUILT_IN } from '../../server/config.ts'
import { openScrubber } from './scrub.ts'

let server: ReturnType<typeof startTestServer>
beforeAll(() => {
  server = startTestServer()
})
afterAll(() => server.stop())

const RERANK = 'type: rerank, routes: [{ upstream: up, model: sandbox-rerank }], price: { per_search: 0.002 }'
const TEXT = 'routes: [{ upstream: up, model: sandbox-text }], price: { input: 1, output: 10 }'

function configOf(fault: string, more = '', kind = TEXT) {
  const up = `{ id: up, dialect: chat, base_url: "${server.url(fault)}", keys: [${SECRETS.key}] }`
  const model = `{ id: here, ${kind}${more} }`
  const { config, mistakes } = assemble(
    { source: `upstreams: [${up}]\nmodels: [${model}]`, file: 'f', env: {} },
    BUILT_IN,
  )
  if (!config) throw new Error(JSON.stringify(mistakes))
  return config
}
const certify = (fault: string, more?: object) =>
  certifyWithoutStore(configOf(fault), { upstream: 'up', part: 'chat', ...more })

/** What a model without a price for searches is reported with. */
const NO_SEARCH = 'web search: not offered'

/** The rows that did not pass. */
const others = ({ checks }: Awaited<ReturnType<typeof certify>>) =>
  checks.filter(({ result }) => result !== 'passed').map(({ check, result }) => `${check}: ${result}`)

test('a server that is right in everything passes, at less than what was said before', async () => {
  const said = await certify('fine', { estimate: true })
  expect(said).toMatchObject({ calls: 12, checks: [], parts: [{ part: 'chat', calls: 12 }] })
  const done = await certify('fine')
  expect([others(done), done.ok]).toEqual([[NO_SEARCH], true])
  expect(done.checks.map(({ check }) => check)).toEqual([
    ...['text', 'stop', 'usage', 'text streamed', 'stop streamed', 'usage streamed', 'abort', 'length'],
    ...['length streamed', 'tools', 'tools streamed', 'forced tool', 'JSON schema', 'image in', 'reasoning'],
    'web search',
    'unknown model',
  ])
  // What the aborted stream cost is not known.
  expect(done.unknown_costs).toBe(1)
  expect(Number(done.cost_usd)).toBeGreaterThan(0)
  expect(Number(done.cost_usd)).toBeLessThan(Number(said.cost_at_most_usd))
})

const TOOLS = ['tools', 'tools streamed', 'forced tool']
const AFTER_TEXT = ['text streamed', 'stop streamed', 'usage streamed', 'abort', 'length', 'length streamed', ...TOOLS]

test.each<[fault: string, rows: string[]]>([
  ['no-usage', ['usage: failed', 'usage streamed: failed']],
  ['no-schema', ['JSON schema: failed']],
  ['no-tools', TOOLS.map((row) => `${row}: not offered`)],
  ['no-choice', ['forced tool: failed']],
  ['no-images', ['image in: not offered']],
  ['one-ending', ['length: failed', 'length streamed: failed']],
  ['whole', ['abort: failed']],
  ['one-model', ['unknown model: failed']],
  ['busy', []],
  [
    'no-key',
    [
      ...['text: failed', 'stop: failed', 'usage: failed'],
      ...[...AFTER_TEXT, 'JSON schema', 'image in', 'reasoning', 'unknown model'].map((row) => `${row}: not run`),
    ],
  ],
])('%s: %j', async (fault, rows) => {
  const done = await certify(fault)
  expect(others(done).filter((row) => row !== NO_SEARCH)).toEqual(rows)
  expect(done.ok).toBe(!rows.some((row) => /failed|not run/.test(row)))
  for (const { result, reason } of done.checks) expect(reason === null).toBe(result === 'passed')
})

test('what serves pages fails in every row, without a word of the page as an answer', async () => {
  const { ok, checks } = await certify('page')
  expect([ok, checks.filter(({ result }) => result === 'passed')]).toEqual([false, []])
})

test('a model that is configured without images and tools is not asked about them', async () => {
  const config = configOf('no-tools', ', capabilities: [reasoning]')
  const done = await certifyWithoutStore(config, { upstream: 'up', part: 'chat' })
  expect(done.calls).toBe(8)
  expect(done.checks.find(({ check }) => check === 'image in')).toMatchObject({
    result: 'not offered',
    reason: 'the model is configured without images',
  })
})

test('the embedded models of every type pass', async () => {
  const { config } = assemble({ source: '', file: 'f', env: {} }, BUILT_IN)
  if (!config) throw new Error('the defaults are wrong')
  const { ok, cost_usd, checks, models } = await certifyWithoutStore(config, { upstream: 'sandbox' })
  const failed = checks.filter(({ result }) => result !== 'passed' && result !== 'not offered')
  expect([failed, ok, cost_usd]).toEqual([[], true, '0.00'])
  const types = models.map(({ type }) => type)
  expect(types).toContainValues(['text', 'image', 'rerank', 'moderation'])
  const passed = checks.filter(({ result }) => result === 'passed').map(({ part, check }) => `${part} ${check}`)
  expect(passed).toEqual(
    expect.arrayContaining([
      'speech stream',
      'transcription stream',
      'rerank usage',
      'embedding usage',
      'completions suffix',
    ]),
  )
  expect(new Set(checks.map(({ part }) => part)).size).toBe(types.length + 5)
})

test.each([
  ['fine', 'passed', 'passed', '0.004'],
  ['no-results', 'failed', 'failed', '0.004'],
  ['no-key', 'failed', 'not run', '0.00'],
])('a ranking by the search: %s: %s and %s', async (fault, result, usage, cost) => {
  const done = await certifyWithoutStore(configOf(fault, '', RERANK), { upstream: 'up', part: 'rerank' })
  const checks = [
    { check: 'ranking', result },
    { check: 'usage', result: usage },
  ]
  expect(done).toMatchObject({ cost_at_most_usd: '0.004', cost_usd: cost, checks })
})

test.each<[number, 'passed' | 'failed']>([
  [2, 'passed'],
  [1, 'failed'],
])("Cohere's own form of embeddings, with %i vectors: %s", async (count, result) => {
  const asked: unknown[] = []
  const cohere = Bun.serve({
    port: 0,
    async fetch(request) {
      if (new URL(request.url).pathname !== '/v2/embed') return Response.json({ message: 'no' }, { status: 404 })
      asked.push(await request.json())
      return Response.json({ embeddings: { float: Array.from({ length: count }, () => [0.5]) } })
    },
  })
  const up = `{ id: up, kind: cohere, base_url: "${cohere.url.origin}", keys: [${SECRETS.key}] }`
  const model = '{ id: here, type: embedding, routes: [{ upstream: up, model: theirs }], price: { input: 1 } }'
  const { config } = assemble({ source: `upstreams: [${up}]\nmodels: [${model}]`, file: 'f', env: {} }, BUILT_IN)
  if (!config) throw new Error('the configuration is wrong')
  const { checks } = await certifyWithoutStore(config, { upstream: 'up', part: 'embedding' })
  expect(checks.find(({ check }) => check === 'embed')?.result).toBe(result)
  expect(asked).toMatchObject([{ model: 'theirs', input_type: 'search_document', embedding_types: ['float'] }])
  await cohere.stop(true)
})

const SEARCHES = 'tools: { web_search: 0.01 }'
const SEARCHED: Readonly<Record<string, string>> = {
  chat: '/v1',
  responses: '/v1',
  messages: '',
  'generate-content': '/v1beta',
}

test.each(Object.entries(SEARCHED))('%s: a web search is called where it has a price', async (dialect, version) => {
  const certifySearch = async (fault: string, price: string, more = {}) => {
    const base = server.url(fault).replace('/v1', version)
    const source = `
upstreams: [{ id: up, dialect: ${dialect}, base_url: "${base}", keys: [${SECRETS.key}] }]
models: [{ id: a, routes: [{ upstream: up, model: sandbox-text }], price: { input: 1, output: 10, ${price} } }]`
    const { config, mistakes } = assemble({ source, file: 'f', env: {} }, BUILT_IN)
    if (!config) throw new Error(JSON.stringify(mistakes))
    const done = await certifyWithoutStore(config, { upstream: 'up', part: dialect, ...more })
    return { ...done, row: done.checks.find(({ check }) => check === 'web search') }
  }
  const without = await certifySearch('fine', '')
  expect(without.row).toMatchObject({ result: 'not offered', reason: 'the model has no price for web_search' })
  const done = await certifySearch('fine', SEARCHES)
  expect([done.row?.result, done.calls]).toEqual(['passed', without.calls + 1])
  expect(Number(done.cost_usd)).toBeGreaterThan(0.01)
  const [known, priced] = [
    await certifySearch('fine', '', { estimate: true }),
    await certifySearch('fine', SEARCHES, { estimate: true }),
  ]
  // Eight searches, and the tokens of what they find.
  expect(Number(priced.cost_at_most_usd) - Number(known.cost_at_most_usd)).toBeGreaterThan(0.08)
  expect((await certifySearch('no-search', SEARCHES)).row?.result).toBe('not offered')
  if (dialect === 'chat') expect((await certifySearch('ignores-search', SEARCHES)).row?.result).toBe('failed')
})

test('models that are not called are not named', async () => {
  const source = `
upstreams: [{ id: up, dialect: generate-content, base_url: "${server.url('fine')}beta", keys: [${SECRETS.key}] }]
models:
  - { id: a, routes: [{ upstream: up, model: sandbox-text }], price: { input: 1, output: 10 } }
  - { id: b, type: embedding, routes: [{ upstream: up, model: sandbox-embedding }], price: { input: 1 } }`
  const { config, mistakes } = assemble({ source, file: 'f', env: {} }, BUILT_IN)
  if (!config) throw new Error(JSON.stringify(mistakes))
  const named = async (more: object) => {
    const { models } = await certifyWithoutStore(config, { upstream: 'up', ...more })
    return models.map(({ model }) => model)
  }
  // This upstream has no endpoint for embeddings that would be checked, and the list of models needs none of them.
  expect(await named({ estimate: true })).toEqual(['sandbox-text'])
  expect(await named({})).toEqual(['sandbox-text'])
  expect(await named({ part: 'upstream' })).toEqual([])
})

test('tables and recordings tell nothing of who asked', async () => {
  const { checks, recordings } = await certify('telling', { record: true })
  const all = JSON.stringify([checks, recordings])
  for (const secret of Object.values(SECRETS)) expect(all).not.toContain(secret)
  expect(recordings.map(({ file }) => file)).toEqual([
    ...['chat/text.json', 'chat/text-streamed.chunks.txt', 'chat/length.json', 'chat/length-streamed.chunks.txt'],
    ...['chat/tools.json', 'chat/tools-streamed.chunks.txt', 'chat/forced-tool.json', 'chat/json-schema.json'],
    ...['chat/image-in.json', 'chat/reasoning.json', 'errors/chat-unknown-model.json'],
  ])
  const [text, streamed] = recordings
  expect(JSON.parse(text?.text ?? '')).toMatchObject({
    id: 'chatcmpl-masked1',
    model: 'sandbox-text',
    organization: 'masked',
    choices: [{ message: { content: expect.stringContaining('Say hello.') }, finish_reason: 'stop' }],
  })
  const events = (streamed?.text ?? '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(new Set(events.map(({ id }) => id))).toEqual(new Set(['chatcmpl-masked1']))
  expect(recordings.at(-1)?.text).toContain('has no such model')
  // Nothing is kept unless somebody asks for it.
  expect((await certify('telling')).recordings).toEqual([])
})

test.each([
  ['You exceeded the limit of org-8s7d6f5s on tokens', 'You exceeded the limit of masked on tokens'],
  ['accounts/acme/models/llama-3', 'accounts/masked/models/llama-3'],
  ['ft:gpt-4o:acme:bot:9xk2', 'ft:gpt-4o:masked'],
  ['trace 3f2b8c1e-9d7a-4b6c-8e5f-0a1b2c3d4e5f from 203.0.113.9', 'trace masked from masked'],
  ['write to ada.l@acme.co.uk', 'write to masked'],
  ['the key AIzaSyD4xK9mQ2vN7bR1tW8zE3 and my-resource', 'the key masked and masked'],
  ['the model claude-3 is overloaded, retry in 20 s', 'the model claude-3 is overloaded, retry in 20 s'],
])('%s', (text, scrubbed) => {
  expect(openScrubber(['my-resource', 'x']).text(text)).toBe(scrubbed)
})
