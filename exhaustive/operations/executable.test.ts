// The single executable: it runs in an empty folder with nothing else installed, as a user without rights, and serves everything.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EndpointRoute } from '../../packages/gateway/src/endpoints/endpoint.ts'
import { MODEL_ENDPOINTS } from '../../packages/gateway/src/openapi/model-endpoints.ts'
import { ROUTES, type RouteId } from '../../packages/protocol/src/routes.ts'
import { eventually } from '../../test/support/eventually.ts'
import { wavOf } from '../../test/support/requests/audio.ts'
import { compile, prepareParts } from '../../tools/build/executable.ts'
import { hostTarget } from '../../tools/build/targets.ts'

/** `nobody`: only root can become another user. */
const NO_RIGHTS = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

const folder = mkdtempSync(join(tmpdir(), 'trivium-executable-'))
const home = join(folder, 'home')
const executable = join(folder, 'trivium')
let url = ''
let key = ''
let printed = ''
let stop = async (): Promise<void> => {}

const start = (...args: string[]) => spawn(executable, args, { cwd: home, env: { PORT: '0' }, ...NO_RIGHTS })

beforeAll(async () => {
  await compile(await prepareParts(join(folder, 'parts')), hostTarget(), executable)
  rmSync(join(folder, 'parts'), { recursive: true })
  chmodSync(folder, 0o755)
  mkdirSync(home)
  if (NO_RIGHTS.uid !== undefined) chownSync(home, NO_RIGHTS.uid, NO_RIGHTS.gid)
  const child = start('serve')
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      printed += text
    })
  const exited = new Promise<void>((resolve) => child.on('exit', () => resolve()))
  stop = () => {
    // As Ctrl-C does: nobody waits for load balancers.
    child.kill('SIGINT')
    return exited
  }
  await eventually(async () => {
    url = /"address":"([^"]+)/.exec(printed)?.[1] ?? ''
    return url !== '' && (await fetch(`${url}/ready`).catch(() => undefined))?.status === 200
  })
  key = /sk-[\w-]+/.exec(printed)?.[0] ?? ''
})
afterAll(async () => {
  await stop()
  rmSync(folder, { recursive: true, force: true })
})

type Call = { path?: string; body?: object; status?: number; keep?(answer: Answer): void }
type Answer = { json: Record<string, unknown>; headers: Headers }

const CHAT = { model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }
const INPUT = { model: 'sandbox-text', input: 'Hello' }
const IMAGE = { model: 'sandbox-image', prompt: 'A square', size: '64x64', response_format: 'url' }
const VIDEO = { model: 'sandbox-video', content: [{ type: 'text', text: 'A square' }] }
const made = { response: '', request: '', media: '', task: '' }
const model = 'sandbox-text'

function edit(): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(IMAGE)) form.set(name, value)
  form.set('image', new Blob([Buffer.from(PIXEL, 'base64')], { type: 'image/png' }), 'square.png')
  return form
}
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

function speech(): FormData {
  const form = new FormData()
  form.set('model', 'sandbox-transcription')
  form.set('file', new Blob([wavOf(2)], { type: 'audio/wav' }), 'speech.wav')
  return form
}

