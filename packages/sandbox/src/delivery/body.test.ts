import { afterAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { chatBody } from '../dialects/chat/reply.ts'
import { readRequest } from '../dialects/chat/request.ts'
import type { Quirks } from '../dialects/dialect.ts'
import { createSandbox } from '../handler.ts'
import { makePlan } from '../model/plan.ts'
import { startSandboxServer } from '../server.ts'
import { bodyOf, type Sleep, type Step, sleepFor } from './body.ts'
import { quirksOf, readFaults } from './faults.ts'

const TEN_MEGABYTES = 'say 2000000 words'
const QUIRKS: Quirks = quirksOf(readFaults([], false))

/** Called once per produced event, so that tests can count what was produced. */
let produced = 0
let sleeping = 0
const counting: Sleep = async () => {
  produced++
  sleeping++
  await new Promise((resolve) => setImmediate(resolve))
  sleeping--
}
const server = startSandboxServer({ host: '127.0.0.1', port: 0, faults: true, pace: 1, sleep: counting })
afterAll(() => server.stop())

const body = (model: string, stream: boolean) =>
  JSON.stringify({ model, stream, messages: [{ role: 'user', content: TEN_MEGABYTES }] })
const request = (stream: boolean, signal: AbortSignal) =>
  new Request('http://sandbox/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer x' },
    body: body('sandbox-text', stream),
    signal,
  })

/** Waits until production stops; an endless one ends by the test's timeout. */
async function untilStill(): Promise<number> {
  for (let last = -1; last !== produced; await Bun.sleep(150)) last = produced
  return produced
}

function* counted(steps: Step[], taken: { steps: number; closed: boolean }): Generator<Step> {
  try {
    for (const step of steps) {
      taken.steps++
      yield step
    }
  } finally {
    taken.closed = true
  }
}
const write = (text: string): Step => ({ type: 'write', bytes: new TextEncoder().encode(text) })

test('a step runs only when the reader pulls', async () => {
  const taken = { steps: 0, closed: false }
  const steps = counted(
    Array.from({ length: 100 }, () => write('x')),
    taken,
  )
  const reader = bodyOf(steps, new AbortController().signal, sleepFor).getReader()
  await Bun.sleep(0)
  expect(taken.steps).toBe(0)
  await reader.read()
  await reader.read()
  expect(taken.steps).toBe(2)
  await reader.cancel()
  expect(taken).toEqual({ steps: 2, closed: true })
})

test.each(['cancel', 'abort'] as const)('%s ends a wait at once, and its timer', async (how) => {
  const taken = { steps: 0, closed: false }
  const leave = new AbortController()
  let left: Promise<void> | undefined
  const sleep: Sleep = (ms, signal) => (left = sleepFor(ms, signal))
  const reader = bodyOf(
    counted([write('a'), { type: 'wait', ms: 3_600_000 }, write('b')], taken),
    leave.signal,
    sleep,
  ).getReader()
  await reader.read()
  const pending = reader.read()
  await Bun.sleep(0)
  if (how === 'cancel') {
    await reader.cancel()
    expect((await pending).done).toBe(true)
  } else {
    leave.abort(new Error('left'))
    expect(pending).rejects.toThrow('left')
  }
  await left
  expect(taken).toEqual({ steps: 2, closed: true })
})

test('a body for a disconnected client produces nothing', async () => {
  const taken = { steps: 0, closed: false }
  const gone = AbortSignal.abort(new Error('left'))
  expect(
    bodyOf(counted([write('a')], taken), gone, sleepFor)
      .getReader()
      .read(),
  ).rejects.toThrow('left')
  expect(taken.steps).toBe(0)
})

test('10 MB streamed in-process: what was not read was not produced', async () => {
  const leave = new AbortController()
  produced = 0
  const answer = await createSandbox({ faults: false, pace: 1, sleep: counting })(request(true, leave.signal))
  const reader = answer.body?.getReader()
  for (let count = 0; count < 10; count++) await reader?.read()
  expect(produced).toBe(9)
  leave.abort()
  expect([await untilStill(), sleeping]).toEqual([9, 0])
})

test('10 MB in a single body arrive in small chunks, each produced on demand', () => {
  const { request: ask } = readRequest({ bytes: Buffer.from(body('sandbox-text', false)) })
  const plan = makePlan(ask)
  let words = 0
  plan.choices = plan.choices.map((parts) =>
    parts.map((part) => ({
      ...part,
      pieces: (function* () {
        for (const piece of part.pieces) {
          words++
          yield piece
        }
      })(),
    })),
  )
  const pieces = chatBody(plan, { id: 'x', created: 0, model: 'm' }, QUIRKS)
  pieces.next()
  expect(words).toBeLessThan(5_000)
  let bytes = 0
  let longest = 0
  for (const piece of pieces) {
    bytes += piece.length
    longest = Math.max(longest, piece.length)
    if (bytes > 1_000_000) break
  }
  expect(bytes).toBeGreaterThan(1_000_000)
  expect([longest < 20_000, words < 300_000]).toEqual([true, true])
})

test('a body that is read without a pause does not block the event loop', async () => {
  const taken = { steps: 0, closed: false }
  const steps = counted(
    Array.from({ length: 1_000 }, () => write('x')),
    taken,
  )
  let turns = 0
  const immediate = () => {
    turns++
    if (!taken.closed) setImmediate(immediate)
  }
  setImmediate(immediate)
  await new Response(bodyOf(steps, new AbortController().signal, sleepFor)).text()
  expect(turns).toBeGreaterThan(20)
})

test('10 MB to a socket that does not read: production pauses, and ends with the socket', async () => {
  produced = 0
  const text = body('sandbox-text', true)
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer x\r\ncontent-length: ${text.length}\r\n\r\n`
  const socket = connect(server.port, '127.0.0.1', () => socket.write(head + text))
  socket.pause()
  socket.on('error', () => {})
  const held = await untilStill()
  expect(held).toBeGreaterThan(100)
  // An event has about 200 bytes: the kernel's buffers hold some thousand, the whole answer has two million.
  expect(held).toBeLessThan(200_000)
  socket.destroy()
  expect((await untilStill()) - held).toBeLessThan(10)
  expect(sleeping).toBe(0)
})

test('a client that disconnects within a stream ends its production', async () => {
  produced = 0
  const leave = new AbortController()
  const answer = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer x' },
    body: body('sandbox-text', true),
    signal: leave.signal,
  })
  await answer.body?.getReader().read()
  leave.abort()
  const still = await untilStill()
  expect([produced === still, sleeping]).toEqual([true, 0])
})

test('a client that disconnects from a hanging response leaves nothing running: the server stops', async () => {
  const own = startSandboxServer({ host: '127.0.0.1', port: 0, faults: true })
  const leave = new AbortController()
  const answer = fetch(`${own.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer x', 'x-sandbox-fault': 'hang' },
    body: body('sandbox-text', true),
    signal: leave.signal,
  })
  await Bun.sleep(20)
  leave.abort(new Error('left'))
  expect(answer).rejects.toThrow('left')
  await own.stop()
})
