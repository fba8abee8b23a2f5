// Video tasks over an upstream of the generate-content dialect, whose videos are made by long-running operations.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { createSandbox } from '@trivium/sandbox/handler.ts'
import { eventually } from '../../test/support/eventually.ts'
import { audit, newKey } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const KEY = 'upstream-key-1'

type Seen = { method: string; path: string; host: string; key: string | null; body: string }
let seen: Seen[] = []
/** Changes what the sandbox answers to a query. */
let rewrite: (operation: string) => string = (operation) => operation

const sandbox = createSandbox({ faults: true })
const record = async (request: Request): Promise<void> => {
  const { pathname, host } = new URL(request.url)
  const key = request.headers.get('x-goog-api-key')
  seen.push({ method: request.method, path: pathname, host, key, body: await request.clone().text() })
}
const upstream = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    await record(request)
    const response = await sandbox(request)
    if (request.method !== 'GET' || !request.url.includes('/operations/')) return response
    return new Response(rewrite(await response.text()), response)
  },
})
/** Another host, for the upstream's files. */
const elsewhere = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    await record(request)
    return new Response('\0\0\0\x18ftypisom', { headers: { 'content-type': 'video/mp4' } })
  },
})

const model = (id: string, name: string) =>
  `{ id: ${id}, type: video, routes: [{ upstream: clips, model: "${name}" }], price: { per_second: 0.05 }, limits: { seconds: [1, 12], default_seconds: 2 } }`
const CONFIG = `
upstreams:
  - { id: clips, dialect: generate-content, base_url: "http://127.0.0.1:${upstream.port}/v1beta", keys: [${KEY}], allow_private: true }
models:
  - ${model('clip', 'sandbox-video')}
  - ${model('fails', 'sandbox-video:fails')}
  - ${model('moderated', 'sandbox-video:moderation')}
  - ${model('endless', 'sandbox-video:never-ends')}
  - ${model('throttled', 'sandbox-video:status=429')}
  - ${model('broken', 'sandbox-video:status=500')}
  - ${model('cut', 'sandbox-video:cut-submit')}
`

let gateway: Gateway
let account: Awaited<ReturnType<typeof newKey>>
beforeAll(async () => {
  const taskTiming = { tickMs: 50, firstPollMs: 50, longestPollMs: 100, firstSearchMs: 50, listedWithinMs: 500 }
  gateway = await startGateway({ config: CONFIG, taskTiming })
})
beforeEach(async () => {
  account = await newKey(gateway)
  seen = []
  rewrite = (operation) => operation
})
afterEach(async () => expect(await audit(gateway)).toMatchObject({ ok: true }))
afterAll(async () => {
  expect(gateway.output().stderr).not.toContain(KEY)
  await gateway.stop()
  await Promise.all([upstream.stop(true), elsewhere.stop(true)])
})

const TASKS = '/api/v3/contents/generations/tasks'
type Answer = { status: number; headers: Headers; json: Record<string, unknown> }

async function call(method: string, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${account.secret}`, 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(`${gateway.url}${TASKS}${path}`, { method, headers, ...sent })
  const text = await response.text()
  return { status: response.status, headers: response.headers, json: text === '' ? {} : JSON.parse(text) }
}

const submit = (fields: object = {}, content: object[] = []): Promise<Answer> =>
  call('POST', '', { model: 'clip', content: [{ type: 'text', text: 'A lighthouse' }, ...content], ...fields })

async function ended(id: unknown): Promise<Answer['json']> {
  let task: Answer['json'] = {}
  await eventually(async () => {
    task = (await call('GET', `/${id}`)).json
    return task.status !== 'queued' && task.status !== 'running'
  })
  return task
}

const image = (url: string, role?: string) => ({ type: 'image_url', image_url: { url }, ...(role ? { role } : {}) })
const DATA_URL = `data:image/png;base64,${PNG}`
const INLINE = { bytesBase64Encoded: PNG, mimeType: 'image/png' }
const submitted = (): unknown => JSON.parse(seen.find(({ method }) => method === 'POST')?.body ?? 'null')

test.each([
  ['text alone', {}, [], { prompt: 'A lighthouse' }, { durationSeconds: 2, sampleCount: 1 }],
  [
    'settings',
    { duration: 1, resolution: '720p', ratio: '9:16' },
    [],
    { prompt: 'A lighthouse' },
    { durationSeconds: 1, resolution: '720p', aspectRatio: '9:16', sampleCount: 1 },
  ],
  ['flags', {}, [{ type: 'text', text: '--dur 1 --rs 480p --rt 9:16' }], { prompt: 'A lighthouse' }, expect.anything()],
  ['a first frame', {}, [image(DATA_URL)], { prompt: 'A lighthouse', image: INLINE }, expect.anything()],
  [
    'both frames',
    {},
    [image(DATA_URL, 'first_frame'), image(DATA_URL, 'last_frame')],
    { prompt: 'A lighthouse', image: INLINE, lastFrame: INLINE },
    expect.anything(),
  ],
  [
    'a reference',
    {},
    [image(DATA_URL, 'reference_image')],
    { prompt: 'A lighthouse', referenceImages: [{ image: INLINE, referenceType: 'asset' }] },
    expect.anything(),
  ],
])('%s: translated, copied and charged', async (_, fields, content, instance, parameters) => {
  const { status, headers, json } = await submit(fields, content)
  expect([status, headers.get('x-trivium-warnings')]).toEqual([200, null])
  const task = await ended(json.id)
  expect(task).toMatchObject({ status: 'succeeded', model: 'clip' })
  expect(submitted()).toEqual({ instances: [instance], parameters })
  const { video_url: url = '' } = task.content as { video_url?: string }
  expect(url).toStartWith(`${gateway.url}/media/`)
  expect((await (await fetch(url)).text()).slice(4, 8)).toBe('ftyp')
  const seconds = (submitted() as { parameters: { durationSeconds: number } }).parameters.durationSeconds
  expect(await account.settled()).toMatchObject([{ outcome: 'completed', cost_usd: seconds === 1 ? '0.05' : '0.10' }])
})

test('what the upstream has no setting for is named', async () => {
  const fields = { seed: 7, camera_fixed: true, watermark: true, return_last_frame: true, generate_audio: false }
  const { status, headers, json } = await submit({ ...fields, service_tier: 'flex', another: 1, duration: 1 })
  const words = headers.get('x-trivium-warnings')?.split(', ').sort()
  const names = ['another', 'camera_fixed', 'generate_audio', 'return_last_frame', 'seed', 'service_tier', 'watermark']
  expect([status, words]).toEqual([200, names.map((name) => `${name};dropped`)])
  expect(await ended(json.id)).toMatchObject({ status: 'succeeded' })
})

const video = { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' }, role: 'reference_video' }
test.each([
  ['ratio', { ratio: '21:9' }, []],
  ['frames', { frames: 49 }, []],
  ['draft', { draft: true }, []],
  ['duration', { duration: 13 }, []],
  ['content[1]', {}, [video]],
  ['content[1].role', {}, [image(DATA_URL, 'mask')]],
  ['content[4]', {}, [1, 2, 3, 4].map(() => image(DATA_URL, 'reference_image'))],
  ['content[1].image_url.url', {}, [image('asset://asset-1')]],
  ['content[1].image_url.url', {}, [image('file:///etc/passwd')]],
  // The gateway itself would fetch it, from its own network.
  ['content[1].image_url.url', {}, [image(`http://127.0.0.1:${elsewhere.port}/a.png`)]],
])('%s that cannot be translated: 400, and nothing is held or sent', async (param, fields, content) => {
  const { status, json } = await submit(fields, content)
  expect([status, json]).toEqual([400, { error: expect.objectContaining({ param }) }])
  expect([seen, await account.rows()]).toEqual([[], []])
})

