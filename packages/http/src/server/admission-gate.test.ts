// Whoever is kept at the door: nothing is made of the request until it is let in, and if it is turned away the connection
// goes on as if it had been.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { PreparedResponse } from '../prepared-response.ts'
import type { HttpRequest } from '../request.ts'
import { fixedHeaders } from '../response.ts'
import { serveForTest } from '../test-support.ts'
import type { AdmissionGate, UnreadRequest } from './admission-gate.ts'
import { RawClient } from './test-client.ts'
import { echo } from './test-handler.ts'

const refusal = new PreparedResponse({ status: 503, fixed: fixedHeaders({ 'retry-after': '1' }), body: 'full' })
type Path = '/call' | '/wait'
let atDoor: { who: UnreadRequest; path: Path }[] = []
let [isCrowded, isLeaving, ids] = [true, false, 0]
let queuedMs: number[] = []
const door: AdmissionGate = {
  get isActive() {
    return isCrowded
  },
  submit(path, _bytes, who) {
    if (path !== '/call' && path !== '/wait') return undefined
    atDoor.push({ who, path })
    return path === '/wait' ? 'queued' : refusal
  },
  nextRequestId: () => `req_000000000000000${++ids}`,
}
const handle = (request: HttpRequest) => {
  queuedMs.push(request.queuedMs)
  return echo(request)
}

/** Whoever is turned away is told, and whoever waits is sent home. */
function sayNo(): void {
  for (const { who, path } of atDoor.splice(0)) {
    if (path === '/call') who.proceed()
    else who.reject(refusal)
  }
}

function letIn(): void {
  for (const { who } of atDoor.splice(0)) who.admit(70)
}

async function untilWaiting(count: number): Promise<void> {
  while (atDoor.length < count) await Bun.sleep(1)
}

let host = serveForTest(handle, { gate: door, isDraining: () => isLeaving })
afterAll(() => host.stop())
beforeEach(() => {
  atDoor = []
  queuedMs = []
  ;[isCrowded, isLeaving, ids] = [true, false, 0]
})

const call = (path = '/call') => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`
const status = async (client: RawClient) => (await client.response('POST')).status

test.each(['/call', '/wait'])('%s: is told when it is time, with an id of its own, and may ask again', async (path) => {
  const client = new RawClient(host.port).send(call(path))
  await untilWaiting(1)
  expect(host.server.pending).toBe(1)
  expect(await client.hasReceived(0)).toBe('')
  sayNo()
  const { status, headers, body } = await client.response('POST')
  expect([status, headers['retry-after'], headers['x-request-id'], body]).toEqual([
    503,
    '1',
    'req_0000000000000001',
    'full',
  ])
  expect([headers.connection, host.server.pending]).toEqual([undefined, 0])
  isCrowded = false
  expect((await client.send(call(path)).response('POST')).body).toBe(`POST ${path} [{}]`)
  client.disconnect()
})

test('who waits is read when it is let in, and known to have waited; the next on its connection has not', async () => {
  const client = new RawClient(host.port).send(call('/wait'))
  await untilWaiting(1)
  await Bun.sleep(5)
  expect([queuedMs, host.server.pending]).toEqual([[], 1])
  letIn()
  expect((await client.response('POST')).body).toBe('POST /wait [{}]')
  isCrowded = false
  await client.send(call()).response('POST')
  expect([queuedMs, host.server.pending]).toEqual([[70, 0], 0])
  client.disconnect()
})

test.each([
  ['another path', call('/else'), 'POST /else [{}]'],
  ['another method', 'GET /call HTTP/1.1\r\nHost: a\r\n\r\n', 'GET /call []'],
  [
    'what has to be looked at closely',
    call().replace('Content-Length: 2\r\n\r\n{}', 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
    'POST /call []',
  ],
])('%s is left to the handler', async (_, text, body) => {
  const client = new RawClient(host.port).send(text)
  expect((await client.response('POST')).body).toBe(body)
  client.disconnect()
})

test.each([
  ['/call', sayNo, 503, [0]],
  ['/wait', sayNo, 503, [0]],
  ['/wait', letIn, 200, [70, 0]],
])('%s: what comes meanwhile is answered after it', async (path, decide, told, waits) => {
  const client = new RawClient(host.port).send(call(path))
  await untilWaiting(1)
  await client.sendEach(['GET /ne', 'xt HTTP/1.1\r\nHost: a\r\n\r\n'])
  await Bun.sleep(20)
  expect(await client.hasReceived(0)).toBe('')
  decide()
  expect([await status(client), (await client.response()).body, queuedMs]).toEqual([told, 'GET /next []', waits])
  client.disconnect()
})

test.each([
  ['/call', sayNo, 503],
  ['/wait', letIn, 200],
])('%s: so much of it that it is not read any further', async (path, decide, told) => {
  const client = new RawClient(host.port).send(call(path))
  await untilWaiting(1)
  const asked = 4_000
  client.send('GET /at-once HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(asked))
  await Bun.sleep(50)
  decide()
  const answers = await client.responses(asked + 1)
  expect(answers.map(({ status }) => status)).toEqual([told, ...Array(asked).fill(200)])
  client.disconnect()
})

test('who leaves meanwhile is forgotten', async () => {
  const [leaver, client] = [new RawClient(host.port).send(call()), new RawClient(host.port)]
  await untilWaiting(1)
  leaver.disconnect()
  while (host.server.pending > 0) await Bun.sleep(1)
  client.send(call())
  await untilWaiting(2)
  sayNo()
  // The one who left has used up no id.
  expect((await client.response('POST')).headers['x-request-id']).toBe('req_0000000000000001')
  client.disconnect()
})

test('who waits and leaves is not waited for', async () => {
  const client = new RawClient(host.port).send(call('/wait'))
  await untilWaiting(1)
  let isTold = false
  const [waiting] = atDoor
  if (waiting) waiting.who.onDisconnect = () => (isTold = true)
  client.disconnect()
  while (host.server.pending > 0) await Bun.sleep(1)
  expect([isTold, waiting?.who.isDisconnected, queuedMs]).toEqual([true, true, []])
})

describe('when the server is about to leave', () => {
  test('is asked to go elsewhere', async () => {
    isLeaving = true
    const client = new RawClient(host.port).send(call())
    await untilWaiting(1)
    sayNo()
    expect((await client.response('POST')).headers.connection).toBe('close')
    expect(await client.end()).toEqual({ rest: '', how: 'end' })
    client.disconnect()
  })

  test('is waited for', async () => {
    const client = new RawClient(host.port).send(call())
    await untilWaiting(1)
    let isStopped = false
    const stopping = host.server.stop(false).then(() => (isStopped = true))
    await Bun.sleep(30)
    expect(isStopped).toBe(false)
    sayNo()
    expect(await status(client)).toBe(503)
    await client.end()
    client.disconnect()
    await stopping
    host = serveForTest(handle, { gate: door, isDraining: () => isLeaving })
  })
})
