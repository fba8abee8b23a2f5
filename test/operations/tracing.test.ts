// Traces of a whole gateway, as a collector on a real socket gets and decodes them.
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import {
  type CollectedSpan,
  type Collector,
  startCollector,
} from '../../packages/gateway/test-support/trace-collector.ts'
import { eventually } from '../support/eventually.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, receiptOf, startGateway } from '../support/gateway/gateway.ts'
import { QUICK } from '../support/gateway/video-gateway.ts'
import { videoBody, videoClient } from '../support/requests/videos.ts'
import {
  chunk,
  DONE,
  event,
  finish,
  LAST_CHUNK,
  reply,
  respondAsRequested,
  respondWith,
  respondWithError,
  role,
  STREAM_HEAD,
  startUpstream,
  stream,
  type Upstream,
  usage,
} from '../support/upstreams/raw-upstream.ts'
import { type ScriptedVideo, startScriptedVideo } from '../support/upstreams/scripted-video.ts'

const SERVER = 2
const CLIENT = 3
const ERROR = { code: 2 }
const UPSTREAM_KEY = 'upstream-key-never-shown'
const PROMPT = 'a prompt that stays private'
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER_SPAN = '00f067aa0ba902b7'
const contextOf = (flags: string) => ({ traceparent: `00-${TRACE}-${CALLER_SPAN}-${flags}`, tracestate: 'vendor=1' })

let collector: Collector
let gateway: Gateway
let key: { secret: string; email: string }
let up: Upstream
let spare: Upstream
let films: ScriptedVideo

const config = (one: Upstream, two: Upstream) => `
upstreams:
  - { id: films, dialect: video-tasks, base_url: "${films.baseUrl}", keys: [${UPSTREAM_KEY}], allow_private: true, breaker: false }
  - { id: one, dialect: chat, base_url: "${one.url}", keys: [${UPSTREAM_KEY}], breaker: false }
  - { id: two, dialect: chat, base_url: "${two.url}", keys: [${UPSTREAM_KEY}], breaker: false }
models:
  - id: gpt-x
    routes: [{ upstream: one, model: inner-1, priority: 1 }, { upstream: two, model: inner-2, priority: 2 }]
    price: { input: 2, output: 8 }
  - { id: film, type: video, routes: [{ upstream: films, model: inner-3 }], price: { per_video: 0.1 }, limits: { seconds: [4, 12] } }
`

beforeAll(async () => {
  collector = startCollector()
  ;[up, spare] = await Promise.all([startUpstream(), startUpstream()])
  films = await startScriptedVideo()
  gateway = await startGateway({
    config: config(up, spare),
    taskTiming: QUICK,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=collector-key',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_SERVICE_NAME: 'gateway-of-test',
      OTEL_BSP_SCHEDULE_DELAY: '20',
    },
  })
  key = await newKey(gateway)
})
afterAll(async () => {
  await gateway.stop()
  up.stop()
  spare.stop()
  films.stop()
  await collector.stop()
})
beforeEach(() => {
  up.behave(respondAsRequested)
  spare.behave(respondAsRequested)
})

const ask = (more: object = {}) => ({ model: 'gpt-x', messages: [{ role: 'user', content: PROMPT }], ...more })

/** The spans of a request: its own, and those of the calls of upstreams in order. */
async function spansOf(response: Response, calls = 1): Promise<[CollectedSpan, ...CollectedSpan[]]> {
  const id = response.headers.get('x-request-id')
  const found = () => collector.spans.find(({ attributes }) => attributes['trivium.request_id'] === id)
  await eventually(() => found() !== undefined)
  const own = found() as CollectedSpan
  const below = collector.spans.filter(({ parentSpanId }) => parentSpanId === own.spanId)
  expect(below).toHaveLength(calls)
  for (const span of below) expect(span.traceId).toBe(own.traceId)
  return [own, ...below]
}

const GEN_AI = (span: CollectedSpan | undefined) =>
  Object.keys(span?.attributes ?? {}).filter((name) => name.startsWith('gen_ai.'))