test.each([
  ['fails', 'InternalServiceError'],
  ['moderated', 'OutputVideoSensitiveContentDetected'],
])('an operation that %s: the task has failed, for free', async (name, code) => {
  const { json } = await submit({ model: name })
  expect(await ended(json.id)).toMatchObject({ status: 'failed', error: { code, message: expect.any(String) } })
  expect(await account.settled()).toMatchObject([{ outcome: 'failed', cost_usd: '0.00' }])
})

test('a submit that is rejected: its status, and no task', async () => {
  const { status, json } = await submit({ model: 'throttled' })
  expect([status, json]).toEqual([429, { error: expect.objectContaining({ type: 'TooManyRequests' }) }])
  expect((await call('GET', '')).json).toEqual({ total: 0, items: [] })
  expect(await account.settled()).toMatchObject([{ outcome: 'failed', cost_usd: '0.00' }])
})

test.each(['broken', 'cut'])('a submit with an unknown outcome (%s): sent once, and failed, for free', async (name) => {
  const { status, json } = await submit({ model: name })
  expect(status).toBe(200)
  expect(await ended(json.id)).toMatchObject({ status: 'failed', error: { code: 'InternalServiceError' } })
  expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(1)
  expect(await account.settled()).toMatchObject([{ outcome: 'failed', cost_usd: '0.00' }])
})

test('DELETE of an open task: 409 with the reason, and nothing is sent', async () => {
  const { json } = await submit({ model: 'endless' })
  // An operation that is not done is running, as far as anyone can tell.
  const { status, json: refused } = await call('DELETE', `/${json.id}`)
  expect([status, refused]).toEqual([409, { error: expect.objectContaining({ code: 'OperationDenied.InvalidState' }) }])
  expect(JSON.stringify(refused)).toContain('The task is running and cannot be deleted.')
  expect(seen.map(({ method }) => method)).not.toContain('DELETE')
})

test('the key is sent with downloads from the upstream itself only', async () => {
  const own = await submit({ duration: 1 })
  await ended(own.json.id)
  expect(seen.filter(({ path }) => path.includes('/files/')).map(({ key }) => key)).toEqual([KEY])
  seen = []
  const other = `http://127.0.0.1:${elsewhere.port}/other/files/a.mp4`
  rewrite = (operation) => operation.replace(/"uri":"[^"]*"/, `"uri":"${other}"`)
  const { json } = await submit({ duration: 1 })
  expect(await ended(json.id)).toMatchObject({ status: 'succeeded' })
  const downloads = seen.filter(({ path }) => path.includes('/files/'))
  expect(downloads).toMatchObject([{ host: `127.0.0.1:${elsewhere.port}`, key: null }])
})

test('a video in the answer itself', async () => {
  const base64 = Buffer.from('\0\0\0\x18ftypisom').toString('base64')
  rewrite = (operation) => operation.replace(/"uri":"[^"]*"/, `"encodedVideo":"${base64}","encoding":"video/mp4"`)
  const { json } = await submit({ duration: 1 })
  const { content } = await ended(json.id)
  const { video_url: url = '' } = content as { video_url?: string }
  const response = await fetch(url)
  expect([response.headers.get('content-type'), await response.text()]).toEqual(['video/mp4', '\0\0\0\x18ftypisom'])
})
