// Rejected unread or after parsing: the same response, in the caller's protocol.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { securityHeaders } from '@trivium/http/security-headers.ts'
import { textResponse } from '../../../http/test-support/handler.ts'
import { RawClient } from '../../../http/test-support/raw-client.ts'
import { serveForTest } from '../../../http/test-support/serve.ts'
import { type Admission, createAdmission } from './admission.ts'
import { createAdmissionGate, rejectEarly } from './load-shedding.ts'

const full: Admission['enqueueUnread'] = () => false
const headers = securityHeaders({ tls: undefined, publicUrl: undefined })
const admission = {
  ...createAdmission({ inFlight: 1, memoryBytes: 1 }),
  isShedding: true,
  isGateActive: true,
  isSaturated: false,
  enqueueUnread: full,
}
let ids = 0n
const catalogue = () => ({ headers })
const gate = createAdmissionGate({ admission, catalogue, ids: { next: () => ++ids } })
let closely = 0
const host = serveForTest(
  ({ method, target }) => {
    closely++
    const [path = ''] = target.split('?')
    const id = `req_000000000000000${++ids}`
    const rejection = admission.isShedding ? rejectEarly(method, path, id, headers, admission) : undefined
    return rejection ?? textResponse(200, 'admitted')
  },
  { gate },
)
afterAll(() => host.stop())
beforeEach(() => {
  ;[ids, closely, admission.rejected] = [0n, 0, 0]
  ;[admission.isShedding, admission.enqueueUnread] = [true, full]
})

async function ask(path: string, framing: string) {
  const client = new RawClient(host.port).send(`POST ${path} HTTP/1.1\r\nHost: a\r\n${framing}`)
  const answer = await client.response('POST')
  client.disconnect()
  answer.headers.date = ''
  return answer
}
const WHOLE = 'Content-Length: 2\r\n\r\n{}'
const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'

describe.each([
  ['/v1/chat/completions', { error: { type: 'server_error', code: 'service_unavailable' } }],
  ['/v1/responses', { error: { type: 'server_error', code: 'service_unavailable' } }],
  ['/v1/messages?beta=true', { type: 'error', request_id: 'req_0000000000000001' }],
  ['/v1beta/models/a/b:streamGenerateContent?alt=sse', { error: { code: 503, status: 'UNAVAILABLE' } }],
  ['/v1/models/a/b:generateContent', { error: { code: 503, status: 'UNAVAILABLE' } }],
])('%s', (path, expected) => {
  test('is rejected in its own protocol, without parsing the request', async () => {
    const { status, headers, body } = await ask(path, WHOLE)
    expect([status, headers['retry-after'], headers['x-request-id']]).toEqual([503, '1', 'req_0000000000000001'])
    expect(JSON.parse(body)).toMatchObject(expected)
    expect([closely, admission.rejected]).toEqual([0, 1])
  })

  test('and with the same response after parsing', async () => {
    const whole = await ask(path, WHOLE)
    ids = 0n
    expect(await ask(path, CHUNKED)).toEqual(whole)
    expect([closely, admission.rejected]).toEqual([1, 2])
  })
})

test.each(['/v1/models', '/v1/usage', '/console/api/register'])('%s is served as usual', async (path) => {
  expect((await ask(path, WHOLE)).body).toBe('admitted')
  expect(admission.rejected).toBe(0)
})

test('while the CPU is saturated, rejections are paced for all clients', async () => {
  admission.isSaturated = true
  const begun = performance.now()
  await Promise.all(Array.from({ length: 300 }, () => ask('/v1/messages', WHOLE)))
  // Forty every 20 ms.
  expect(performance.now() - begun).toBeGreaterThan(130)
  admission.isSaturated = false
})

test.each([
  ['is admitted in order', 70, { status: 200, closely: 1, rejected: 0 }],
  ['is rejected when it expires', undefined, { status: 503, closely: 0, rejected: 1 }],
])('with space in the queue a request is queued, and %s', async (_, queuedMs, expected) => {
  const weights: number[] = []
  admission.isShedding = false
  admission.enqueueUnread = (bytes, _client, called) => {
    weights.push(bytes)
    setTimeout(() => called(queuedMs), 5)
    return true
  }
  const { status } = await ask('/v1/messages', WHOLE)
  expect({ status, closely, rejected: admission.rejected }).toEqual(expected)
  expect(weights).toEqual([`POST /v1/messages HTTP/1.1\r\nHost: a\r\n${WHOLE}`.length])
})

test('a client that disconnects from the queue does not count as rejected', async () => {
  admission.enqueueUnread = (_bytes, client, called) => {
    client.onDisconnect = () => called(undefined)
    return true
  }
  const client = new RawClient(host.port).send(`POST /v1/messages HTTP/1.1\r\nHost: a\r\n${WHOLE}`)
  while (host.server.pending === 0) await Bun.sleep(1)
  client.disconnect()
  while (host.server.pending > 0) await Bun.sleep(1)
  expect([closely, admission.rejected]).toEqual([0, 0])
})
