import { expect, test } from 'bun:test'
import { videoService } from '@trivium/protocol/dialects/generate-content/video-generation/index.ts'
import { bufferCodec } from '@trivium/protocol/fixtures/buffer-codec.ts'
import { decodeVideo } from '../../test-support/mp4.ts'
import { createSandbox } from '../handler.ts'

const START = 1_767_268_800_000
const KEY = { 'x-goog-api-key': 'any' }

function sandbox() {
  const state = { now: START }
  const handle = createSandbox({ faults: true, clock: () => state.now, sleep: async () => {} })
  const call = (method: string, path: string, body?: object, headers: Record<string, string> = KEY) => {
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    return handle(new Request(new URL(path, 'http://sandbox.test').href, { method, headers, ...text }))
  }
  const submit = (more: object = {}, model = 'sandbox-video') =>
    call('POST', `/v1beta/models/${model}:predictLongRunning`, { instances: [{ prompt: 'A cat' }], ...more })
  const query = async (name: string) => {
    const decoded = videoService.decodeTask(
      await (await call('GET', `/v1beta${videoService.query(name).path}`)).bytes(),
      bufferCodec,
    )
    if (!decoded.ok) throw new Error(decoded.error.message)
    return decoded.value
  }
  const start = async (more?: object, model?: string) => {
    const decoded = videoService.decodeSubmitted(await (await submit(more, model)).bytes(), bufferCodec)
    if (!decoded.ok) throw new Error(decoded.error.message)
    return decoded.value.id
  }
  return { state, call, submit, start, query }
}

test('an operation runs, is done, and its video is downloaded with the key', async () => {
  const { state, call, start, query } = sandbox()
  const name = await start({
    parameters: { durationSeconds: 4, aspectRatio: '9:16', resolution: '480p', sampleCount: 1 },
  })
  expect(name).toMatch(/^models\/sandbox-video\/operations\/[\w-]+$/)
  expect(await query(name)).toEqual({ id: name, status: 'running', settings: {}, unknown: [] })
  state.now += 10_000
  const { status, video } = await query(name)
  if (video?.kind !== 'url') throw new Error('no URL')
  expect([status, video.needsCredential, new URL(video.url).search]).toEqual(['succeeded', true, '?alt=media'])
  expect((await call('GET', video.url, undefined, {})).status).toBe(401)
  const file = await call('GET', video.url)
  expect(file.headers.get('content-type')).toBe('video/mp4')
  expect(decodeVideo(await file.bytes())).toMatchObject({ width: 192, height: 320, seconds: 4 })
})

test('another process knows the operation', async () => {
  const name = await sandbox().start()
  const { state, query } = sandbox()
  state.now += 20_000
  expect(await query(name)).toMatchObject({ status: 'succeeded' })
})

test.each([
  ['fails', 'failed', 'InternalServiceError'],
  ['moderation', 'failed', 'OutputVideoSensitiveContentDetected'],
  ['never-ends', 'running', undefined],
])('the fault %s', async (fault, status, code) => {
  const { state, start, query } = sandbox()
  const name = await start({}, `sandbox-video:${fault}`)
  state.now += 1_000_000
  const task = await query(name)
  expect([task.status, task.error?.code]).toEqual([status as 'failed', code as string])
})

test.each<[string, body: object, model: string, status: number, field: string | undefined]>([
  ['no instance', { instances: [] }, 'sandbox-video', 400, 'instances'],
  ['no prompt', { instances: [{}] }, 'sandbox-video', 400, 'instances[0].prompt'],
  [
    'an image by URL',
    { instances: [{ image: { uri: 'https://a.test/a.png' } }] },
    'sandbox-video',
    400,
    'instances[0].image',
  ],
  ['no image', { instances: [{ prompt: 'x', image: 'a.png' }] }, 'sandbox-video', 400, 'instances[0].image'],
  [
    ...(['no reference', { instances: [{ prompt: 'x', referenceImages: [{}] }] }, 'sandbox-video', 400] as const),
    'instances[0].referenceImages[0].image',
  ],
  ['an unknown parameter', { parameters: { fps: 3 } }, 'sandbox-video', 400, 'parameters.fps'],
  ['a long video', { parameters: { durationSeconds: 13 } }, 'sandbox-video', 400, 'parameters.durationSeconds'],
  ['a square', { parameters: { aspectRatio: '1:1' } }, 'sandbox-video', 400, 'parameters.aspectRatio'],
  ['two videos', { parameters: { sampleCount: 2 } }, 'sandbox-video', 400, 'parameters.sampleCount'],
  ['another model', {}, 'sandbox-text', 404, undefined],
  ['an error by a fault', {}, 'sandbox-video:status=429', 429, undefined],
])('%s is rejected in the form of the dialect', async (_, body, model, status, field) => {
  const answer = await sandbox().submit(body, model)
  const { error } = JSON.parse(await answer.text())
  expect([answer.status, error.code]).toEqual([status, status])
  if (field !== undefined) expect(error.details[0].fieldViolations[0].field).toBe(field)
})

test('an unknown operation is not found', async () => {
  const answer = await sandbox().call('GET', '/v1beta/models/sandbox-video/operations/cgt-1')
  expect([answer.status, JSON.parse(await answer.text()).error.status]).toEqual([404, 'NOT_FOUND'])
})