test.each([false, true])('a request and the call of its upstream, streamed %p', async (isStream) => {
  const headers = { 'x-client-request-id': 'mine-1', 'user-agent': 'SDK/1' }
  const response = await chat(gateway.url, key.secret, ask({ stream: isStream }), headers)
  await response.text()
  const [own, call] = await spansOf(response)
  expect(own).toMatchObject({
    name: 'POST /v1/chat/completions',
    kind: SERVER,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/v1/chat/completions',
      'http.response.status_code': 200,
      'client.address': '127.0.0.1',
      'user_agent.original': 'SDK/1',
      'trivium.client_request_id': 'mine-1',
      'trivium.model': 'gpt-x',
      'trivium.upstream': 'one',
      'trivium.outcome': 'completed',
      'trivium.cost_usd': '0.00018',
    },
  })
  expect(own.parentSpanId).toBeUndefined()
  expect(own.status).toBeUndefined()
  expect(call).toMatchObject({
    name: 'chat inner-1',
    kind: CLIENT,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'custom',
      'gen_ai.request.model': 'inner-1',
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 20,
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(up.url).port),
      'http.response.status_code': 200,
      'trivium.upstream': 'one',
    },
  })
  expect(call?.status).toBeUndefined()
  expect(GEN_AI(own)).toEqual([])
  const times = [own.startTimeUnixNano, call?.startTimeUnixNano, call?.endTimeUnixNano, own.endTimeUnixNano].map(Number)
  expect(times).toEqual(times.toSorted((one, other) => one - other))
  expect(up.last().headers).toMatchObject({
    traceparent: `00-${own.traceId}-${call?.spanId}-01`,
    'x-client-request-id': 'mine-1',
  })
  expect(collector.resource).toMatchObject({ 'service.name': 'gateway-of-test' })
  expect(collector.headers[0]?.get('api-key')).toBe('collector-key')
})

const STREAMED = [role(), event('Hello there.'), finish('length')]
const FIGURES = {
  prompt_tokens: 100,
  completion_tokens: 30,
  prompt_tokens_details: { cached_tokens: 40 },
  completion_tokens_details: { reasoning_tokens: 12 },
}

test.each([false, true])('a complete generation with its cost, streamed %p', async (isStream) => {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello there.' }, finish_reason: 'length' }]
  up.behave(isStream ? stream(...STREAMED, usage(FIGURES), DONE) : respondWith(reply({ choices, usage: FIGURES })))
  const asked = ask({ stream: isStream, max_tokens: 77, temperature: 0.25 })
  const response = await chat(gateway.url, key.secret, asked)
  await response.text()
  const [own, call] = await spansOf(response)
  const costs = { 'gen_ai.usage.cost': 0.00044, 'langfuse.observation.cost_details': '{"total":0.00044}' }
  expect(own.attributes['trivium.cost_usd']).toBe('0.00044')
  expect(call?.attributes).toMatchObject({
    ...costs,
    'gen_ai.request.stream': isStream,
    'gen_ai.request.max_tokens': 77,
    'gen_ai.request.temperature': 0.25,
    'gen_ai.response.id': 'chatcmpl-1',
    'gen_ai.response.model': 'inner-name',
    'gen_ai.response.finish_reasons': ['length'],
    'gen_ai.usage.cache_read.input_tokens': 40,
    'gen_ai.usage.reasoning.output_tokens': 12,
  })
  const firstToken = call?.attributes['langfuse.observation.completion_start_time']
  expect(firstToken !== undefined).toBe(isStream)
})

test('the names of the answer are found in a stream that is cut anywhere', async () => {
  const events = [': comment\n\n', event({ id: '', model: '', choices: [] }), ...STREAMED, usage(), DONE].join('')
  up.behave((socket) => {
    socket.setNoDelay(true)
    socket.write(STREAM_HEAD)
    for (let at = 0; at < events.length; at += 7) socket.write(chunk(events.slice(at, at + 7)))
    socket.write(LAST_CHUNK)
  })
  const response = await chat(gateway.url, key.secret, ask({ stream: true }))
  await response.text()
  const [, call] = await spansOf(response)
  expect(call?.attributes).toMatchObject({ 'gen_ai.response.id': 'chatcmpl-1', 'gen_ai.response.model': 'inner-name' })
})

