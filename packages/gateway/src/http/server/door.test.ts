// Whoever is turned away at the door: nothing is made of the request, and the connection goes on as if it had been.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { fixedHeaders } from '../answer.ts'
import type { Door } from '../door.ts'
import type { Waiter } from '../pace.ts'
import { PreparedAnswer } from '../prepared-answer.ts'
import { serveForTest } from '../test-support.ts'
import { RawClient } from './test-client.ts'
import { echo } from './test-handler.ts'

const refusal = new PreparedAnswer({ status: 503, fixed: fixedHeaders({ 'retry-after': '1' }), body: 'full' })
let waiting: Waiter[] = []
let [isShut, isLeaving, ids] = [true, false, 0]
const door: Door = {
  get isShut() {
    return isShut
  },
  turnAway(path, who) {
    if (path !== '/call') return undefined
    waiting.push(who)
    return refusal
  },
  nextId: () => `req_000000000000000${++ids}`,
}

/** Whoever waits by now is told. */
function sayNo(): void {
  for (const waiter of waiting.splice(0)) waiter.itIsTime()
}

async function untilWaiting(count: number): Promise<void> {
  while (waiting.length < count) await Bun.sleep(1)
}

let host = serveForTest(echo, { door, isLeaving: () => isLeaving })
afterAll(() => host.stop())
beforeEach(() => {
  waiting = []
  ;[isShut, isLeaving, ids] = [true, false, 0]
})

const call = (path = '/call') => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`
const status = async (client: RawClient) => (await client.answer('POST')).status

test('is told when it is time, with an id of its own, and may ask again', async () => {
  const client = new RawClient(host.port).send(call())
  await untilWaiting(1)
  expect(host.server.pending).toBe(1)
  expect(await client.hasReceived(0)).toBe('')
  sayNo()
  const { status, headers, body } = await client.answer('POST')
  expect([status, headers['retry-after'], headers['x-request-id'], body]).toEqual([
    503,
    '1',
    'req_0000000000000001',
    'full',
  ])
  expect([headers.connection, host.server.pending]).toEqual([undefined, 0])
  isShut = false
  expect((await client.send(call()).answer('POST')).body).toBe('POST /call [{}]')
  client.leave()
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
  expect((await client.answer('POST')).body).toBe(body)
  client.leave()
})

test('what comes meanwhile is answered after it', async () => {
  const client = new RawClient(host.port).send(call())
  await untilWaiting(1)
  await client.sendEach(['GET /ne', 'xt HTTP/1.1\r\nHost: a\r\n\r\n'])
  await Bun.sleep(20)
  expect(await client.hasReceived(0)).toBe('')
  sayNo()
  expect([await status(client), (await client.answer()).body]).toEqual([503, 'GET /next []'])
  client.leave()
})

test('so much of it that it is not read any further', async () => {
  const client = new RawClient(host.port).send(call())
  await untilWaiting(1)
  const asked = 4_000
  client.send('GET /at-once HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(asked))
  await Bun.sleep(50)
  sayNo()
  const answers = await client.answers(asked + 1)
  expect(answers.map(({ status }) => status)).toEqual([503, ...Array(asked).fill(200)])
  client.leave()
})

test('who leaves meanwhile is forgotten', async () => {
  const [leaver, client] = [new RawClient(host.port).send(call()), new RawClient(host.port)]
  await untilWaiting(1)
  leaver.leave()
  while (host.server.pending > 0) await Bun.sleep(1)
  client.send(call())
  await untilWaiting(2)
  sayNo()
  // The one who left has used up no id.
  expect((await client.answer('POST')).headers['x-request-id']).toBe('req_0000000000000001')
  client.leave()
})

describe('when the server is about to leave', () => {
  test('is asked to go elsewhere', async () => {
    isLeaving = true
    const client = new RawClient(host.port).send(call())
    await untilWaiting(1)
    sayNo()
    expect((await client.answer('POST')).headers.connection).toBe('close')
    expect(await client.end()).toEqual({ rest: '', how: 'end' })
    client.leave()
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
    client.leave()
    await stopping
    host = serveForTest(echo, { door, isLeaving: () => isLeaving })
  })
})
