import { describe, expect, test } from 'bun:test'
import { bufferCodec, bytesOf } from '../../../../fixtures/buffer-codec.ts'
import { undecodable } from '../../../../fixtures/video-tasks/strict-record.ts'
import type { RequestError } from '../../../canonical/reading.ts'
import { VIDEO_SERVICES } from '../../video-services.ts'
import { videoService } from '../index.ts'
import { decodeList, decodeSubmitted, decodeTask } from './decode-task.ts'
import { encodeList, encodeSubmitted, encodeTask, type VideoTaskRecord } from './encode-task.ts'
import { decodeListQuery } from './list-query.ts'

const bytes = (value: unknown) => bytesOf(typeof value === 'string' ? value : JSON.stringify(value))
const task = (value: unknown) => decodeTask(bytes(value), bufferCodec)

const RECORD = `{"id":"cgt-1","model":"demo","status":"succeeded","error":null,
 "content":{"video_url":"https://cdn.example/a.mp4?sig=1","last_frame_url":"https://cdn.example/a.png"},
 "usage":{"completion_tokens":108900,"total_tokens":108900,"tool_usage":{"web_search":2,"none":0}},
 "created_at":1767268800,"updated_at":1767268874,"seed":78674,"resolution":"720p","ratio":"16:9","duration":5,
 "framespersecond":24,"service_tier":"default","execution_expires_after":172800,"generate_audio":true,"draft":false,"safety_identifier":"t-1","z":1.0}`

test('a whole record of an upstream', () => {
  expect(task(RECORD)).toEqual({
    ok: true,
    value: {
      id: 'cgt-1',
      model: 'demo',
      status: 'succeeded',
      statusWord: 'succeeded',
      video: { kind: 'url', url: 'https://cdn.example/a.mp4?sig=1', needsCredential: false },
      lastFrame: { kind: 'url', url: 'https://cdn.example/a.png', needsCredential: false },
      usage: { completionTokens: 108900, totalTokens: 108900, toolCalls: { web_search: 2 } },
      createdAt: 1767268800,
      updatedAt: 1767268874,
      settings: { seed: 78674, resolution: '720p', ratio: '16:9', duration: 5, framesPerSecond: 24 },
      generateAudio: true,
      draft: false,
      serviceTier: 'default',
      expiresAfter: 172_800,
      reference: 't-1',
      unknown: [{ name: 'z', text: '1.0' }],
    },
  })
})

test.each([
  ['queued', 'queued'],
  ['pending', 'queued'],
  ['Processing', 'running'],
  ['completed', 'succeeded'],
  ['canceled', 'cancelled'],
  ['expired', 'expired'],
  ['melting', 'unknown'],
])('the status word %s is %s', (word, status) => {
  expect(task({ id: 'x', status: word })).toMatchObject({ ok: true, value: { status, statusWord: word } })
})

test.each<[error: object, code: string, info: string]>([
  [
    { code: 'OutputVideoSensitiveContentDetected', message: 'No.' },
    'OutputVideoSensitiveContentDetected',
    'content_policy_violation',
  ],
  [{ code: 'InvalidParameter.x', message: 'No.' }, 'InvalidParameter.x', 'bad_request'],
  [{ code: 'AccountOverdueError', message: 'Pay us.' }, 'InternalServiceError', 'upstream_no_credit'],
  [{}, 'InternalServiceError', 'upstream_error'],
])('a task that failed by %p', (error, code, info) => {
  const decoded = task({ id: 'x', status: 'failed', error })
  expect(decoded).toMatchObject({ ok: true, value: { status: 'failed', error: { code, info: { code: info } } } })
  expect(decoded.ok && decoded.value.error?.message).not.toContain('Pay us')
})

test('answers to a submit', () => {
  const submitted = (value: unknown) => decodeSubmitted(bytes(value), bufferCodec)
  expect(submitted({ id: 'cgt-1' })).toMatchObject({ ok: true, value: { id: 'cgt-1', status: 'queued' } })
  expect(submitted({ task_id: 'cgt-2', status: 'running' })).toMatchObject({
    value: { id: 'cgt-2', status: 'running' },
  })
  expect(submitted({ error: { code: 'RateLimitExceeded', message: 'x' } })).toMatchObject({
    ok: false,
    error: { code: 'rate_limit_exceeded' },
  })
  for (const other of ['', '[]', '{}', '<html>', '{"id":3}', '{"id":""}'])
    expect(submitted(other)).toMatchObject({ ok: false, error: { code: 'upstream_error' } })
})

test('a list, with items that are no tasks', () => {
  const list = (value: unknown) => decodeList(bytes(value), bufferCodec)
  expect(list({ total: 7, items: [{ id: 'a', safety_identifier: 't' }, 3, {}, { id: 'b', y: [1] }] })).toMatchObject({
    ok: true,
    value: {
      total: 7,
      tasks: [
        { id: 'a', reference: 't' },
        { id: 'b', unknown: [{ name: 'y', text: '[1]' }] },
      ],
    },
  })
  expect(list({ items: [] })).toEqual({ ok: true, value: { total: undefined, tasks: [] } })
  expect(list({ error: { code: 'AccessDenied' } })).toMatchObject({
    ok: false,
    error: { code: 'upstream_auth_error' },
  })
  expect(list({})).toMatchObject({ ok: false, error: { code: 'upstream_error' } })
})

