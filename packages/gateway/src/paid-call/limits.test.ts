// Rate limits of requests with a scripted ledger: which verbs it receives, and which responses callers get.
import { afterEach, expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect } from 'node:net'
import { responseOf } from '@trivium/http/client/upstream-response.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import { serveForTest } from '../../../http/test-support/serve.ts'
import { createTestDependencies, TEST_CALLER, type TestOptions } from '../../test-support/dependencies.ts'
import { createApp } from '../app.ts'
import type { Hold } from '../money/ledger.ts'
import { NO_LIMITS } from '../money/limits.ts'
import { createRateLimitCache } from '../overload/rate-limit-cache.ts'
import type { Opened } from '../storage/node/settler.ts'
import type { Caller } from '../storage/storage.ts'
import type { Send } from '../upstreams/send.ts'

let stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops) stop()
  stops = []
})

const LIMITED: Caller = { ...TEST_CALLER, limits: { requestsPerMinute: 5, tokensPerMinute: 1_000, concurrent: 2 } }
const REPLY = {
  id: '1',
  object: 'chat.completion',
  created: 1,
  model: 'same',
  choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
}
const answering: Send = async () => responseOf(Response.json(REPLY))

/** The ledger answers with what `next` says of each hold; undefined: granted. */
function start(
  next: (hold: Hold) => Opened | undefined,
  more: Partial<TestOptions> = {},
  caller: () => Caller = () => LIMITED,
) {
  const test = createTestDependencies({ send: answering, ...more })
  const time = { now: 0 }
  const holds: Hold[] = []
  const settled: { tokens: number; outcome: string }[] = []
  const { settler } = test.deps
  Object.assign(test.deps, {
    rateLimitCache: createRateLimitCache(() => time.now),
    callers: { find: caller, refresh: caller, clear: () => {} },
    settler: {
      ...settler,
      async open(hold: Hold) {
        holds.push(hold)
        const opened = next(hold) ?? (await settler.open(hold))
        if (opened.verdict !== 'open') return opened
        const settle: typeof opened.request.settle = (...end) => {
          const [, tokens, outcome] = end
          settled.push({ tokens, outcome })
          return opened.request.settle(...end)
        }
        return { ...opened, request: { ...opened.request, settle } }
      },
    },
  })
  const app = createApp(test.deps, { ready: () => true, accepting: () => true })
  const server = serveForTest(app)
  stops.push(
    () => void server.stop(),
    () => test.deps.ticker.stop(),
  )
  const call = (body: object = {}) =>
    fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-0000000000000000', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'same', messages: [{ role: 'user', content: 'Hello.' }], ...body }),
    })
  return { ...test, call, holds, settled, time, port: server.port }
}

const limitedBy =
  (verdict: 'key_requests' | 'key_tokens' | 'key_concurrent', waitMs = 10_000) =>
  () => ({
    verdict,
    available: BigInt(waitMs),
  })

test('a storm of calls that would be rejected again does not reach the ledger', async () => {
  const { call, holds, time } = start(limitedBy('key_requests'))
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(Array.from({ length: 40 }, () => call()))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]))
    // Requests that started before the first rejection was cached may reach the ledger; later ones may not.
    if (round === 0) holds.length = 0
  }
  expect(holds).toHaveLength(0)
  time.now = 4_000
  expect((await call()).headers.get('retry-after')).toBe('6')
  time.now = 10_000
  await call()
  expect(holds).toHaveLength(1)
})

test('such a call is rejected before its body has arrived', async () => {
  const { call, port } = start(limitedBy('key_requests'))
  expect((await call()).status).toBe(429)
  const socket = connect(port, '127.0.0.1')
  socket.write(
    'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer sk-0000000000000000\r\n' +
      'content-type: application/json\r\ncontent-length: 1000000\r\n\r\n',
  )
  const [answer] = await once(socket, 'data')
  socket.destroy()
  expect(String(answer)).toStartWith('HTTP/1.1 429')
})

