// Timeouts and heartbeats of the journey with short waits: slow clients, slow upstreams.
import { afterEach, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { responseOf } from '@trivium/http/client/upstream-response.ts'
import { serveForTest } from '../../../http/test-support/serve.ts'
import { createTestDependencies, type TestOptions } from '../../test-support/dependencies.ts'
import { createApp } from '../app.ts'
import type { OutgoingRequest, Send } from '../upstreams/send.ts'

const PACE = { commitAfterMs: 30, heartbeatMs: 20, usageWaitMs: 50, endWaitMs: 50 }
const HEARTBEAT = ': keep-alive\n\n'

let stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops) stop()
  stops = []
})

function start(options: TestOptions) {
  const test = createTestDependencies({ streamTiming: PACE, ...options })
  const app = createApp(test.deps, { ready: () => true, accepting: () => true })
  const server = serveForTest(app)
  stops.push(
    () => void server.stop(),
    () => test.deps.ticker.stop(),
  )
  return { ...test, url: server.url, port: server.port, advance: server.advance }
}

const BODY = JSON.stringify({ model: 'same', stream: true, messages: [{ role: 'user', content: 'x' }] })
const HEADERS = { authorization: 'Bearer sk-0000000000000000', 'content-type': 'application/json' }

function post(url: string, init: { body?: string; signal?: AbortSignal } = {}): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: HEADERS, body: BODY, ...init })
}

const event = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', model: 'same', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

/** An upstream whose headers and events come when the test says so. */
function slowUpstream() {
  const headers = Promise.withResolvers<Response>()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let outgoing: OutgoingRequest | undefined
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given
    },
  })
  const send: Send = (_, given) => {
    outgoing = given
    const fail = () => {
      const error = new DOMException('aborted', 'AbortError')
      headers.reject(error)
      controller?.error(error)
    }
    given.cancel.signal.addEventListener('abort', fail)
    return headers.promise.then(responseOf)
  }
  return {
    send,
    begin: () => headers.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } })),
    reject: (status: number) => headers.resolve(new Response('{}', { status })),
    write: (text: string) => controller?.enqueue(Buffer.from(text)),
    end: () => controller?.close(),
    isAborted: () => outgoing?.cancel.isCancelled === true,
  }
}

async function readUntil(response: Response, part: string): Promise<string> {
  const reader = response.body?.getReader()
  let text = ''
  while (!text.includes(part)) {
    const read = await reader?.read()
    if (!read || read.done) throw new Error(`ended without ${JSON.stringify(part)}: ${text}`)
    text += Buffer.from(read.value).toString()
  }
  reader?.releaseLock()
  return text
}

test('a call that is slow before its headers: 200 and heartbeats, then the response', async () => {
  const upstream = slowUpstream()
  const { url, ends } = start({ send: upstream.send })
  const response = await post(url)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  await readUntil(response, HEARTBEAT.repeat(2))
  upstream.begin()
  await readUntil(response, HEARTBEAT)
  upstream.write(event({ content: 'Hello' }))
  await readUntil(response, 'Hello')
  await readUntil(response, HEARTBEAT.repeat(2))
  upstream.write(`${event({}, 'stop')}data: [DONE]\n\n`)
  expect(await readUntil(response, '[DONE]')).toEndWith('[DONE]\n\n')
  expect(ends.map(({ outcome }) => outcome)).toEqual(['completed'])
})

test('a call that is not slow has no heartbeat', async () => {
  const upstream = slowUpstream()
  const { url } = start({ send: upstream.send, streamTiming: { ...PACE, commitAfterMs: 10_000, heartbeatMs: 10_000 } })
  upstream.begin()
  upstream.write(`${event({ content: 'Hello' }, 'stop')}data: [DONE]\n\n`)
  upstream.end()
  expect(await (await post(url)).text()).toBe(`${event({ content: 'Hello' }, 'stop')}data: [DONE]\n\n`)
})

test('the commit itself brings the headers, long before the first heartbeat is due', async () => {
  const upstream = slowUpstream()
  const { url } = start({ send: upstream.send, streamTiming: { ...PACE, heartbeatMs: 60_000 } })
  const response = await post(url)
  await readUntil(response, HEARTBEAT)
  upstream.begin()
  upstream.write(`${event({ content: 'Hello' }, 'stop')}data: [DONE]\n\n`)
  expect(await readUntil(response, '[DONE]')).toStartWith('data: {')
})