describe('for clients', () => {
  const record: VideoTaskRecord = {
    id: 't-1',
    model: 'vid',
    status: 'running',
    createdAt: 1,
    updatedAt: 2,
    settings: { duration: 5, watermark: false },
  }

  test('the answer to a submit', () => {
    expect(encodeSubmitted('t-1')).toBe('{"id":"t-1","task_id":"t-1"}')
  })

  test('a running task, and one that succeeded', () => {
    const base = '{"id":"t-1","task_id":"t-1","model":"vid"'
    expect(encodeTask(record)).toBe(
      `${base},"status":"running","created_at":1,"updated_at":2,"duration":5,"watermark":false}`,
    )
    const done: VideoTaskRecord = {
      ...record,
      status: 'succeeded',
      videoUrl: 'https://g/v',
      lastFrameUrl: 'https://g/f',
      usage: { completionTokens: 9 },
      serviceTier: 'flex',
      generateAudio: true,
      draft: false,
      expiresAfter: 3600,
      unknown: [
        { name: 'z', text: '1.0' },
        { name: 'id', text: '"theirs"' },
        { name: 'draft_task_id', text: 'null' },
      ],
    }
    expect(encodeTask(done)).toBe(
      `${base},"status":"succeeded","content":{"video_url":"https://g/v","last_frame_url":"https://g/f"},` +
        '"usage":{"completion_tokens":9,"total_tokens":9},"created_at":1,"updated_at":2,"duration":5,"watermark":false,' +
        '"service_tier":"flex","execution_expires_after":3600,"generate_audio":true,"draft":false,"z":1.0}',
    )
  })

  test('an expired task, also for clients that do not know the word', () => {
    const expired = { ...record, status: 'expired' as const }
    expect(JSON.parse(encodeTask(expired))).toMatchObject({ status: 'expired' })
    expect(JSON.parse(encodeTask(expired, { expiredAs: 'failed' }))).toMatchObject({
      status: 'failed',
      error: { code: 'TaskExpired' },
    })
  })

  test.each<[string, Partial<VideoTaskRecord>]>([
    ['queued', { status: 'queued', settings: {} }],
    ['running', {}],
    ['failed', { status: 'failed', error: { code: 'InternalServiceError', message: 'x' } }],
    ['succeeded', { status: 'succeeded', videoUrl: 'https://g/v', usage: { totalTokens: 9 } }],
    ['succeeded, without its video', { status: 'succeeded' }],
    ['with fields of an upstream', { unknown: [{ name: 'revised_prompt', text: 'null' }] }],
  ])('the strictest SDK decodes a task that is %s', (_, more) => {
    expect(undecodable(JSON.parse(encodeTask({ ...record, ...more })))).toEqual([])
  })

  test('a list', () => {
    expect(JSON.parse(encodeList(12, [record, record]))).toMatchObject({
      total: 12,
      items: [{ id: 't-1' }, { id: 't-1' }],
    })
    expect(encodeList(0, [])).toBe('{"total":0,"items":[]}')
  })
})

describe('the query of a list', () => {
  const decode = (query: string) => decodeListQuery(new URLSearchParams(query))

  test('defaults and everything', () => {
    expect(decode('')).toEqual({ page: 1, pageSize: 10, statuses: [], ids: [] })
    expect(
      decode(
        'page_num=3&page_size=500&filter.status=queued,running&filter.task_ids=a&filter.task_ids=b,c&filter.model=m&filter.service_tier=flex',
      ),
    ).toEqual({
      page: 3,
      pageSize: 500,
      statuses: ['queued', 'running'],
      ids: ['a', 'b', 'c'],
      model: 'm',
      serviceTier: 'flex',
    })
  })

  test.each([
    ['page_num=0', 'page_num'],
    ['page_size=501', 'page_size'],
    ['page_size=ten', 'page_size'],
    ['filter.status=melting', 'filter.status'],
    [`filter.task_ids=${'a,'.repeat(501)}`, 'filter.task_ids'],
  ])('%s is rejected', (query, param) => {
    try {
      decode(query)
      expect.unreachable()
    } catch (thrown) {
      expect((thrown as RequestError).info?.param).toBe(param)
    }
  })
})

test('where the service is called', () => {
  expect(VIDEO_SERVICES['video-tasks']).toBe(videoService)
  expect([
    videoService.query('a/b'),
    videoService.cancel?.('c'),
    videoService.list?.({ page: 2, pageSize: 50 }),
  ]).toEqual([
    { method: 'GET', path: '/contents/generations/tasks/a%2Fb' },
    { method: 'DELETE', path: '/contents/generations/tasks/c' },
    { method: 'GET', path: '/contents/generations/tasks?page_num=2&page_size=50' },
  ])
})
