// Receipts that are written long after their request, of videos and background responses, have its ids as other receipts do.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { QUICK } from '../support/gateway/video-gateway.ts'
import { videoBody } from '../support/requests/videos.ts'
import {
  DONE,
  event,
  finish,
  reply,
  respondWith,
  role,
  startUpstream,
  type Upstream,
  usage,
} from '../support/upstreams/raw-upstream.ts'
import { type ScriptedVideo, startScriptedVideo } from '../support/upstreams/scripted-video.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const TIMING = { ...QUICK, runWaitMs: 100, runWatchMs: 20, runCheckMs: 500, followMs: 20 }

let gateway: Gateway
let secret: string
let texts: Upstream
let films: ScriptedVideo

beforeAll(async () => {
  texts = await startUpstream()
  films = await startScriptedVideo()
  const config = `
upstreams:
  - { id: films, dialect: video-tasks, base_url: "${films.baseUrl}", keys: [key], allow_private: true, breaker: false }
  - { id: texts, dialect: chat, base_url: "${texts.url}", keys: [key], breaker: false }
models:
  - { id: gpt-x, routes: [{ upstream: texts, model: inner }], price: { input: 2, output: 8 } }
  - { id: film, type: video, routes: [{ upstream: films, model: inner }], price: { per_video: 0.1 }, limits: { seconds: [4, 12] } }
`
  gateway = await startGateway({ config, taskTiming: TIMING, streamTiming: { usageWaitMs: 100 } })
  secret = (await newKey(gateway)).secret
})
afterAll(async () => {
  await gateway.stop()
  texts.stop()
  films.stop()
})

const EVENTS = [role(), event('Hello'), finish(), usage(), DONE].join('')
const video = ['/api/v3/contents/generations/tasks', videoBody('film')] as const
const background = ['/v1/responses', { model: 'gpt-x', input: 'Hello', background: true }] as const
const named = (id: string) => ({ 'x-request-id': id })
const calls = (id: string) => ({ 'x-client-request-id': id })

type Row = {
  of: readonly [path: string, body: object]
  by: Record<string, string>
  from: Record<string, string>
  unstreamed?: true
  outcome: string
  client: string
  vendor: () => string | null
}

test.each<Row>([
  { of: video, by: calls('a-1'), from: named('v-1'), outcome: 'completed', client: 'a-1', vendor: () => 'v-1' },
  { of: video, by: {}, from: named('v-2'), outcome: 'completed', client: TRACE, vendor: () => 'v-2' },
  // An upstream that does not name requests names its tasks.
  {
    of: video,
    by: calls('a-3'),
    from: {},
    outcome: 'completed',
    client: 'a-3',
    vendor: () => [...films.tasks.keys()].at(-1) ?? '',
  },
  { of: background, by: calls('a-4'), from: named('v-4'), outcome: 'completed', client: 'a-4', vendor: () => 'v-4' },
  { of: background, by: {}, from: named('v-5'), outcome: 'completed', client: TRACE, vendor: () => 'v-5' },
  { of: background, by: calls('a-6'), from: {}, outcome: 'completed', client: 'a-6', vendor: () => null },
  // An upstream that does not stream although it should.
  {
    of: background,
    by: calls('a-7'),
    from: named('v-7'),
    unstreamed: true,
    outcome: 'failed',
    client: 'a-7',
    vendor: () => 'v-7',
  },
])('$of.0, found by $client: $outcome', async ({ of: [path, body], by, from, unstreamed, outcome, client, vendor }) => {
  films.script.headers = from
  texts.behave(
    unstreamed
      ? respondWith(reply(), 200, from)
      : respondWith(EVENTS, 200, { ...from, 'content-type': 'text/event-stream' }),
  )
  const authorization = `Bearer ${secret}`
  const headers = {
    authorization,
    'content-type': 'application/json',
    traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
    ...by,
  }
  const response = await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
  const id = response.headers.get('x-request-id') ?? ''
  let shown: Record<string, unknown> = {}
  await eventually(async () => {
    shown = await gateway.command('request', 'show', id)
    return shown.outcome !== 'running'
  })
  const upstream = vendor()
  expect([shown.outcome, shown.client_request_id, shown.upstream_request_id]).toEqual([outcome, client, upstream])
  const listed = async (...filter: string[]) =>
    (await gateway.command<{ id: string }[]>('request', 'list', ...filter)).map((row) => row.id)
  expect(await listed('--client-id', client)).toContain(id)
  if (upstream !== null) expect(await listed('--vendor-id', upstream)).toEqual([id])
  const receipt = await fetch(`${gateway.url}/v1/usage/${id}`, { headers: { authorization } })
  const own = (await receipt.json()) as object
  expect(own).toMatchObject({ client_request_id: client })
  expect(own).not.toHaveProperty('upstream_request_id')
})