test('a request counts the bytes that have arrived, then its size, and nothing once its response streams', async () => {
  const upstream = slowUpstream()
  const { url, deps } = start({ send: upstream.send })
  const { admission } = deps
  const long = JSON.stringify({
    model: 'same',
    stream: true,
    messages: [{ role: 'user', content: 'x'.repeat(200_000) }],
  })
  const weights: number[] = []
  const pieces = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(Buffer.from(long.slice(0, 10)))
      while (admission.inFlight === 0) await Bun.sleep(1)
      weights.push(admission.bytes)
      controller.enqueue(Buffer.from(long.slice(10, 100_000)))
      while (admission.bytes < 100_000) await Bun.sleep(1)
      weights.push(admission.bytes)
      controller.enqueue(Buffer.from(long.slice(100_000)))
      controller.close()
    },
  })
  const answered = fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: HEADERS, body: pieces })
  while (admission.bytes < long.length) await Bun.sleep(1)
  // Until more than that has arrived it is what may wait to be read.
  expect(weights).toEqual([64 * 1024, 100_000])
  upstream.begin()
  while (admission.bytes !== 0) await Bun.sleep(1)
  expect(admission.inFlight).toBe(1)
  upstream.write(`${event({ content: 'Hello' }, 'stop')}data: [DONE]\n\n`)
  await readUntil(await answered, '[DONE]')
})

test('a request counts as working until it is sent and while it is settled, not while its upstream works', async () => {
  const upstream = slowUpstream()
  const { url, deps } = start({ send: upstream.send })
  const { admission, settler } = deps
  const seen: number[] = []
  const open = settler.open.bind(settler)
  settler.open = async (hold) => {
    seen.push(admission.atWork)
    const opened = await open(hold)
    if (opened.verdict !== 'open') return opened
    const { settle } = opened.request
    opened.request.settle = (...end) => {
      seen.push(admission.atWork)
      return settle(...end)
    }
    return opened
  }
  const answered = post(url)
  while (seen.length === 0 || admission.atWork > 0) await Bun.sleep(1)
  upstream.begin()
  upstream.write(event({ content: 'Hello' }))
  const response = await answered
  await readUntil(response, 'Hello')
  expect([admission.inFlight, admission.atWork]).toEqual([1, 0])
  upstream.write(`${event({}, 'stop')}data: [DONE]\n\n`)
  upstream.end()
  await readUntil(response, '[DONE]')
  expect([seen, admission.inFlight, admission.atWork]).toEqual([[1, 1], 0, 0])
})

test('an upstream that sends much before its first output is relayed, not buffered', async () => {
  const upstream = slowUpstream()
  const { url, ends } = start({
    send: upstream.send,
    streamTiming: { ...PACE, commitAfterMs: 60_000, heartbeatMs: 60_000 },
  })
  upstream.begin()
  const comment = `: ${'x'.repeat(1_000)}\n\n`
  for (let times = 0; times < 100; times++) upstream.write(comment)
  const response = await post(url)
  await readUntil(response, comment.repeat(90))
  upstream.end()
  await readUntil(response, '"upstream_error"')
  expect(ends).toEqual([{ cost: 0n, outcome: 'cut' }])
})

test('a failure after the commit is the error event of the stream, and free', async () => {
  for (const fail of ['status', 'cut'] as const) {
    const upstream = slowUpstream()
    const { url, ends, deps } = start({ send: upstream.send })
    const response = await post(url)
    if (fail === 'status') upstream.reject(500)
    else {
      upstream.begin()
      upstream.end()
    }
    const text = await response.text()
    expect(text).toMatch(/^(: keep-alive\n\n)+data: \{"error":.*"upstream_error"\}\}\n\n$/)
    expect(ends).toEqual([{ cost: 0n, outcome: fail === 'status' ? 'failed' : 'cut' }])
    expect(deps.admission.inFlight).toBe(0)
  }
})

test('a client that disconnects after the commit and before the headers: free, and its slot is released', async () => {
  const upstream = slowUpstream()
  const { url, ends, deps } = start({ send: upstream.send })
  const leaving = new AbortController()
  const response = await post(url, { signal: leaving.signal })
  expect(response.status).toBe(200)
  leaving.abort()
  while (ends.length === 0 || deps.admission.inFlight > 0) await Bun.sleep(5)
  expect(ends).toEqual([{ cost: 0n, outcome: 'client_disconnected' }])
  expect([upstream.isAborted(), deps.upstreamCalls.size]).toEqual([true, 0])
})

