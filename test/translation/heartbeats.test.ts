// Heartbeats while an upstream is silent: before its headers, before its output, between events and within one. The
// official SDKs must read the response as if there were none. Runs in this process with a short interval instead of
// ten seconds.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import { createApp } from '../../packages/gateway/src/app.ts'
import type { OutgoingRequest, Send } from '../../packages/gateway/src/upstreams/send.ts'
import { createTestDependencies } from '../../packages/gateway/test-support/dependencies.ts'
import { responseOf } from '../../packages/http/src/client/upstream-response.ts'
import { serveForTest } from '../../packages/http/test-support/serve.ts'
import { createSandbox } from '../../packages/sandbox/src/handler.ts'
import { BASE_PATH, callIn, errorIn, PAIRS } from '../support/requests/dialect-calls.ts'
import { readWith } from '../support/sdk/readers.ts'

const PACE = { commitAfterMs: 20, heartbeatMs: 15, usageWaitMs: 50, endWaitMs: 50 }
const SILENCE_MS = 60
const PIECES = 5

const sandbox = createSandbox({ faults: true, pace: 0 })

function ask(outgoing: OutgoingRequest, fault: string): Promise<Response> {
  const model = `sandbox-text${fault}`
  const headers = { 'content-type': 'application/json', authorization: 'Bearer x', 'anthropic-version': '2023-06-01' }
  const address = `http://sandbox${BASE_PATH[outgoing.dialect as TextDialectId]}${outgoing.path}`.replace(
    'models/same',
    `models/${model}`,
  )
  const body = Buffer.concat(outgoing.body as Pieces)
    .toString()
    .replace('"model":"same"', `"model":"${model}"`)
  return sandbox(new Request(address, { method: 'POST', headers, body }))
}

/** The embedded model's response, split anywhere, with a pause before its headers and after each chunk. */
const slowly =
  (fault: string): Send =>
  async (_, outgoing) => {
    const bytes = Buffer.from(await (await ask(outgoing, fault)).arrayBuffer())
    await Bun.sleep(SILENCE_MS)
    const length = Math.ceil(bytes.length / PIECES)
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        for (let at = 0; at < bytes.length; at += length) {
          await Bun.sleep(SILENCE_MS)
          controller.enqueue(bytes.subarray(at, at + length))
        }
        controller.close()
      },
    })
    return responseOf(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
  }

/** Rejects the request when the client has its 200 already. */
const rejecting: Send = async () => {
  await Bun.sleep(SILENCE_MS)
  return responseOf(new Response('{}', { status: 500 }))
}

/** The events that the embedded model sends before its first output. */
const BEFORE: Record<TextDialectId, number> = { chat: 1, responses: 4, messages: 2, 'generate-content': 0 }

type Place = { url: string; stop(): void }

function start(dialect: TextDialectId, send: Send): Place {
  // Many tests run at once, and on a busy machine they queue for long.
  const limits = { inFlight: 100, memoryBytes: 64 * 1024 * 1024 }
  const { deps } = createTestDependencies({ streamTiming: PACE, send, dialect, limits })
  const app = createApp(deps, { ready: () => true, accepting: () => true })
  const server = serveForTest(app)
  const stop = () => {
    void server.stop()
    deps.ticker.stop()
  }
  return { url: server.url, stop }
}

const places = new Map<string, Place>()
const urlOf = (upstream: TextDialectId, how: 'slow' | 'rejecting' | 'ending'): string =>
  places.get(`${upstream} ${how}`)?.url ?? ''
beforeAll(() => {
  for (const id of TEXT_DIALECT_IDS) {
    places.set(`${id} slow`, start(id, slowly('')))
    places.set(`${id} ending`, start(id, slowly(`:end=${BEFORE[id]}`)))
    places.set(`${id} rejecting`, start(id, rejecting))
  }
})
afterAll(() => {
  for (const { stop } of places.values()) stop()
})

const KEY = 'sk-0000000000000000'
const PROMPT = 'Think 5 words. Then tell of 北京 🙂'

const HEARTBEATS: Record<TextDialectId, string> = {
  chat: ': keep-alive\n\n',
  responses: ': keep-alive\n\n',
  messages: 'event: ping\ndata: {"type":"ping"}\n\n',
  'generate-content': 'data: {"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"index":0}]}\n\n',
}

describe.each(PAIRS)('%s client, %s upstream', (client, upstream) => {
  const calling = { model: 'same', streamed: true, prompt: PROMPT }

  test.concurrent('heartbeats are sent, and only between events', async () => {
    const response = await callIn(client, urlOf(upstream, 'slow'), KEY, calling)
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(text.split(HEARTBEATS[client]).length).toBeGreaterThan(4)
    for (const line of text.replaceAll(HEARTBEATS[client], '').split('\n')) {
      if (line.startsWith('data:') && !line.endsWith('[DONE]')) JSON.parse(line.slice(5))
      else expect(line).toMatch(/^(event: [\w.]+|data: \[DONE\]|)\r?$/)
    }
  })

  test.concurrent.each([['raw'], ['helper']] as const)('the SDK reads the response, %s', async (mode) => {
    const asking = { origin: urlOf(upstream, 'slow'), key: KEY, model: 'same', prompt: PROMPT, mode }
    expect(await readWith(client, asking)).toMatchObject({
      answer: {
        finish: 'completed',
        text: expect.stringContaining('[sandbox]'),
        usage: { output: expect.any(Number) },
      },
    })
  })

  test.concurrent.each([
    ['rejecting'],
    ['ending'],
  ] as const)("a failure after them is the SDK's error: %s", async (how) => {
    const asking = { origin: urlOf(upstream, how), key: KEY, model: 'same', prompt: PROMPT, mode: 'helper' as const }
    expect(await readWith(client, asking)).toEqual({ failure: expect.anything() })
  })
})

describe.each(TEXT_DIALECT_IDS.map((id): [TextDialectId] => [id]))('one JSON array over %s', (upstream) => {
  const calling = { model: 'same', streamed: true, prompt: PROMPT, alt: 'json' }

  test('whitespace is sent during the silence, and the body is one array', async () => {
    const response = await callIn('generate-content', urlOf(upstream, 'slow'), KEY, calling)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    const text = await response.text()
    expect(text).toMatch(/^\n+\[/)
    const chunks = JSON.parse(text) as { candidates?: { content?: { parts?: { text?: string }[] } }[] }[]
    const said = chunks
      .flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
      .map((part) => part.text ?? '')
    expect(said.join('')).toContain('北京 🙂')
  })

  test.each([['rejecting'], ['ending']] as const)('a failure after it is the only element: %s', async (how) => {
    const response = await callIn('generate-content', urlOf(upstream, how), KEY, calling)
    const elements = JSON.parse(await response.text()) as unknown[]
    expect([response.status, elements.length]).toEqual([200, 1])
    expect(errorIn('generate-content', elements[0]).message).toContain('upstream')
  })
})
