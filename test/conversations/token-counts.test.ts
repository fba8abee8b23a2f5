// Counting the tokens of a request that continues a chain: all that it would send.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type OpenAI from 'openai'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { openaiAt, respondTo, spoken } from '../support/sdk/chained.ts'
import { configOfDialects } from '../support/upstreams/recorded-upstream.ts'
import { type RecordingSandbox, startRecordingSandbox } from '../support/upstreams/recording-sandbox.ts'

let upstream: RecordingSandbox
let gateway: Gateway
let client: OpenAI
beforeAll(async () => {
  upstream = startRecordingSandbox()
  gateway = await startGateway({ config: configOfDialects(upstream.origin, 'sandbox-text') })
  client = openaiAt(gateway.url, (await newKey(gateway, '10')).secret)
})
afterAll(async () => {
  await gateway.stop()
  upstream.stop()
})

const failing = (promise: PromiseLike<unknown>): Promise<unknown> => Promise.resolve(promise).catch((error) => error)

// Chat upstreams have no endpoint for counts: the gateway counts. The others are asked, in their own dialect.
test.each([
  ['over-chat', 'chat'],
  ['over-messages', 'messages'],
  ['over-responses', 'responses'],
] as const)('%s: a chain, and an item by its id, count as the items themselves', async (model, dialect) => {
  const asked = 'Tell me about the harbour. Say 40 words.'
  const first = await respondTo(client, false, { model, input: asked })
  const count = async (body: OpenAI.Responses.InputTokenCountParams) =>
    (await client.responses.inputTokens.count({ model, ...body })).input_tokens
  const alone = await count({ input: 'And the ferry?' })
  const item = first.output.find(({ type }) => type === 'message')
  if (item?.type !== 'message') throw new Error(`no message: ${JSON.stringify(first.output)}`)
  const { id, ...unnamed } = item
  const user = (content: string) => ({ role: 'user' as const, content })
  const whole = await count({
    input: [user(asked), unnamed as OpenAI.Responses.ResponseInputItem, user('And the ferry?')],
  })
  const before = upstream.asked.length
  const chained = await count({ input: 'And the ferry?', previous_response_id: first.id })
  expect(Math.abs(chained - whole)).toBeLessThanOrEqual(1)
  expect(chained).toBeGreaterThan(alone + 40)
  if (dialect !== 'chat') {
    expect(upstream.asked.length).toBe(before + 1)
    expect(JSON.stringify(upstream.last())).not.toContain(first.id)
    expect(spoken(dialect, upstream.last())).toHaveLength(3)
  }
  const named = await count({ input: [user(asked), { type: 'item_reference', id }, user('And the ferry?')] })
  expect(Math.abs(named - whole)).toBeLessThanOrEqual(1)

  // The same errors as for a response.
  const other = openaiAt(gateway.url, (await newKey(gateway, '10')).secret)
  const calls = upstream.asked.length
  for (const body of [
    { input: 'And?', previous_response_id: first.id },
    { input: [{ type: 'item_reference' as const, id }] },
  ]) {
    const of = (error: unknown) => {
      const { status, code, param, message } = error as Record<string, unknown>
      return { status, code, param, message }
    }
    const refused = of(await failing(other.responses.inputTokens.count({ model, ...body })))
    expect(refused).toMatchObject({ status: 400 })
    expect(refused).toEqual(of(await failing(other.responses.create({ model, ...body }))))
  }
  expect(upstream.asked.length).toBe(calls)
})