test('a rejected request does not block a smaller one', async () => {
  const { call, holds } = start(({ minimumTokens }) => (minimumTokens > 100 ? limitedBy('key_tokens')() : undefined))
  const large = { messages: [{ role: 'user', content: 'word '.repeat(200) }] }
  expect((await call(large)).status).toBe(429)
  expect((await call(large)).status).toBe(429)
  expect(holds).toHaveLength(1)
  expect((await call()).status).toBe(200)
  expect(holds).toHaveLength(2)
})

test('too many at once: remembered until one of them ends', async () => {
  let running = 0
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { call, holds } = start(() => (++running > 1 && running < 4 ? limitedBy('key_concurrent', 0)() : undefined), {
    send: async () => {
      await held
      return responseOf(Response.json(REPLY))
    },
  })
  const first = call()
  while (holds.length === 0) await Bun.sleep(1)
  expect((await call()).status).toBe(429)
  expect((await call()).status).toBe(429)
  expect(holds).toHaveLength(2)
  release()
  expect((await first).status).toBe(200)
  running = 9
  expect((await call()).status).toBe(200)
})

test('the ledger receives the most tokens a request may use, the fewest it needs, and those it used', async () => {
  const { call, holds, settled } = start(() => undefined)
  await call({ max_tokens: 500 })
  const [hold] = holds
  expect(hold).toMatchObject({ revision: TEST_CALLER.revision, extensible: false })
  expect(hold?.tokens).toBeGreaterThan(500)
  expect(hold?.minimumTokens).toBeLessThan(50)
  expect(settled).toEqual([{ tokens: 30, outcome: 'completed' }])
  await call({ stream: true, max_tokens: 5 })
  expect(holds[1]).toMatchObject({ extensible: true })
})

test.each([
  ['lowers the output cap', LIMITED, 'max_tokens;lowered-to-limit'],
  ['does not concern callers without such a limit', TEST_CALLER, null],
])('fewer tokens granted than requested: %s', async (_, caller, warning) => {
  const sent: unknown[] = []
  const send: Send = async (_upstream, { body }) => {
    sent.push(JSON.parse(Buffer.concat(body as Pieces).toString()))
    return responseOf(Response.json(REPLY))
  }
  const grantLess = ({ amount }: Hold): Opened => ({
    verdict: 'open',
    request: {
      granted: amount,
      grantedTokens: 200,
      held: amount,
      heldTokens: 200,
      output: () => 'deliver' as const,
      raise: () => 'stop' as const,
      settle: async (charged) => ({ charged, spooled: false }),
      void: async () => ({ charged: 0n, spooled: false }),
    },
  })
  const { call } = start(grantLess, { send }, () => caller)
  const response = await call({ max_tokens: 500 })
  expect(response.headers.get('x-trivium-warnings')).toBe(warning)
  const [{ max_tokens }] = sent as [{ max_tokens: number }]
  if (warning) expect(max_tokens).toBeLessThan(200)
  else expect(max_tokens).toBe(500)
})

test('a key that has changed is looked up anew, and everything is decided again, unnoticed by the client', async () => {
  let caller: Caller = { ...TEST_CALLER, revision: 1 }
  const { call, holds } = start(
    ({ revision }) => {
      if (revision === 2) return undefined
      caller = { ...TEST_CALLER, revision: 2 }
      return { verdict: 'key_changed', available: 0n }
    },
    {},
    () => caller,
  )
  expect((await call()).status).toBe(200)
  expect(holds.map(({ revision }) => revision)).toEqual([1, 2])
})

test('a key that has changed may not allow the model any more', async () => {
  let caller: Caller = TEST_CALLER
  const { call, holds, logged } = start(
    () => {
      caller = { ...TEST_CALLER, revision: 2, restrictions: { models: ['other'], networks: undefined } }
      return { verdict: 'key_changed', available: 0n }
    },
    {},
    () => caller,
  )
  const response = await call()
  expect(response.status).toBe(403)
  expect(await response.json()).toMatchObject({ error: { code: 'model_not_allowed' } })
  expect(holds).toHaveLength(1)
  expect(logged).toEqual([])
})

