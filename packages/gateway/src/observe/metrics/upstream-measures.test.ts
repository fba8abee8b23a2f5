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
  const measures = measureUpstreams()
  measures.ended(recordOf(attempts, more))
  expect<unknown>(measures.take()).toEqual(expected)
  expect(measures.take()).toEqual([])
})

test('what is put back is counted with what came later', () => {
  const measures = measureUpstreams()
  measures.ended(recordOf([attempt('a')]))
  measures.putBack(measures.take())
  measures.ended(recordOf([attempt('a')]))
  expect(measures.take()).toEqual([{ ...good, count: 2 }])
})
