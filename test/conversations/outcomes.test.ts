// Chains over responses that end in unusual ways, on both engines.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type OpenAI from 'openai'
import { openPostgres } from '../../packages/gateway/src/storage/postgres/open-postgres.ts'
import { sqliteContents } from '../../packages/gateway/src/storage/sqlite/contents/contents.ts'
import type { Responses } from '../../packages/gateway/src/storage/storage.ts'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'
import { operate } from '../support/gateway/operate.ts'
import { BASE_PATH } from '../support/requests/dialect-calls.ts'
import { type Answer, openaiAt, respondTo, spoken } from '../support/sdk/chained.ts'
import { type RecordingSandbox, startRecordingSandbox } from '../support/upstreams/recording-sandbox.ts'

const failing = (promise: PromiseLike<unknown>): Promise<unknown> => Promise.resolve(promise).catch((error) => error)
const DIALECTS = ['responses', 'chat'] as const

const configOver = (origin: string) => `
upstreams:
${DIALECTS.map((id) => `  - { id: ${id}, dialect: ${id}, base_url: "${origin}${BASE_PATH[id]}", keys: [k], breaker: false }`).join('\n')}
models:
${DIALECTS.map((id) => `  - { id: over-${id}, routes: [{ upstream: ${id}, model: sandbox-text }], price: { input: 1, output: 4 }, limits: { max_output: 1000000 } }`).join('\n')}
`

describe.each(ENGINES.map((engine) => [engine] as const))('on %s', (engine) => {
  let upstream: RecordingSandbox
  let gateway: Gateway
  let client: OpenAI
  let secret: string
  beforeAll(async () => {
    upstream = startRecordingSandbox()
    gateway = await startGateway({ engine, config: configOver(upstream.origin) })
    secret = (await newKey(gateway, '10')).secret
    client = openaiAt(gateway.url, secret)
  })
  afterAll(async () => {
    expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
    expect(gateway.output().stderr).not.toMatch(/"level":"error"/)
    await gateway.stop()
    upstream.stop()
  })
  const post = (body: object, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })

  test.each([
    [false],
    [true],
  ])('a native response.failed is not stored, and its parent goes on, streamed: %p', async (streamed) => {
    const model = 'over-responses'
    const first = await respondTo(client, streamed, { model, input: 'Say 2 words: first.' })
    const turn = { model, input: 'Say 2 words: second.', previous_response_id: first.id }
    for (const hasOutput of streamed ? [false, true] : [false]) {
      upstream.intercept(() => failedResponse(streamed, hasOutput))
      const response = await post({ ...turn, stream: streamed })
      const text = await response.text()
      upstream.intercept(undefined)
      expect(text).toContain('error')
      expect(text).not.toMatch(/response\.completed/)
      const ids = [...text.matchAll(/resp_\w+/g)].map(([id]) => id).filter((id) => id !== first.id)
      ids.push(`resp_${response.headers.get('x-request-id')?.replace('req_', '')}`)
      for (const id of ids) expect(await failing(client.responses.retrieve(id))).toMatchObject({ status: 404 })
    }
    await respondTo(client, streamed, turn)
    expect(spoken('responses', upstream.last())).toEqual([
      'user: Say 2 words: first.',
      `assistant: ${first.output_text}`,
      'user: Say 2 words: second.',
    ])
  })

  test.each(
    DIALECTS,
  )('over %s: a repeated streamed request with an idempotency key runs once, and its response is found and can be continued', async (dialect) => {
    const model = `over-${dialect}`
    const first = await respondTo(client, true, { model, input: 'Say 2 words: one.' })
    const turn = { model, input: 'Say 5 words: two.', previous_response_id: first.id, stream: true }
    const keyed = { 'idempotency-key': `streamed-${engine}-${dialect}` }
    const before = upstream.asked.length
    const { response } = eventIn(await (await post(turn, keyed)).text(), 'response.completed')
    expect(response).toMatchObject({ store: true, previous_response_id: first.id })
    // Streams are not replayed; the error names the request, and so the response, which is stored.
    const again = await post(turn, keyed)
    const { error } = (await again.json()) as { error: { message: string } }
    expect([again.status, upstream.asked.length]).toEqual([409, before + 1])
    const named = /req_(\w+)/.exec(error.message)?.[1]
    expect(await client.responses.retrieve(`resp_${named}`)).toMatchObject({ id: response.id, output: response.output })
    await respondTo(client, true, { model, input: 'Say 2 words: three.', previous_response_id: response.id })
    expect(spoken(dialect, upstream.last()).filter((each) => each.startsWith('user'))).toEqual([
      'user: Say 2 words: one.',
      'user: Say 5 words: two.',
      'user: Say 2 words: three.',
    ])
    expect(spoken(dialect, upstream.last())).toHaveLength(5)
  })

  test.each(
    DIALECTS,
  )('over %s: a stream that was stopped by the balance is stored as it was delivered', async (dialect) => {
    const poor = await newKey(gateway, '0.02')
    const model = `over-${dialect}`
    const input = 'say 100000 words, pace 0 ms'
    const stream = openaiAt(gateway.url, poor.secret).responses.stream({ model, input })
    let delivered = ''
    stream.on('response.output_text.delta', ({ delta }) => {
      delivered += delta
    })
    const stopped = (await stream.finalResponse()) as Answer
    expect(await poor.settled()).toMatchObject([{ outcome: 'stopped_by_balance' }])
    expect(stopped).toMatchObject({ status: 'incomplete', store: true, output_text: delivered })
    expect(delivered.length).toBeGreaterThan(1_000)
    await operate(gateway, 'account credit', { account: poor.email, amount: '5', reason: 'test' })
    await respondTo(openaiAt(gateway.url, poor.secret), true, {
      model,
      input: 'Say 2 words.',
      previous_response_id: stopped.id,
    })
    expect(spoken(dialect, upstream.last())).toEqual([
      `user: ${input}`,
      `assistant: ${delivered}`,
      'user: Say 2 words.',
    ])
  })

  test('annotations stay in the history of later turns', async () => {
    const model = 'over-responses'
    const annotations = [
      { type: 'url_citation', start_index: 0, end_index: 5, url: 'https://example.com/a', title: 'Ä "page"' },
    ]
    const cited = () => {
      const content = [{ type: 'output_text', text: 'Hello', annotations, logprobs: [] }]
      const item = { type: 'message', id: 'msg_up', status: 'completed', role: 'assistant', content }
      return Response.json({ ...NATIVE, status: 'completed', output: [item], usage: USAGE })
    }
    upstream.intercept(cited)
    const first = await respondTo(client, false, { model, input: 'Cite.' })
    upstream.intercept(undefined)
    const second = await respondTo(client, true, { model, input: 'Say 2 words.', previous_response_id: first.id })
    await respondTo(client, true, { model, input: 'Say 3 words.', previous_response_id: second.id })
    const sent = upstream.last().input as { content?: unknown }[]
    expect(sent[1]).toMatchObject({ role: 'assistant', content: [{ text: 'Hello', annotations }] })
    const shown = await client.responses.inputItems.list(second.id, { order: 'asc' })
    expect(shown.data[1]).toMatchObject({ content: [{ text: 'Hello', annotations }] })
  })

  test('what was deleted is removed once nothing continues it', async () => {
    const model = 'over-chat'
    const first = await respondTo(client, false, { model, input: 'Say 2 words.' })
    const second = await respondTo(client, false, { model, input: 'Say 2 words.', previous_response_id: first.id })
    // As the job of every minute does.
    const sweep = () => inStore(gateway, ({ sweep }) => sweep(100))
    await sweep()
    await client.responses.delete(first.id)
    expect(await sweep()).toBe(0)
    const listed = await client.responses.inputItems.list(second.id)
    expect(listed.data).toHaveLength(3)
    await client.responses.delete(second.id)
    expect([await sweep(), await sweep()]).toEqual([2, 0])
    const [item] = first.output
    const again = { model, input: [{ type: 'item_reference' as const, id: item?.id ?? '' }] }
    expect(await failing(respondTo(client, false, again))).toMatchObject({ status: 400 })
  })
})

