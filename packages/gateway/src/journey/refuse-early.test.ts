// Turned away at the door or after a closer look: the same answer, in the caller's protocol.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { createAdmission } from '../http/admission.ts'
import { securityHeaders } from '../http/security-headers.ts'
import { RawClient } from '../http/server/test-client.ts'
import { textAnswer } from '../http/server/test-handler.ts'
import { serveForTest } from '../http/test-support.ts'
import type { Parts } from './parts.ts'
import { createDoor, refuseEarly } from './refuse-early.ts'

const headers = securityHeaders({ tls: undefined, publicUrl: undefined })
const admission = { ...createAdmission({ inFlight: 1, memoryBytes: 1 }), isShedding: true, isBehind: false }
let ids = 0n
const catalogue = () => ({ headers }) as ReturnType<Parts['catalogue']>
const door = createDoor({ admission, catalogue, ids: { next: () => ++ids } })
let closely = 0
const host = serveForTest(
  ({ method, target }) => {
    closely++
    const [path = ''] = target.split('?')
    return refuseEarly(method, path, `req_000000000000000${++ids}`, headers, admission) ?? textAnswer(200, 'let in')
  },
  { door },
)
afterAll(() => host.stop())
beforeEach(() => {
  ;[ids, closely, admission.refused] = [0n, 0, 0]
})

async function ask(path: string, framing: string) {
  const client = new RawClient(host.port).send(`POST ${path} HTTP/1.1\r\nHost: a\r\n${framing}`)
  const answer = await client.answer('POST')
  client.leave()
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
])('%s', (path, told) => {
  test('is refused in its own protocol, without a look at the request', async () => {
    const { status, headers, body } = await ask(path, WHOLE)
    expect([status, headers['retry-after'], headers['x-request-id']]).toEqual([503, '1', 'req_0000000000000001'])
    expect(JSON.parse(body)).toMatchObject(told)
    expect([closely, admission.refused]).toEqual([0, 1])
  })

  test('and in the same words after one', async () => {
    const whole = await ask(path, WHOLE)
    ids = 0n
    expect(await ask(path, CHUNKED)).toEqual(whole)
    expect([closely, admission.refused]).toEqual([1, 2])
  })
})

test.each(['/v1/models', '/v1/usage', '/console/api/register'])('%s is answered as ever', async (path) => {
  expect((await ask(path, WHOLE)).body).toBe('let in')
  expect(admission.refused).toBe(0)
})

test('nobody is told sooner than others for asking more often: where the processor cannot follow, all wait', async () => {
  admission.isBehind = true
  const begun = performance.now()
  await Promise.all(Array.from({ length: 300 }, () => ask('/v1/messages', WHOLE)))
  // A hundred every 20 ms.
  expect(performance.now() - begun).toBeGreaterThan(50)
  admission.isBehind = false
})