/** What differs from the declared example, in an order in which one makes what the next one shows. */
const CALLS: Partial<Record<RouteId, () => Call>> = {
  chat: () => ({
    body: CHAT,
    keep: ({ headers }) => {
      made.request = headers.get('x-request-id') ?? ''
    },
  }),
  responses: () => ({
    body: INPUT,
    keep: ({ json }) => {
      made.response = String(json.id)
    },
  }),
  'show-response': () => ({ path: `/v1/responses/${made.response}` }),
  // It was not generated in the background.
  'cancel-response': () => ({ path: `/v1/responses/${made.response}/cancel`, status: 400 }),
  'list-input-items': () => ({ path: `/v1/responses/${made.response}/input_items` }),
  'delete-response': () => ({ path: `/v1/responses/${made.response}` }),
  'image-generations': () => ({
    body: IMAGE,
    keep: ({ json }) => {
      made.media = (json.data as { url: string }[])[0]?.url ?? ''
    },
  }),
  'image-edits': () => ({ body: edit() }),
  'audio-transcriptions': () => ({ body: speech() }),
  'audio-translations': () => ({ body: speech() }),
  'create-video-task': () => ({
    body: VIDEO,
    keep: ({ json }) => {
      made.task = String(json.id)
    },
  }),
  'show-video-task': () => ({ path: `/api/v3/contents/generations/tasks/${made.task}` }),
  // It runs by now, and what runs cannot be cancelled.
  'delete-video-task': () => ({ path: '/api/v3/contents/generations/tasks/none', status: 404 }),
  'show-usage': () => ({ path: `/v1/usage/${made.request}` }),
  // Served where the setting for LiteLLM's clients is on.
  'litellm-key': () => ({ path: '/key/info', status: 404 }),
  'litellm-models': () => ({ path: '/v1/model/info', status: 404 }),
  'media-object': () => ({ path: made.media.slice(url.length) }),
  'read-console-api': () => ({ path: '/console/api/about' }),
  'post-console-api': () => ({ path: '/console/api/sign-in', body: {}, status: 400 }),
  'delete-console-api': () => ({ path: '/console/api/sessions/1', status: 401 }),
  'read-admin-api': () => ({ path: '/admin/v1/accounts/1', status: 401 }),
  'post-admin-api': () => ({ path: '/admin/v1/keys', body: {}, status: 401 }),
  'patch-admin-api': () => ({ path: '/admin/v1/keys/1', body: {}, status: 401 }),
  'delete-admin-api': () => ({ path: '/admin/v1/keys/1', status: 401 }),
  'console-file': () => ({ path: '/console/models' }),
}

const DECLARED: Partial<Record<RouteId, EndpointRoute>> = MODEL_ENDPOINTS
const ALL = [...new Set([...Object.keys(CALLS), ...Object.keys(ROUTES)])] as RouteId[]

/** What the API description tells to send. */
function declaredCall(id: RouteId): Call {
  const { body, parameters } = DECLARED[id] ?? {}
  const path = ROUTES[id].path.replace('{model}', String(parameters?.model?.example ?? model))
  return { path, ...(body === undefined ? {} : { body: body.example }) }
}

test.each(ALL)('%s', async (id) => {
  const { method } = ROUTES[id]
  const call = { ...declaredCall(id), ...CALLS[id]?.() }
  const { body } = call
  const response = await fetch(url + call.path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      origin: url,
      'anthropic-version': '2023-06-01',
      ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
  })
  const bytes = await response.bytes()
  expect([response.status, bytes.length > 0]).toEqual([call.status ?? 200, true])
  call.keep?.({ json: JSON.parse(new TextDecoder().decode(bytes)), headers: response.headers })
})

test('the console loads its scripts', async () => {
  const page = await (await fetch(`${url}/console`)).text()
  const scripts = [...page.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, path = '']) => path)
  expect(scripts.length).toBeGreaterThan(1)
  for (const path of scripts) expect((await fetch(new URL(path, `${url}/console/`))).status).toBe(200)
})

test('a video is made, and played from a signed URL', async () => {
  let task: { status?: string; content?: { video_url: string } } = {}
  await eventually(async () => {
    const response = await fetch(`${url}/api/v3/contents/generations/tasks/${made.task}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    task = (await response.json()) as typeof task
    return task.status === 'succeeded'
  })
  const video = await fetch(task.content?.video_url ?? '')
  expect([video.status, video.headers.get('content-type')]).toEqual([200, 'video/mp4'])
})

const run = async (...args: string[]) => {
  const child = start(...args)
  const out: Buffer[] = []
  child.stdout.on('data', (chunk) => out.push(chunk))
  const code = await new Promise((resolve) => child.on('exit', resolve))
  return { code, stdout: Buffer.concat(out).toString() }
}

test('commands run beside it', async () => {
  expect(await run('audit', '--json')).toMatchObject({ code: 0, stdout: expect.stringContaining('"ok":true') })
  expect((await run('licenses')).stdout).toContain('react-dom')
  expect((await run('help')).stdout).toContain('Usage: trivium COMMAND')
})

test('it writes into its data folder alone, and stops when it is told to', async () => {
  expect(readdirSync(home)).toEqual(['data'])
  await stop()
  expect(printed).toContain('"message":"stopped"')
  expect(printed).not.toContain('"level":"error"')
})
