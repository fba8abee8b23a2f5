// The admission gate: a queued request is not parsed until it is admitted, and a connection continues after a request was
// rejected.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { echo } from '../../test-support/handler.ts'
import { RawClient } from '../../test-support/raw-client.ts'
import { serveForTest } from '../../test-support/serve.ts'
import { PreparedResponse } from '../prepared-response.ts'
import type { HttpRequest } from '../request.ts'
import { fixedHeaders } from '../response.ts'
import type { AdmissionGate, UnreadRequest } from './admission-gate.ts'

const rejection = new PreparedResponse({ status: 503, fixed: fixedHeaders({ 'retry-after': '1' }), body: 'full' })
type Path = '/call' | '/wait'
let gated: { unread: UnreadRequest; path: Path }[] = []
let [isGating, isDraining, ids] = [true, false, 0]
let queuedMs: number[] = []
const gate: AdmissionGate = {
  get isActive() {
    return isGating
  },
  submit(path, _bytes, unread) {
    if (path !== '/call' && path !== '/wait') return undefined
    gated.push({ unread, path })
    return path === '/wait' ? 'queued' : rejection
  },
  nextRequestId: () => `req_000000000000000${++ids}`,
}
const handle = (request: HttpRequest) => {
  queuedMs.push(request.queuedMs)
  return echo(request)
}

/** Sends the rejections, and rejects the queued requests. */
function rejectAll(): void {
  for (const { unread, path } of gated.splice(0)) {
    if (path === '/call') unread.proceed()
    else unread.reject(rejection)
  }
}

function admitAll(): void {
  for (const { unread } of gated.splice(0)) unread.admit(70)
}

async function untilGated(count: number): Promise<void> {
  while (gated.length < count) await Bun.sleep(1)
}

let host = serveForTest(handle, { gate, isDraining: () => isDraining })
afterAll(() => host.stop())
beforeEach(() => {
  gated = []
  queuedMs = []
  ;[isGating, isDraining, ids] = [true, false, 0]
})

const call = (path = '/call') => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`
const status = async (client: RawClient) => (await client.response('POST')).status

test.each([
  '/call',
  '/wait',
])('%s: the rejection has its own request id, and the connection takes another request', async (path) => {
  const client = new RawClient(host.port).send(call(path))
  await untilGated(1)
  expect(host.server.pending).toBe(1)
  expect(await client.hasReceived(0)).toBe('')
  rejectAll()
  const { status, headers, body } = await client.response('POST')
  expect([status, headers['retry-after'], headers['x-request-id'], body]).toEqual([
    503,
    '1',
    'req_0000000000000001',
    'full',
  ])
  expect([headers.connection, host.server.pending]).toEqual([undefined, 0])
  isGating = false
  expect((await client.send(call(path)).response('POST')).body).toBe(`POST ${path} [{}]`)
  client.disconnect()
})

test('a queued request is read once it is admitted, and marked as queued; the next one on its connection is not', async () => {
  const client = new RawClient(host.port).send(call('/wait'))
  await untilGated(1)
  await Bun.sleep(5)
  expect([queuedMs, host.server.pending]).toEqual([[], 1])
  admitAll()
  expect((await client.response('POST')).body).toBe('POST /wait [{}]')
  isGating = false
  await client.send(call()).response('POST')
  expect([queuedMs, host.server.pending]).toEqual([[70, 0], 0])
  client.disconnect()
})

test.each([
  ['another path', call('/else'), 'POST /else [{}]'],
  ['another method', 'GET /call HTTP/1.1\r\nHost: a\r\n\r\n', 'GET /call []'],
  [
    'a head for the full parser',
    call().replace('Content-Length: 2\r\n\r\n{}', 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
    'POST /call []',
  ],
])('%s is not gated', async (_, text, body) => {
  const client = new RawClient(host.port).send(text)
  expect((await client.response('POST')).body).toBe(body)
  client.disconnect()
})

test.each([
  ['/call', rejectAll, 503, [0]],
  ['/wait', rejectAll, 503, [0]],
  ['/wait', admitAll, 200, [70, 0]],
])('%s: requests that arrive meanwhile are answered after it', async (path, decide, told, waits) => {
  const client = new RawClient(host.port).send(call(path))
  await untilGated(1)
  await client.sendEach(['GET /ne', 'xt HTTP/1.1\r\nHost: a\r\n\r\n'])
  await Bun.sleep(20)
  expect(await client.hasReceived(0)).toBe('')
  decide()
  expect([await status(client), (await client.response()).body, queuedMs]).toEqual([told, 'GET /next []', waits])
  client.disconnect()
})

test.each([
  ['/call', rejectAll, 503],
  ['/wait', admitAll, 200],
])('%s: reading stops when too much of them is buffered', async (path, decide, told) => {
  const client = new RawClient(host.port).send(call(path))
  await untilGated(1)
  const asked = 4_000
  client.send('GET /at-once HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(asked))
  await Bun.sleep(50)
  decide()
  const answers = await client.responses(asked + 1)
  expect(answers.map(({ status }) => status)).toEqual([told, ...Array(asked).fill(200)])
  client.disconnect()
})

test('a rejected client that disconnects is forgotten', async () => {
  const [disconnecting, client] = [new RawClient(host.port).send(call()), new RawClient(host.port)]
  await untilGated(1)
  disconnecting.disconnect()
  while (host.server.pending > 0) await Bun.sleep(1)
  client.send(call())
  await untilGated(2)
  rejectAll()
  // The request of the disconnected client used no id.
  expect((await client.response('POST')).headers['x-request-id']).toBe('req_0000000000000001')
  client.disconnect()
})

test('a queued request of a client that disconnects is told of it, and is no longer pending', async () => {
  const client = new RawClient(host.port).send(call('/wait'))
  await untilGated(1)
  let isNotified = false
  const [waiting] = gated
  if (waiting) waiting.unread.onDisconnect = () => (isNotified = true)
  client.disconnect()
  while (host.server.pending > 0) await Bun.sleep(1)
  expect([isNotified, waiting?.unread.isDisconnected, queuedMs]).toEqual([true, true, []])
})

describe('while the server shuts down', () => {
  test('a rejection closes the connection', async () => {
    isDraining = true
    const client = new RawClient(host.port).send(call())
    await untilGated(1)
    rejectAll()
    expect((await client.response('POST')).headers.connection).toBe('close')
    expect(await client.end()).toEqual({ rest: '', how: 'end' })
    client.disconnect()
  })

  test('a request before the gate is waited for', async () => {
    const client = new RawClient(host.port).send(call())
    await untilGated(1)
    let isStopped = false
    const stopping = host.server.stop(false).then(() => (isStopped = true))
    await Bun.sleep(30)
    expect(isStopped).toBe(false)
    rejectAll()
    expect(await status(client)).toBe(503)
    await client.end()
    client.disconnect()
    await stopping
    host = serveForTest(handle, { gate, isDraining: () => isDraining })
  })
})