/** The store of a running gateway, from another process. */
async function inStore<T>({ home }: Gateway, work: (responses: Responses) => Promise<T>): Promise<T> {
  const { dataDir, databaseUrl } = home
  const store = databaseUrl === undefined ? sqliteContents(dataDir, Date.now) : await openPostgres(databaseUrl)
  try {
    return await work(store.responses)
  } finally {
    await store.close()
  }
}

const NATIVE = { id: 'resp_up', object: 'response', created_at: 1, model: 'sandbox-text', error: null }
const USAGE = { input_tokens: 3, output_tokens: 2, total_tokens: 5 }

function failedResponse(streamed: boolean, hasOutput: boolean): Response {
  const error = { code: 'server_error', message: 'The model failed.' }
  const failed = { ...NATIVE, status: 'failed', error, output: [] }
  if (!streamed) return Response.json(failed)
  const item = { type: 'message', id: 'msg_up', status: 'in_progress', role: 'assistant', content: [] }
  const part = { type: 'output_text', text: '', annotations: [] }
  const at = { item_id: 'msg_up', output_index: 0, content_index: 0 }
  const events = [
    { type: 'response.created', response: { ...NATIVE, status: 'in_progress', output: [] } },
    ...(hasOutput
      ? [
          { type: 'response.output_item.added', output_index: 0, item },
          { type: 'response.content_part.added', ...at, part },
          { type: 'response.output_text.delta', ...at, delta: 'Hel' },
        ]
      : []),
    { type: 'response.failed', response: failed },
  ]
  const text = events.map(
    (event, index) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: index })}\n\n`,
  )
  return new Response(text.join(''), { headers: { 'content-type': 'text/event-stream' } })
}

function eventIn(text: string, type: string): { response: Answer } {
  const line = text.split('\n').find((each) => each.startsWith('data:') && JSON.parse(each.slice(5)).type === type)
  return JSON.parse(line?.slice(5) ?? '{}')
}
