// What is stored of a response, who finds it, and what becomes of it: on both engines.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type OpenAI from 'openai'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES, homeOnSameDatabase } from '../support/gateway/home.ts'
import { openaiAt, respondTo, spoken } from '../support/sdk/chained.ts'
import { configOfDialects } from '../support/upstreams/recorded-upstream.ts'
import { type RecordingSandbox, startRecordingSandbox } from '../support/upstreams/recording-sandbox.ts'

const model = 'over-chat'
const NOT_FOUND = { status: 400, code: 'previous_response_not_found', param: 'previous_response_id' }
const failing = (promise: PromiseLike<unknown>): Promise<unknown> => Promise.resolve(promise).catch((error) => error)

describe.each(ENGINES.map((engine) => [engine] as const))('on %s', (engine) => {
  let upstream: RecordingSandbox
  let gateway: Gateway
  let client: OpenAI
  let secret: string
  let account: Awaited<ReturnType<typeof newKey>>
  beforeAll(async () => {
    upstream = startRecordingSandbox()
    const limits = 'server: { limits: { body: 4MiB } }'
    gateway = await startGateway({
      engine,
      config: `${limits}\n${configOfDialects(upstream.origin, 'sandbox-text')}`,
    })
    account = await newKey(gateway, '1000')
    secret = account.secret
    client = openaiAt(gateway.url, secret)
  })
  afterAll(async () => {
    expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
    expect(gateway.output().stderr).not.toMatch(/"level":"error"/)
    await gateway.stop()
    upstream.stop()
  })
  const say = (input: string, previous?: string, streamed = false) =>
    respondTo(client, streamed, { model, input, ...(previous ? { previous_response_id: previous } : {}) })

  const get = (path: string) => fetch(gateway.url + path, { headers: { authorization: `Bearer ${secret}` } })
  const post = (body: object) =>
    fetch(`${gateway.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  test('GET shows the response as it was sent', async () => {
    for (const streamed of [false, true]) {
      const response = await post({ model, input: 'Say 3 words.', stream: streamed })
      const text = await response.text()
      const completed = text.split('\n').find((line) => line.startsWith('data: {"type":"response.completed"'))
      const sent = streamed ? JSON.parse(completed?.slice('data: '.length) ?? '{}').response : JSON.parse(text)
      expect(sent).toMatchObject({ status: 'completed', store: true, previous_response_id: null })
      expect(await (await get(`/v1/responses/${sent.id}`)).json()).toEqual(sent)
    }
  })

  test("another account's response is not found: 400 in a body, 404 in a path", async () => {
    const { id } = await say('Say 2 words.')
    const other = openaiAt(gateway.url, (await newKey(gateway, '10')).secret)
    const before = upstream.asked.length
    expect(await failing(respondTo(other, false, { model, input: 'And?', previous_response_id: id }))).toMatchObject(
      NOT_FOUND,
    )
    const native = { model: 'over-responses', input: 'And?', previous_response_id: id }
    expect(await failing(respondTo(other, false, native))).toMatchObject(NOT_FOUND)
    expect(await failing(other.responses.retrieve(id))).toMatchObject({ status: 404 })
    expect(await failing(other.responses.delete(id))).toMatchObject({ status: 404 })
    expect(await failing(other.responses.inputItems.list(id))).toMatchObject({ status: 404 })
    expect(upstream.asked.length).toBe(before)
    expect((await client.responses.retrieve(id)).id).toBe(id)
  })

  test("an item of another account's response is not found", async () => {
    const { output } = await say('Say 2 words.')
    const other = openaiAt(gateway.url, (await newKey(gateway, '10')).secret)
    const before = upstream.asked.length
    const input = [{ type: 'item_reference' as const, id: output[0]?.id ?? '' }]
    for (const model of ['over-chat', 'over-responses'])
      expect(await failing(respondTo(other, false, { model, input }))).toMatchObject({ status: 400 })
    expect(upstream.asked.length).toBe(before)
  })

  test('DELETE hides at once; what continues it goes on', async () => {
    const first = await say('Say 2 words: first.')
    const second = await say('Say 2 words: second.', first.id)
    await client.responses.delete(first.id)
    expect(await failing(client.responses.retrieve(first.id))).toMatchObject({ status: 404 })
    expect(await failing(client.responses.delete(first.id))).toMatchObject({ status: 404 })
    expect(await failing(say('And?', first.id))).toMatchObject(NOT_FOUND)
    await say('Say 2 words: third.', second.id)
    expect(spoken('chat', upstream.last())).toEqual([
      'user: Say 2 words: first.',
      `assistant: ${first.output_text}`,
      'user: Say 2 words: second.',
      `assistant: ${second.output_text}`,
      'user: Say 2 words: third.',
    ])
  })

  test('input items, with pages in both orders', async () => {
    const first = await say('Say 2 words: one.')
    const second = await say('Say 2 words: two.', first.id)
    const third = await say('Say 2 words: three.', second.id)
    const texts = async (order: 'asc' | 'desc', limit: number): Promise<string[]> => {
      const all: string[] = []
      for await (const item of client.responses.inputItems.list(third.id, { order, limit })) {
        expect((item as { id?: string }).id).toBeString()
        const { content } = item as { content: string | { text: string }[] }
        all.push(typeof content === 'string' ? content : content.map(({ text }) => text).join(''))
      }
      return all
    }
    const expected = [
      'Say 2 words: one.',
      first.output_text,
      'Say 2 words: two.',
      second.output_text,
      'Say 2 words: three.',
    ]
    for (const limit of [1, 2, 100]) {
      expect(await texts('asc', limit)).toEqual(expected)
      expect(await texts('desc', limit)).toEqual(expected.toReversed())
    }
    const page = (await (await get(`/v1/responses/${third.id}/input_items?limit=2`)).json()) as {
      data: { id: string }[]
    }
    const [one, two] = page.data
    expect(page).toMatchObject({ object: 'list', has_more: true, first_id: one?.id, last_id: two?.id })
  })

  test.each([
    ['/v1/responses/%zz', 404],
    ['/v1/responses/%', 404],
    ['/v1/responses/%zz/input_items', 404],
    ['/v1/responses/resp_none', 404],
    ['/v1/responses/ID/input_items?limit=0', 400],
    ['/v1/responses/ID/input_items?limit=101', 400],
    ['/v1/responses/ID/input_items?limit=x', 400],
    ['/v1/responses/ID/input_items?order=up', 400],
    ['/v1/responses/ID/input_items?after=nothing', 400],
    ['/v1/responses/ID/input_items?before=nothing', 400],
    ['/v1/responses/ID?stream=true', 400],
  ])('GET %s is %d', async (path, status) => {
    const { id } = await say('Say 2 words.')
    const response = await get(path.replace('ID', id))
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining('"error"')])
  })

  test("reads of stored responses count toward the key's limit, apart from what it pays", async () => {
    const limited = (await newKey(gateway, '10', { rpm: '2' })).secret
    const send = (path: string, body?: object) =>
      fetch(gateway.url + path, {
        headers: { authorization: `Bearer ${limited}`, 'content-type': 'application/json' },
        ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
      })
    const { id } = (await (await send('/v1/responses', { model, input: 'Say 2 words.' })).json()) as { id: string }
    const reads = [`/v1/responses/${id}`, `/v1/responses/${id}/input_items?limit=1`, `/v1/responses/${id}`]
    const statuses: number[] = []
    let last: Response | undefined
    for (const path of reads) {
      last = await send(path)
      statuses.push(last.status)
    }
    expect(statuses).toEqual([200, 200, 429])
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await last?.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } })
    expect((await send('/v1/usage')).status).toBe(200)
  })

  test('conversation objects are rejected, with what to use instead', async () => {
    for (const model of ['over-chat', 'over-responses']) {
      for (const conversation of ['conv_1', { id: 'conv_1' }]) {
        const error = await failing(client.responses.create({ model, input: 'Hi', conversation }))
        expect(error).toMatchObject({ status: 400, message: expect.stringContaining('previous_response_id') })
        expect((error as { param: string }).param).toMatch(/^conversation/)
      }
    }
  })

  test('items named more often than a body may be long are rejected before they are put together', async () => {
    const { output } = await say('Say 9000 words.')
    const id = output[0]?.id ?? ''
    const named = (times: number) => Array.from({ length: times }, () => ({ type: 'item_reference' as const, id }))
    const before = upstream.asked.length
    const cases = [
      // 54 KB each, which is 211 MiB in all.
      { input: named(4_000), error: { status: 413, param: 'input' } },
      { input: named(4_097), error: { status: 400, param: 'input' } },
      { input: named(40_000), error: { status: 400, param: 'input' } },
      // An item without a type is a reference, too.
      {
        input: named(1_000).map(() => ({ id }) as unknown as OpenAI.Responses.ResponseInputItem),
        error: { status: 413 },
      },
    ]
    for (const model of ['over-chat', 'over-responses']) {
      for (const { input, error } of cases) {
        expect(await failing(client.responses.create({ model, input }))).toMatchObject(error)
        expect(await failing(client.responses.inputTokens.count({ model, input }))).toMatchObject(error)
      }
    }
    expect(upstream.asked.length).toBe(before)
    // With a chain that is nearly as long as a body may be, it is the sum that counts.
    const long = await say(`${'word '.repeat(800_000)} Say 2 words.`)
    const sum = { model, input: named(10), previous_response_id: long.id }
    expect(await failing(client.responses.create(sum))).toMatchObject({ status: 413 })
    expect(upstream.asked.length).toBe(before + 1)
    await respondTo(client, false, { model, input: named(4) })
    expect(spoken('chat', upstream.last()).join('').length).toBeGreaterThan(4 * 50_000)
  })

  test('a repeated request with an idempotency key gets the same response, which is stored once', async () => {
    const first = await say('Say 2 words.')
    const turn = { model, input: 'Say 5 words.', previous_response_id: first.id }
    const headers = { 'idempotency-key': `chain-${engine}` }
    const before = upstream.asked.length
    const one = await client.responses.create(turn, { headers })
    const two = await client.responses.create(turn, { headers })
    expect(two.id).toBe(one.id)
    expect(upstream.asked.length).toBe(before + 1)
    await say('Say 2 words.', two.id)
    expect(spoken('chat', upstream.last())).toHaveLength(5)
  })

  test('a response that was cut or failed is not stored', async () => {
    for (const streamed of [true, false]) {
      for (const fault of ['cut', 'error']) {
        upstream.intercept(() =>
          fault === 'cut' ? cutStream() : Response.json({ error: { message: 'no' } }, { status: 500 }),
        )
        const response = await post({ model, input: 'Hi', stream: streamed })
        const text = await response.text()
        upstream.intercept(undefined)
        for (const [id] of text.matchAll(/resp_\w+/g))
          expect(await failing(client.responses.retrieve(id))).toMatchObject({ status: 404 })
        const id = `resp_${response.headers.get('x-request-id')?.replace('req_', '')}`
        expect(await failing(say('And?', id))).toMatchObject(NOT_FOUND)
      }
    }
  })

  test('a chain survives kill -9, and goes on at another node', async () => {
    const first = await say('Say 2 words: before.', undefined, true)
    const second = await say('Say 2 words: between.', first.id)
    const expected = [
      'user: Say 2 words: before.',
      `assistant: ${first.output_text}`,
      'user: Say 2 words: between.',
      `assistant: ${second.output_text}`,
      'user: Say 2 words: after.',
    ]
    const { home } = gateway
    if (engine === 'postgres') {
      const config = configOfDialects(upstream.origin, 'sandbox-text')
      const node = await startGateway({ home: homeOnSameDatabase(home, config) })
      const turn = { model: 'over-messages', input: 'Say 2 words: after.', previous_response_id: second.id }
      await respondTo(openaiAt(node.url, secret), true, turn)
      expect(spoken('messages', upstream.last())).toEqual(expected)
      await node.kill()
    }
    await gateway.kill()
    gateway = await startGateway({ home })
    client = openaiAt(gateway.url, secret)
    await say('Say 2 words: after.', second.id)
    expect(spoken('chat', upstream.last())).toEqual(expected)
  })
})

function cutStream(): Response {
  const event = (delta: object) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(Buffer.from(event({ role: 'assistant' }) + event({ content: 'Hel' })))
      await Bun.sleep(50)
      controller.error(new Error('cut'))
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}