const event = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', created: 1, model: 'same', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

const DONE = 'data: [DONE]\n\n'

/** Each read by itself. */
function inPieces(pieces: string[]): ReadableStream<Uint8Array> {
  const left = [...pieces]
  return new ReadableStream({
    async pull(controller) {
      await Bun.sleep(1)
      const piece = left.shift()
      if (piece === undefined) controller.close()
      else controller.enqueue(Buffer.from(piece))
    },
  })
}

/** A stream whose next output has to wait until `resume` is called. */
function waitingStream(timeouts: TestOptions['timeouts'] = {}) {
  let resume = () => {}
  const room = new Promise<'deliver'>((resolve) => {
    resume = () => resolve('deliver')
  })
  const asked: unknown[] = []
  const waits = ({ amount, tokens }: Hold): Opened => ({
    verdict: 'open',
    request: {
      granted: amount,
      grantedTokens: tokens,
      held: amount,
      heldTokens: tokens,
      raise: () => 'stop' as const,
      output(_cost, _more, tokens) {
        asked.push(tokens)
        return room
      },
      settle: async (charged, _tokens, outcome) => {
        ends.push(outcome)
        return { charged, spooled: false }
      },
      void: async () => ({ charged: 0n, spooled: false }),
    },
  })
  const ends: string[] = []
  const pieces = [event({ content: 'a' }), event({ content: 'word '.repeat(4_000) }), event({}, 'stop'), DONE]
  const send: Send = async () =>
    responseOf(new Response(inPieces(pieces), { headers: { 'content-type': 'text/event-stream' } }))
  const pace = { commitAfterMs: 30, heartbeatMs: 10, usageWaitMs: 50, endWaitMs: 50 }
  return { ...start(waits, { send, streamTiming: pace, timeouts }), asked, ends, resume: () => resume() }
}

test('a stream that waits for a limit shows signs of life, and is not the upstream being silent', async () => {
  // Long enough for a slow machine to come as far as the wait, which then lasts much longer.
  const idleMs = 200
  const { call, asked, ends, resume } = waitingStream({ idleMs })
  const response = await call({ stream: true })
  let text = ''
  const since = performance.now()
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString()
    if (text.split(': keep-alive').length > 6 && performance.now() - since > 3 * idleMs) resume()
  }
  expect(asked).toEqual([{ used: expect.any(Number), step: expect.any(Number) }])
  expect(text.slice(-DONE.length)).toBe(DONE)
  expect(ends).toEqual(['completed'])
})

test('a disconnect from a stream that waits ends the wait', async () => {
  const { call, asked, ends } = waitingStream()
  const response = await call({ stream: true })
  const reader = response.body?.getReader()
  await reader?.read()
  while (asked.length === 0) await Bun.sleep(1)
  void reader?.cancel().catch(() => {})
  while (ends.length === 0) await Bun.sleep(1)
  expect(ends).toEqual(['client_disconnected'])
})

test('the whole time that a call may take is no longer for waiting', async () => {
  const { call, ends } = waitingStream({ totalMs: 60 })
  const response = await call({ stream: true })
  expect((await response.text()).slice(-400)).toContain('did not answer in time')
  expect(ends).toEqual(['timeout'])
})

test('tokens of callers without limits are not counted', async () => {
  const { call, asked, resume } = (() => {
    const stream = waitingStream()
    Object.assign(stream.deps, { callers: { find: () => ({ ...TEST_CALLER, accountLimits: NO_LIMITS }), clear() {} } })
    return stream
  })()
  resume()
  await (await call({ stream: true })).text()
  expect(new Set(asked)).toEqual(new Set([undefined]))
})
