// The scripted upstream itself: what it responds, records and judges.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { downloadPublic } from '../../../packages/gateway/src/upstreams/public/download-public.ts'
import { PublicFetchError } from '../../../packages/gateway/src/upstreams/public/public-fetch-error.ts'
import { type DownloadMode, doubledSubmits, type ScriptedVideo, startScriptedVideo } from './scripted-video.ts'

let video: ScriptedVideo
beforeAll(async () => {
  video = await startScriptedVideo()
})
afterEach(() => video.reset())
afterAll(() => video.stop())

const call = (method: string, path = '', body?: object) =>
  fetch(`${video.baseUrl}/contents/generations/tasks${path}`, {
    // A client repeats a GET by itself where a kept connection is closed.
    method,
    signal: AbortSignal.timeout(1_000),
    keepalive: false,
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
const json = async (method: string, path = '', body?: object): Promise<Record<string, unknown>> => {
  const response = await call(method, path, body)
  return { ...((await response.json()) as Record<string, unknown>), http: response.status }
}
const submit = (reference = 'r-1', more: object = {}) =>
  json('POST', '', { model: 'm', content: [], safety_identifier: reference, ...more })
const statusOf = (response: Promise<Response>) =>
  response.then(
    ({ status }) => status,
    () => 'no response',
  )

test('a task goes through its states, is listed, and has its files', async () => {
  expect(await submit('r-1', { duration: 3, return_last_frame: true })).toEqual({ http: 200, id: 'cgt-1' })
  const seen = []
  for (let index = 0; index < 4; index++) seen.push((await json('GET', '/cgt-1')).status)
  expect(seen).toEqual(['queued', 'running', 'succeeded', 'succeeded'])
  const { total, items } = (await json('GET', '?page_num=1&page_size=10')) as { total?: number; items?: object[] }
  expect(total).toBe(1)
  expect(items?.[0]).toMatchObject({ id: 'cgt-1', safety_identifier: 'r-1', duration: 3, status: 'succeeded' })
  const { content } = (await json('GET', '/cgt-1')) as { content?: Record<string, string> }
  const file = await fetch(content?.video_url ?? '')
  expect([file.headers.get('content-type'), video.script.video.equals(await file.bytes())]).toEqual(['video/mp4', true])
  expect((await fetch(content?.last_frame_url ?? '')).headers.get('content-type')).toBe('image/png')
  expect(video.requests.map(({ operation, reference }) => [operation, reference])).toEqual([
    ['submit', 'r-1'],
    ...Array.from({ length: 4 }, () => ['query', 'r-1']),
    ['list', undefined],
    ['query', 'r-1'],
    ['download', 'r-1'],
    ['download', 'r-1'],
  ])
})

test('submits by script, and the judgement about repeated ones', async () => {
  const { script } = video
  script.nextSubmits = [{ status: 429, headers: { 'retry-after': '3' } }, 'accept', 'accept-cut', 'cut', 'accept-hang']
  const post = (reference: string) => statusOf(call('POST', '', { safety_identifier: reference }))
  expect([await post('a'), await post('a')]).toEqual([429, 200])
  expect([await post('b'), await post('c'), await post('d')]).toEqual(['no response', 'no response', 'no response'])
  expect([...video.tasks.values()].map(({ reference }) => reference)).toEqual(['a', 'b', 'd'])
  expect([video.submitsOf('a'), video.submitsOf('c')]).toEqual([
    { received: 2, made: 1 },
    { received: 1, made: 0 },
  ])
  expect(doubledSubmits(video)).toEqual([])
  const other = await startScriptedVideo()
  await fetch(`${other.baseUrl}/contents/generations/tasks`, { method: 'POST', body: '{"safety_identifier":"c"}' })
  expect(doubledSubmits(video, other)).toEqual(['c'])
  other.stop()
  await post('a')
  expect(doubledSubmits(video)).toEqual(['a'])
})

test('queries, lists and cancellations by script', async () => {
  const { script } = video
  Object.assign(script, { hiddenFor: 1, states: ['queued', { status: 'running', x: 1 }, 'failed'], echo: false })
  const first = `/${(await submit()).id}`
  script.nextQueries = [{ status: 503 }, 'cut']
  script.headers = { 'retry-after': '7' }
  const query = () => statusOf(call('GET', first))
  expect([await query(), await query(), await query(), await query()]).toEqual([503, 'no response', 404, 200])
  expect((await call('GET', first)).headers.get('retry-after')).toBe('7')
  expect((await json('GET', first)).error).toMatchObject({ code: 'InternalServiceError' })
  expect((await json('GET')).items).toMatchObject([{ id: first.slice(1), status: 'failed' }])
  expect(JSON.stringify(await json('GET'))).not.toContain('safety_identifier')
  script.list = { status: 404 }
  expect((await json('GET')).http).toBe(404)
  const remove = (path: string) => statusOf(call('DELETE', path))
  expect([await remove(first), await query()]).toEqual([204, 404])
  Object.assign(script, { hiddenFor: 0, states: ['running'] })
  const second = `/${(await submit('r-2')).id}`
  expect(await remove(second)).toBe(409)
  script.cancel = 'allow'
  expect([await remove(second), (await json('GET', second)).status]).toEqual([204, 'cancelled'])
})

describe('downloads', () => {
  test.each<[DownloadMode, number | string]>([
    ['works', 200],
    ['slow', 200],
    ['redirect', 200],
    ['stall', 'timed_out'],
    ['hang', 'timed_out'],
    ['short', 'broken'],
    ['broken', 'broken'],
    ['cut', 'broken'],
    ['endless', 'too_large'],
    ['oversized', 'too_large'],
    [{ status: 403 }, 403],
  ])('%j', async (mode, expected) => {
    const { script, requests } = video
    Object.assign(script, { download: mode, slowMs: 30 })
    await submit()
    const options = { maxBytes: 1_000_000, timeoutMs: 5_000, idleMs: 300, allowPrivate: true, redirects: 1 }
    let result: number | string
    try {
      const { status, body } = await downloadPublic(script.fileUrl('cgt-1', 'video.mp4'), options)
      const bytes = Buffer.concat(await Array.fromAsync(body))
      if (status === 200) expect(script.video.equals(bytes)).toBe(true)
      result = status
    } catch (error) {
      if (!(error instanceof PublicFetchError)) throw error
      result = error.reason
    }
    expect(result).toBe(expected)
    expect(requests.at(-1)).toMatchObject({ operation: 'download', id: expect.any(String) })
  })
})