test.each([
  ['first byte', { firstByteMs: 40 }, () => {}],
  ['idle, before output', { idleMs: 40 }, (upstream: ReturnType<typeof slowUpstream>) => upstream.begin()],
  ['total', { totalMs: 40 }, (upstream: ReturnType<typeof slowUpstream>) => upstream.begin()],
])('timeout: %s', async (_, timeouts, act) => {
  const upstream = slowUpstream()
  const { url, ends, deps } = start({
    send: upstream.send,
    timeouts,
    streamTiming: { ...PACE, commitAfterMs: 10_000 },
  })
  const answered = post(url)
  act(upstream)
  const response = await answered
  expect(response.status).toBe(504)
  expect(ends).toEqual([{ cost: 0n, outcome: 'timeout' }])
  expect([upstream.isAborted(), deps.admission.inFlight, deps.upstreamCalls.size]).toEqual([true, 0, 0])
})

test('a shutdown ends a running stream with an error, and what was delivered is charged', async () => {
  const upstream = slowUpstream()
  const { url, ends, deps } = start({ send: upstream.send })
  upstream.begin()
  upstream.write(event({ content: 'a'.repeat(400) }))
  const response = await post(url)
  await readUntil(response, 'aaa')
  deps.upstreamCalls.abortAll('shutdown')
  expect(await readUntil(response, 'error')).toContain('service_unavailable')
  expect(ends).toMatchObject([{ outcome: 'shutdown' }])
  expect(ends[0]?.cost).toBeGreaterThan(400_000n)
})

test('a client that stops reading does not outlive the total timeout: the request is settled', async () => {
  const upstream = slowUpstream()
  const { port, ends } = start({ send: upstream.send, timeouts: { totalMs: 300 } })
  upstream.begin()
  for (let times = 0; times < 200; times++) upstream.write(event({ content: 'x'.repeat(100_000) }))
  const socket = connect(port, '127.0.0.1')
  const headers = Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n${headers.join('')}content-length: ${BODY.length}\r\n\r\n${BODY}`,
  )
  socket.pause()
  while (ends.length === 0) await Bun.sleep(5)
  expect(ends).toMatchObject([{ outcome: 'timeout' }])
  socket.destroy()
})

test('a client that stops half-way through its body: 408 in its dialect, and the connection is closed', async () => {
  const upstream = slowUpstream()
  const { port, ends, deps } = start({ send: upstream.send, bodyIdleMs: 50 })
  for (const framing of ['content-length: 100', 'transfer-encoding: chunked']) {
    const headers = Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}\r\n`)
    const socket = connect(port, '127.0.0.1')
    const text = await new Promise<string>((resolve) => {
      let text = ''
      socket.on('data', (chunk) => {
        text += Buffer.from(chunk).toString()
      })
      socket.on('close', () => resolve(text))
      socket.write(`POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n${headers.join('')}${framing}\r\n\r\n`)
    })
    expect(text).toStartWith('HTTP/1.1 408 ')
    expect(text.toLowerCase()).toContain('connection: close')
    expect(text).toContain('request_timeout')
  }
  expect([ends, deps.admission.inFlight]).toEqual([[], 0])
})

test('a client that stops reading is settled like one that disconnects, and its slot is released', async () => {
  const upstream = slowUpstream()
  const { port, ends, deps, advance } = start({ send: upstream.send })
  upstream.begin()
  for (let times = 0; times < 200; times++) upstream.write(event({ content: 'x'.repeat(100_000) }))
  upstream.write(`${event({}, 'stop')}data: [DONE]\n\n`)
  upstream.end()
  const socket = connect(port, '127.0.0.1').pause()
  const head = Object.entries({ ...HEADERS, 'content-length': String(BODY.length) }).map((pair) => pair.join(': '))
  socket.write(`POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\n${head.join('\r\n')}\r\n\r\n${BODY}`)
  // The system takes a while to fill its buffers, and each byte that it takes is progress.
  for (let steps = 0; steps < 200 && ends.length === 0; steps++) await advance(25_000)
  expect(ends).toMatchObject([{ outcome: 'client_disconnected' }])
  expect(ends[0]?.cost).toBeGreaterThan(0n)
  while (deps.admission.inFlight > 0) await Bun.sleep(5)
  socket.destroy()
})

test('a model that is silent for hours is not cut off by the server', async () => {
  const upstream = slowUpstream()
  const { url, ends, advance } = start({ send: upstream.send })
  upstream.begin()
  upstream.write(event({ content: 'first' }))
  const response = await post(url)
  await readUntil(response, 'first')
  for (let hours = 0; hours < 3; hours++) await advance(3_600_000)
  upstream.write(`${event({ content: 'last' }, 'stop')}data: [DONE]\n\n`)
  upstream.end()
  await readUntil(response, '[DONE]')
  expect(ends).toMatchObject([{ outcome: 'completed' }])
})