test("a failed attempt and the one that answered; the vendor's id of each", async () => {
  up.behave(respondWithError(503, { 'request-id': 'vendor-1' }))
  spare.behave(respondWith(reply(), 200, { 'x-request-id': 'vendor-2' }))
  const response = await chat(gateway.url, key.secret, ask())
  expect(response.status).toBe(200)
  const [own, failed, answered] = await spansOf(response, 2)
  expect(own.attributes['trivium.upstream']).toBe('two')
  expect(failed).toMatchObject({
    name: 'chat inner-1',
    status: ERROR,
    attributes: {
      'error.type': 'service_unavailable',
      'http.response.status_code': 503,
      'trivium.upstream_request_id': 'vendor-1',
    },
  })
  expect(failed?.attributes['gen_ai.usage.input_tokens']).toBeUndefined()
  expect(answered).toMatchObject({
    name: 'chat inner-2',
    attributes: { 'gen_ai.usage.input_tokens': 10, 'trivium.upstream_request_id': 'vendor-2' },
  })
  expect(answered?.status).toBeUndefined()
  const line = `"request_id":"${response.headers.get('x-request-id')}"`
  await eventually(() => gateway.output().stderr.includes(line))
  const logged = gateway
    .output()
    .stderr.split('\n')
    .find((each) => each.includes(line) && each.includes('"message":"request"'))
  expect(JSON.parse(logged ?? '')).toMatchObject({ upstream_request_id: 'vendor-2', trace_id: own.traceId })
})

test('a request that failed: its span, and its receipt with code, status and id of the vendor', async () => {
  for (const each of [up, spare]) each.behave(respondWithError(500, { 'x-request-id': 'vendor-3' }))
  const response = await chat(gateway.url, key.secret, ask())
  expect(response.status).toBe(502)
  const [own, call] = await spansOf(response)
  expect(own).toMatchObject({
    status: ERROR,
    attributes: { 'error.type': 'upstream_error', 'trivium.outcome': 'failed' },
  })
  expect(call).toMatchObject({ status: ERROR, attributes: { 'error.type': 'upstream_error' } })
  const error = { code: 'upstream_error', status: 500 }
  expect((await receiptOf<{ error: object }>(gateway.url, key.secret, response)).error).toEqual(error)
  const [shown] = await gateway.command<{ error: object }[]>('usage', '--account', key.email, '--limit', '1')
  expect(shown?.error).toEqual({ ...error, upstream_request_id: 'vendor-3' })
})

test('operators find a request by the id of its caller, its trace and its vendor; the caller sees the first', async () => {
  up.behave(respondWith(reply(), 200, { 'x-request-id': 'vendor-42' }))
  const response = await chat(gateway.url, key.secret, ask(), { ...contextOf('01'), 'x-client-request-id': 'my-42' })
  const id = response.headers.get('x-request-id') ?? ''
  const traced = await chat(gateway.url, key.secret, ask(), contextOf('00'))
  const byTrace = traced.headers.get('x-request-id') ?? ''
  const receipt = await receiptOf<{ client_request_id: string }>(gateway.url, key.secret, response)
  expect(receipt.client_request_id).toBe('my-42')
  expect(receipt).not.toHaveProperty('upstream_request_id')
  const listed = async (...filter: string[]) =>
    (await gateway.command<{ id: string }[]>('request', 'list', ...filter)).map((row) => row.id)
  expect(await listed('--client-id', 'my-42')).toEqual([id])
  expect(await listed('--vendor-id', 'vendor-42')).toEqual([byTrace, id])
  expect(await listed('--client-id', TRACE)).toContain(byTrace)
  expect(await listed('--client-id', TRACE)).not.toContain(id)
  const admin = await gateway.command<{ secret: string }>('admin-key', 'create', '--name', 'a', '--role', 'viewer')
  const search = await fetch(`${gateway.url}/admin/v1/search?q=my-42`, {
    headers: { authorization: `Bearer ${admin.secret}` },
  })
  expect(((await search.json()) as { data: object[] }).data).toMatchObject([{ kind: 'request', id, detail: 'gpt-x' }])
  expect(await gateway.command('request', 'show', id)).toMatchObject({
    client_request_id: 'my-42',
    upstream_request_id: 'vendor-42',
  })
})

test('a rejected request is a span without a call', async () => {
  const response = await chat(gateway.url, key.secret, ask({ model: 'nothing' }))
  const [own] = await spansOf(response, 0)
  expect(own.attributes).toMatchObject({ 'http.response.status_code': 404, 'error.type': 'model_not_found' })
  expect(own.status).toBeUndefined()
})

