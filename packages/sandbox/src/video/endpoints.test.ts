import { describe, expect, test } from 'bun:test'
import { videoService } from '@trivium/protocol/dialects/video-tasks/index.ts'
import { bufferCodec } from '@trivium/protocol/fixtures/buffer-codec.ts'
import { undecodable } from '@trivium/protocol/fixtures/video-tasks/strict-record.ts'
import { decodeVideo } from '../../test-support/mp4.ts'
import { createSandbox } from '../handler.ts'

const START = 1_767_268_800_000
const TASKS = '/api/v3/contents/generations/tasks'

function sandbox({ faults = true, now = START } = {}) {
  const state = { now, slept: 0 }
  const sleep = async (ms: number) => {
    state.slept += ms
  }
  const handle = createSandbox({ faults, clock: () => state.now, sleep })
  const call = async (
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = { authorization: 'Bearer any' },
    signal?: AbortSignal,
  ) => {
    const url = new URL(path, 'http://sandbox.test')
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    return handle(new Request(url.href, { method, headers, ...text, ...(signal ? { signal } : {}) }))
  }
  const json = async (method: string, path: string, body?: object) =>
    JSON.parse(await (await call(method, path, body)).text())
  const submit = (more: object = {}) =>
    json('POST', TASKS, {
      model: 'sandbox-video',
      content: [{ type: 'text', text: 'A cat --dur 2 --rs 480p' }],
      ...more,
    })
  return { state, call, json, submit }
}

test('a task is queued, runs, and succeeds with a video and its last frame', async () => {
  const { state, call, json, submit } = sandbox()
  const { id } = await submit({ return_last_frame: true, safety_identifier: 't-1' })
  expect(id).toMatch(/^cgt-20260101120000-[\w-]+$/)
  const seen = []
  for (const after of [0, 499, 500, 1_799, 1_800]) {
    state.now = START + after
    seen.push((await json('GET', `${TASKS}/${id}`)).status)
  }
  expect(seen).toEqual(['queued', 'queued', 'running', 'running', 'succeeded'])
  const record = await json('GET', `${TASKS}/${id}`)
  expect(record).toMatchObject({
    id,
    model: 'sandbox-video',
    duration: 2,
    resolution: '480p',
    ratio: '16:9',
    safety_identifier: 't-1',
    created_at: START / 1000,
    updated_at: START / 1000 + 1,
    usage: { completion_tokens: 2_880 },
  })
  const video = await call('GET', record.content.video_url)
  expect([video.status, video.headers.get('content-type')]).toEqual([200, 'video/mp4'])
  expect(decodeVideo(await video.bytes()).seconds).toBe(2)
  const frame = await call('GET', record.content.last_frame_url)
  expect((await frame.bytes()).subarray(1, 4)).toEqual(new Uint8Array(Buffer.from('PNG')))
})

test('the dialect of the gateway decodes what the sandbox answers', async () => {
  const { state, call } = sandbox()
  const content = [{ type: 'text', text: 'x' }]
  const bytes = async (method: string, path: string, body?: object) => (await call(method, path, body)).bytes()
  const { decodeSubmitted, decodeTask, decodeList, query } = videoService
  const body = { model: 'sandbox-video', content, duration: 1, safety_identifier: 't-1' }
  const submitted = decodeSubmitted(await bytes('POST', TASKS, body), bufferCodec)
  if (!submitted.ok) throw new Error('not submitted')
  state.now += 2_000
  const task = decodeTask(await bytes('GET', `/api/v3${query(submitted.value.id).path}`), bufferCodec)
  expect(task).toMatchObject({ ok: true, value: { status: 'succeeded', reference: 't-1', settings: { duration: 1 } } })
  const list = decodeList?.(await bytes('GET', TASKS), bufferCodec)
  expect(list).toEqual({ ok: true, value: { total: 1, tasks: [task.ok ? task.value : expect.anything()] } })
})

