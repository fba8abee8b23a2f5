// An error event before any output leads to a fallback, unless the upstream has reported billed usage.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, receiptOf, startGateway } from '../support/gateway/gateway.ts'
import { BASE_PATH } from '../support/requests/dialect-calls.ts'
import {
  LAST_CHUNK,
  chunk as pieceOf,
  startUpstream,
  stream,
  streamWithoutEnd,
  type Upstream,
} from '../support/upstreams/raw-upstream.ts'

let upstream: Upstream
let gateway: Gateway
let secret: string

beforeAll(async () => {
  upstream = await startUpstream()
  const entries = TEXT_DIALECT_IDS.map((dialect) => {
    const base = upstream.url.replace('/v1', BASE_PATH[dialect])
    return `  - { id: failing-${dialect}, dialect: ${dialect}, base_url: "${base}", keys: [k], breaker: false }`
  })
  const models = TEXT_DIALECT_IDS.map((dialect) => {
    const routes = `[{ upstream: failing-${dialect} }, { upstream: sandbox, model: sandbox-text, priority: 2 }]`
    return `  - { id: by-${dialect}, routes: ${routes}, price: { input: 1, output: 4 } }`
  })
  gateway = await startGateway({
    config: [
      'server: { show_upstreams: true }',
      'sandbox: true',
      'upstreams:',
      ...entries,
      'models:',
      ...models,
      '',
    ].join('\n'),
  })
  secret = (await newKey(gateway, '5')).secret
})
afterAll(async () => {
  await gateway.stop()
  upstream.stop()
})

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`
const named = (data: { type: string; [field: string]: unknown }): string => `event: ${data.type}\n${event(data)}`
const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output: [] }
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null }
const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
const failed = { ...response, status: 'failed', error: { code: 'server_error', message: 'busy' } }
const busy = { message: 'busy', type: 'server_error', code: 'server_is_overloaded' }

/** Events before the error, a word of output, the error, and the error with usage. */
const EVENTS: Record<TextDialectId, { start: string; output: string; error: string; billed: string }> = {
  chat: {
    start: event({ ...chunk, choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }] }),
    output: event({ ...chunk, choices: [{ index: 0, delta: { content: 'word' }, finish_reason: null }] }),
    error: event({ error: busy }),
    billed: event({ error: busy, usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }),
  },
  responses: {
    start: named({ type: 'response.created', response: { ...response, status: 'in_progress' } }),
    output:
      named({
        type: 'response.output_item.added',
        output_index: 0,
        item: { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] },
      }) +
      named({
        type: 'response.content_part.added',
        output_index: 0,
        content_index: 0,
        item_id: 'msg_1',
        part: { type: 'output_text', text: '', annotations: [] },
      }) +
      named({ type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'msg_1', delta: 'word' }),
    error: named({ type: 'response.failed', response: failed }),
    billed: named({ type: 'response.failed', response: { ...failed, usage: { input_tokens: 10, output_tokens: 5 } } }),
  },
  messages: {
    start: named({ type: 'message_start', message: { ...message, usage: { input_tokens: 10, output_tokens: 1 } } }),
    output:
      named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
      named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'word' } }),
    error: named({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    billed:
      named({ type: 'message_delta', delta: { stop_reason: null }, usage: { output_tokens: 5 } }) +
      named({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  },
  'generate-content': {
    start: event({ candidates: [{ index: 0, content: { role: 'model', parts: [] } }] }),
    output: event({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'word' }] } }] }),
    error: event({ error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }),
    billed: event({
      error: { code: 503, message: 'busy', status: 'UNAVAILABLE' },
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    }),
  },
}

async function ask(client: 'chat' | 'messages', dialect: TextDialectId) {
  const response = await fetch(`${gateway.url}/v1/${client === 'chat' ? 'chat/completions' : 'messages'}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'msg-version': '2023-06-01' },
    body: JSON.stringify({
      model: `by-${dialect}`,
      max_tokens: 100,
      stream: true,
      messages: [{ role: 'user', content: 'hi' }],
    }),
  })
  const text = await response.text()
  return { status: response.status, text, receipt: await receiptOf<Receipt>(gateway.url, secret, response) }
}
type Receipt = { upstream: string; cost_usd: string; attempts: unknown[] }

const CELLS = TEXT_DIALECT_IDS.flatMap((dialect) =>
  (['chat', 'messages'] as const).map((client) => [client, dialect] as const),
)

test.each(
  CELLS,
)('%s from %s: the next candidate responds, and nothing of the first is visible', async (client, dialect) => {
  const { start, error } = EVENTS[dialect]
  upstream.behave(stream(start, error))
  const { status, text, receipt } = await ask(client, dialect)
  expect([status, receipt.upstream, receipt.attempts.length]).toEqual([200, 'sandbox', 2])
  expect(text).not.toContain('busy')
  expect(text.split('message_start').length).toBeLessThanOrEqual(3)
})

test.each(CELLS)('%s from %s: with usage there is no fallback', async (client, dialect) => {
  const { start, billed } = EVENTS[dialect]
  upstream.behave(stream(start, billed))
  const { status, receipt } = await ask(client, dialect)
  expect([status, receipt.attempts.length, receipt.cost_usd]).toEqual([expect.any(Number), 1, '0.00'])
  expect(status).toBeGreaterThanOrEqual(500)
})

test.each(CELLS)('%s from %s: after output, the reported usage is charged', async (client, dialect) => {
  const { start, output, billed } = EVENTS[dialect]
  // A moment later: output that arrives together with the error is not delivered, and is free.
  upstream.behave(async (socket, request) => {
    await streamWithoutEnd(start, output)(socket, request)
    setTimeout(() => socket.write(Buffer.concat([pieceOf(billed), Buffer.from(LAST_CHUNK)])), 100)
  })
  const { status, text, receipt } = await ask(client, dialect)
  expect([status, receipt.attempts.length, receipt.cost_usd]).toEqual([200, 1, '0.00003'])
  expect(text).toContain('word')
})

test('the audit finds no error', async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
})