test('calls for a video after its submit are spans of the request that submitted it', async () => {
  const videos = videoClient(gateway, key.secret)
  films.script.states = ['running', 'succeeded']
  films.script.nextQueries = [{ status: 500 }]
  const response = await videos.send(videoBody('film'), contextOf('01'))
  const { id } = (await response.json()) as { id: string }
  await videos.until(id, 'succeeded')
  const queries = () => collector.spans.filter(({ name }) => name === 'get_task inner-3')
  await eventually(() => queries().length >= 3)
  const [own, submit] = await spansOf(response, 1 + queries().length)
  expect(submit?.name).toBe('generate_content inner-3')
  const [failed, running] = queries()
  for (const span of queries()) expect(span).toMatchObject({ traceId: TRACE, parentSpanId: own.spanId, kind: CLIENT })
  expect(failed).toMatchObject({
    status: ERROR,
    attributes: { 'error.type': 'upstream_error', 'http.response.status_code': 500 },
  })
  expect(running?.status).toBeUndefined()
  expect(Number(running?.startTimeUnixNano)).toBeGreaterThan(Number(own.endTimeUnixNano))
  const sent = films.requests.filter(({ operation }) => operation === 'query').at(1)
  expect(sent?.received.headers.traceparent).toBe(`00-${TRACE}-${running?.spanId}-01`)
})

test('the trace of the caller goes on; if it is not sampled, the upstream is told, and the collector gets nothing', async () => {
  const sampled = await chat(gateway.url, key.secret, ask(), contextOf('01'))
  const [own, call] = await spansOf(sampled)
  expect(own).toMatchObject({ traceId: TRACE, parentSpanId: CALLER_SPAN, traceState: 'vendor=1' })
  expect(up.last().headers).toMatchObject({ traceparent: `00-${TRACE}-${call?.spanId}-01`, tracestate: 'vendor=1' })
  const before = collector.spans.length
  const dropped = await chat(gateway.url, key.secret, ask(), contextOf('00'))
  expect(dropped.status).toBe(200)
  expect(up.last().headers.traceparent).toMatch(new RegExp(`^00-${TRACE}-(?!${CALLER_SPAN})[0-9a-f]{16}-00$`))
  const next = await chat(gateway.url, key.secret, ask(), { traceparent: 'invalid' })
  const [fresh] = await spansOf(next)
  // Spans leave in the order in which they ended.
  expect(fresh.traceId).not.toBe(TRACE)
  expect(collector.spans.length).toBe(before + 2)
})

test('no prompt, answer, key or email address reaches the collector', () => {
  expect(collector.bodies.length).toBeGreaterThan(0)
  const all = collector.bodies.join('')
  for (const secret of [PROMPT, 'stays private', 'Hello', key.secret, key.email, UPSTREAM_KEY, 'collector-key'])
    expect(all).not.toContain(secret)
})

test('a collector that never answers costs requests nothing; a shutdown sends the rest, and ends without it', async () => {
  collector.respond(() => new Promise(() => {}))
  const stuck = await startGateway({ config: config(up, spare), env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } })
  try {
    const { secret } = await newKey(stuck, '1000')
    const before = collector.bodies.length
    const statuses = await Promise.all(
      Array.from({ length: 300 }, async () => (await chat(stuck.url, secret, ask())).status),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
    await eventually(() => collector.bodies.length > before)
    stuck.signal('SIGINT')
    expect(await stuck.exited).toBe(0)
    await eventually(() => stuck.output().stderr.includes('"stopped"'))
    expect(stuck.output().stderr).toContain('traces lost')
  } finally {
    collector.respond(undefined)
    await stuck.stop()
  }
})

test('while tracing is off, the context of the caller is passed on unchanged', async () => {
  const off = await startGateway({
    config: config(up, spare),
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SDK_DISABLED: 'true' },
  })
  try {
    const { secret } = await newKey(off)
    await chat(off.url, secret, ask(), contextOf('01'))
    expect(up.last().headers).toMatchObject(contextOf('01'))
    await chat(off.url, secret, ask())
    expect(up.last().headers).not.toHaveProperty('traceparent')
  } finally {
    await off.stop()
  }
})