describe('any process answers for any task, by its id alone', () => {
  const PROMPT = '北京 🙂 '.repeat(500)

  test.each([
    ['queued', 'queued', '', 0],
    ['running', 'running', '', 1_000],
    ['succeeded', 'succeeded', '', 20_000],
    ['with faults', 'failed', ':fails', 20_000],
  ])('%s', async (_, status, faults, after) => {
    const one = sandbox()
    const settings = { duration: 2, resolution: '720p', ratio: '1:1', seed: 7, return_last_frame: true }
    const content = [{ type: 'text', text: PROMPT }]
    const { id } = await one.submit({
      model: `sandbox-video${faults}`,
      content,
      ...settings,
      safety_identifier: 't-1',
    })
    expect(id.length).toBeLessThan(1_200)
    const other = sandbox({ faults: false, now: START + after })
    one.state.now += after
    const record = await other.json('GET', `${TASKS}/${id}`)
    expect(record).toEqual(await one.json('GET', `${TASKS}/${id}`))
    expect(undecodable(record)).toEqual([])
    expect(record).toMatchObject({ status, safety_identifier: 't-1', duration: 2, ratio: '1:1', seed: 7 })
    if (status !== 'succeeded') return
    for (const url of [record.content.video_url, record.content.last_frame_url]) {
      const [mine, theirs] = [await one.call('GET', url), await other.call('GET', url)]
      expect(Buffer.compare(await mine.bytes(), await theirs.bytes())).toBe(0)
    }
  })

  test('equal requests make different tasks, and an altered id is none', async () => {
    const { call, submit } = sandbox()
    const [one, other] = [(await submit()).id, (await submit()).id]
    expect(one).not.toBe(other)
    const altered = [one.slice(0, -1), `${one}A`, one.replace('cgt-2026', 'cgt-2027'), 'cgt-20260101120000-00000']
    altered.push(`${one.slice(0, 40)}${one[40] === 'A' ? 'B' : 'A'}${one.slice(41)}`)
    for (const id of altered) expect((await call('GET', `${TASKS}/${id}`)).status).toBe(404)
  })

  test('a deleted task stays deleted where it was deleted', async () => {
    const { id } = await sandbox().submit()
    const { call, json } = sandbox({ now: START + 20_000 })
    expect((await call('DELETE', `${TASKS}/${id}`)).status).toBe(204)
    expect((await call('GET', `${TASKS}/${id}`)).status).toBe(404)
    expect((await json('GET', TASKS)).total).toBe(0)
  })
})

test.each([
  ['POST', TASKS],
  ['GET', TASKS],
  ['GET', `${TASKS}/cgt-1`],
  ['DELETE', `${TASKS}/cgt-1`],
])('%s %s needs a key, and says so in the form of its dialect', async (method, path) => {
  const answer = await sandbox().call(method, path, undefined, {})
  const error = { code: 'AuthenticationError', message: expect.any(String), param: '', type: 'Unauthorized' }
  expect([answer.status, JSON.parse(await answer.text())]).toEqual([401, { error }])
})

test('frames instead of seconds', async () => {
  const { state, call, json, submit } = sandbox()
  for (const more of [{ frames: 53 }, { content: [{ type: 'text', text: 'x --frames 53' }] }]) {
    const { id } = await submit(more)
    state.now += 10_000
    const record = await json('GET', `${TASKS}/${id}`)
    expect([record.frames, record.duration]).toEqual([53, undefined])
    const video = await (await call('GET', record.content.video_url)).bytes()
    expect(decodeVideo(video).frames.length).toBe(27)
  }
})

test('lists have pages and filters, newest first', async () => {
  const { state, json, submit } = sandbox()
  const ids: string[] = []
  for (let index = 0; index < 3; index++) ids.push((await submit({ safety_identifier: `t-${index}` })).id)
  const list = async (query: string) => {
    const { total, items } = await json('GET', `${TASKS}?${query}`)
    return [total, items.map((item: { id: string }) => ids.indexOf(item.id))]
  }
  expect(await list('')).toEqual([3, [2, 1, 0]])
  expect(await list('page_num=2&page_size=2')).toEqual([3, [0]])
  expect(await list(`filter.task_ids=${ids[0]}&filter.task_ids=${ids[2]}`)).toEqual([2, [2, 0]])
  expect(await list('filter.status=running')).toEqual([0, []])
  state.now += 1_000
  expect(await list('filter.status=running&filter.model=sandbox-video')).toEqual([3, [2, 1, 0]])
  expect((await json('GET', `${TASKS}?page_size=0`)).error.code).toBe('InvalidParameter')
})

test('DELETE cancels a queued task, removes one that ended, and rejects a running one', async () => {
  const { state, call, json, submit } = sandbox()
  const [first, second] = [(await submit()).id, (await submit()).id]
  const remove = async (id: string) => (await call('DELETE', `${TASKS}/${id}`)).status
  expect(await remove(first)).toBe(204)
  expect((await json('GET', `${TASKS}/${first}`)).status).toBe('cancelled')
  expect(await remove(first)).toBe(403)
  state.now += 1_000
  expect(await remove(second)).toBe(403)
  state.now += 10_000
  expect([await remove(second), await remove(second), await remove('none')]).toEqual([204, 404, 404])
})

