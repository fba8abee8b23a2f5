import { expect, test } from 'bun:test'
import { bucketOf } from '../latency-buckets.ts'
import { RequestRecord, type UpstreamAttempt } from '../request-record.ts'
import { measureUpstreams } from './upstream-measures.ts'

const attempt = (id: string, more: Partial<UpstreamAttempt> = {}): UpstreamAttempt => ({
  upstream: { id, kind: 'openai', baseUrl: 'https://one.example.com/v1' },
  model: 'm',
  dialect: 'chat',
  startedAt: 100,
  endedAt: 400,
  status: 200,
  requestId: undefined,
  error: undefined,
  spanId: undefined,
  ...more,
})

function recordOf(attempts: readonly UpstreamAttempt[], more: Partial<RequestRecord> = {}): RequestRecord {
  const record = new RequestRecord('POST', '/v1/chat/completions', 'r', 50)
  record.attempts.push(...attempts)
  return Object.assign(record, more)
}

const [took, first] = [bucketOf(300), bucketOf(60)]
const good = { upstream: 'a', measure: 'good', bucket: took, count: 1 } as const
const failed = { ...good, measure: 'failed' } as const

test.each([
  ['a completed call', [attempt('a')], { outcome: 'completed' }, [good]],
  ['a request that the upstream rejects', [attempt('a', { status: 400, error: 'bad_request' })], {}, [good]],
  ['a rate limit', [attempt('a', { status: 429, error: 'rate_limit_exceeded' })], {}, [failed]],
  ['no response', [attempt('a', { status: undefined, error: 'upstream_error' })], { outcome: 'failed' }, [failed]],
  ['a stream that breaks off', [attempt('a')], { outcome: 'cut' }, [failed]],
  ['a client that disconnects', [attempt('a')], { outcome: 'client_disconnected' }, []],
  ['a query of a task', [attempt('a', { operation: 'get_task' })], {}, []],
  [
    'a fallback, with its first token',
    [attempt('a', { status: 500, error: 'upstream_error' }), attempt('b')],
    { outcome: 'completed', firstTokenMs: 110 },
    [failed, { ...good, upstream: 'b' }, { upstream: 'b', measure: 'first_token', bucket: first, count: 1 }],
  ],
] as const)('%s', (_, attempts, more, expected) => {
  const measures = measureUpstreams((key) => `#${key}`)
  measures.ended(recordOf(attempts, more))
  expect<unknown>(measures.take()).toEqual({ counts: expected, keys: [] })
  expect(measures.take()).toEqual({ counts: [], keys: [] })
})

test('what is put back is counted with what came later', () => {
  const measures = measureUpstreams((key) => `#${key}`)
  measures.ended(recordOf([attempt('a')]))
  measures.putBack(measures.take())
  measures.ended(recordOf([attempt('a')]))
  expect(measures.take().counts).toEqual([{ ...good, count: 2 }])
})

test('calls are counted by the key that they were made with, whatever its place is later', () => {
  const measures = measureUpstreams((key) => `#${key}`)
  const upstream = (...keys: string[]) => ({ id: 'a', kind: 'openai', baseUrl: 'https://one.example.com/v1', keys })
  const [before, after] = [upstream('one', 'two'), upstream('two')]
  measures.ended(recordOf([attempt('a', { upstream: before, key: 0, status: 429, error: 'rate_limit_exceeded' })]))
  measures.ended(recordOf([attempt('a', { upstream: before, key: 1 })]))
  measures.putBack(measures.take())
  measures.ended(recordOf([attempt('a', { upstream: after, key: 0 }), attempt('a', { upstream: after, key: -1 })]))
  expect(measures.recent().keys).toEqual([
    { upstream: 'a', key: '#one', calls: 1, failed: 1 },
    { upstream: 'a', key: '#two', calls: 2, failed: 0 },
  ])
})