test.each<[body: object, status: number, param: string, code: string]>([
  [{ model: 'other' }, 404, 'model', 'InvalidEndpointOrModel.NotFound'],
  [{ model: undefined }, 400, 'model', 'MissingParameter'],
  [{ content: [] }, 400, 'content', 'MissingParameter'],
  [{ duration: 13 }, 400, 'duration', 'InvalidParameter'],
  [{ resolution: '9p' }, 400, 'resolution', 'InvalidParameter'],
  [{ ratio: '16:10' }, 400, 'ratio', 'InvalidParameter'],
  [{ frames: 30 }, 400, 'frames', 'InvalidParameter'],
  [{ frames: 293 }, 400, 'frames', 'InvalidParameter'],
  [{ safety_identifier: 'x'.repeat(129) }, 400, 'safety_identifier', 'InvalidParameter'],
  [{ model: 'sandbox-video:nonsense' }, 400, 'model', 'InvalidParameter'],
  [{ model: 'sandbox-video:status=429' }, 429, '', 'RateLimitExceeded.EndpointRPMExceeded'],
])('a submit of %p is %i', async (more, status, param, code) => {
  const { call, json } = sandbox()
  const body = { model: 'sandbox-video', content: [{ type: 'text', text: 'x' }], ...more }
  const answer = await call('POST', TASKS, body)
  expect([answer.status, JSON.parse(await answer.text()).error]).toMatchObject([status, { param, code }])
  expect((await json('GET', TASKS)).total).toBe(0)
})

describe('faults', () => {
  const model = (faults: string) => ({ model: `sandbox-video:${faults}` })

  test.each([
    ['never-starts', 'queued', undefined],
    ['never-ends', 'running', undefined],
    ['fails', 'failed', 'InternalServiceError'],
    ['moderation', 'failed', 'OutputVideoSensitiveContentDetected'],
  ])('%s', async (fault, status, code) => {
    const { state, json, submit } = sandbox()
    const { id } = await submit(model(fault))
    state.now += 1_000_000
    const record = await json('GET', `${TASKS}/${id}`)
    expect([record.status, record.error?.code, record.content]).toEqual([status, code, undefined])
  })

  test('not-found: 404 for some queries, but in the list', async () => {
    const { call, json, submit } = sandbox()
    const { id } = await submit(model('not-found=2'))
    const statuses = []
    for (let index = 0; index < 3; index++) statuses.push((await call('GET', `${TASKS}/${id}`)).status)
    expect(statuses).toEqual([404, 404, 200])
    expect((await json('GET', TASKS)).total).toBe(1)
  })

  test('cut-submit: the task is there, the answer is not', async () => {
    const { call, json } = sandbox()
    const body = { ...model('cut-submit'), content: [{ type: 'text', text: 'x' }], safety_identifier: 't-9' }
    const answer = await call('POST', TASKS, body)
    await expect(answer.text()).rejects.toThrow('cut')
    expect((await json('GET', TASKS)).items).toMatchObject([{ safety_identifier: 't-9' }])
  })

  test('hang-submit: the task is there, and no answer comes', async () => {
    const { call, json } = sandbox()
    const stop = new AbortController()
    const body = { ...model('hang-submit'), content: [{ type: 'text', text: 'x' }] }
    const pending = call('POST', TASKS, body, { 'x-api-key': 'any' }, stop.signal)
    while ((await json('GET', TASKS)).total === 0) await Bun.sleep(1)
    stop.abort(new Error('client timeout'))
    await expect(pending).rejects.toThrow('client timeout')
  })

  test('no-echo: the own id is not repeated', async () => {
    const { json, submit } = sandbox()
    await submit({ ...model('no-echo'), safety_identifier: 't-9' })
    expect((await json('GET', TASKS)).items[0].safety_identifier).toBeUndefined()
  })

  test('slow-download: the whole video, in pieces', async () => {
    const { state, call, submit } = sandbox()
    const { id } = await submit(model('slow-download=50'))
    state.now += 10_000
    const video = await (await call('GET', `/api/v3/sandbox-videos/${id}.mp4`)).bytes()
    expect(decodeVideo(video).seconds).toBe(2)
    expect(state.slept).toBe(50 * Math.ceil(video.length / 32_768))
  })

  test('are rejected where they are disabled', async () => {
    const { submit } = sandbox({ faults: false })
    expect((await submit(model('fails'))).error.message).toContain('disabled')
    expect((await submit()).id).toBeDefined()
  })
})
