// Token counting with the official SDKs, over upstreams of all four dialects: three of them count themselves, and for chat the
// gateway does.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base'
import OpenAI from 'openai'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { sandboxConfig } from '../support/requests/dialect-calls.ts'

let gateway: Gateway
let account: Awaited<ReturnType<typeof newKey>>
beforeAll(async () => {
  gateway = await startGateway({ config: sandboxConfig() })
  account = await newKey(gateway)
})
afterAll(() => gateway.stop())

const SYSTEM = 'You are the librarian of a small town.'
const QUESTION = 'Which three novels about the sea would you recommend to somebody who has never seen it, and why?'
const WEATHER = {
  name: 'get_weather',
  description: 'The weather at a place.',
  schema: { type: 'object' as const, properties: { place: { type: 'string', description: 'A town.' } } },
}
const UPSTREAMS = TEXT_DIALECT_IDS.map((id) => [id])
/** The sandbox bills a token for four bytes. */
const billed = (...texts: string[]) => Math.ceil(Buffer.byteLength(texts.join('')) / 4)

describe.each(UPSTREAMS)('over %s', (upstream) => {
  const model = `over-${upstream}`
  const isAsked = upstream !== 'chat'

  test('the Anthropic SDK: messages.countTokens', async () => {
    const client = new Anthropic({ apiKey: account.secret, baseURL: gateway.url, maxRetries: 0 })
    const messages = [{ role: 'user' as const, content: QUESTION }]
    const { input_tokens: plain } = await client.messages.countTokens({ model, messages })
    const { input_tokens: all } = await client.messages.countTokens({
      model,
      messages,
      system: SYSTEM,
      tools: [{ name: WEATHER.name, description: WEATHER.description, input_schema: WEATHER.schema }],
    })
    if (isAsked) expect(plain).toBe(billed(QUESTION))
    else expect(plain).toBe(o200k(QUESTION) + 7)
    expect(all - plain).toBeGreaterThan(o200k(SYSTEM) + o200k(JSON.stringify(WEATHER.schema)) * 0.8)
  })

  test('the Google SDK: models.countTokens', async () => {
    const client = new GoogleGenAI({ apiKey: account.secret, httpOptions: { baseUrl: gateway.url } })
    const { totalTokens } = await client.models.countTokens({ model, contents: QUESTION })
    expect(totalTokens).toBe(isAsked ? billed(QUESTION) : o200k(QUESTION) + 7)
  })

  test('the OpenAI SDK: responses.inputTokens.count', async () => {
    const client = new OpenAI({ apiKey: account.secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const counted = await client.responses.inputTokens.count({ model, input: QUESTION, instructions: SYSTEM })
    const tokens = isAsked ? billed(SYSTEM, QUESTION) : o200k(SYSTEM) + o200k(QUESTION) + 11
    expect({ ...counted }).toMatchObject({ object: 'response.input_tokens', input_tokens: tokens })
  })
})

describe.each(UPSTREAMS.filter(([id]) => id !== 'chat'))('over %s, which counts', (upstream) => {
  const model = `over-${upstream}`

  test('a count says what the same request is billed', async () => {
    const client = new Anthropic({ apiKey: account.secret, baseURL: gateway.url, maxRetries: 0 })
    const asked = {
      model,
      system: SYSTEM,
      messages: [{ role: 'user' as const, content: QUESTION }],
      tools: [{ name: WEATHER.name, description: WEATHER.description, input_schema: WEATHER.schema }],
    }
    const { input_tokens } = await client.messages.countTokens(asked)
    const { usage } = await client.messages.create({ ...asked, max_tokens: 100 })
    expect(input_tokens).toBe(usage.input_tokens)
  })
})

test('a whole request can be counted in the generate-content protocol', async () => {
  const count = async (body: object) => {
    const response = await fetch(`${gateway.url}/v1beta/models/over-generate-content:countTokens`, {
      method: 'POST',
      headers: { 'x-goog-api-key': account.secret, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.headers.get('x-trivium-token-count')).toBe('upstream')
    return ((await response.json()) as { totalTokens: number }).totalTokens
  }
  const contents = [{ role: 'user', parts: [{ text: QUESTION }] }]
  const systemInstruction = { parts: [{ text: SYSTEM }] }
  const whole = { model: 'models/over-generate-content', contents, systemInstruction }
  expect(await count({ contents })).toBe(billed(QUESTION))
  expect(await count({ generateContentRequest: whole })).toBe(billed(QUESTION, SYSTEM))
  expect(await count({ contents, systemInstruction })).toBe(billed(QUESTION, SYSTEM))
})

test('nothing is charged, and no usage is recorded', async () => {
  const counting = await newKey(gateway, '1')
  const client = new Anthropic({ apiKey: counting.secret, baseURL: gateway.url, maxRetries: 0 })
  for (const upstream of TEXT_DIALECT_IDS)
    await client.messages.countTokens({ model: `over-${upstream}`, messages: [{ role: 'user', content: QUESTION }] })
  expect(await counting.rows()).toEqual([])
  expect(await counting.account()).toMatchObject({ held_usd: '0.00', balance_usd: '1.00' })
})

test('an account without a balance may count', async () => {
  const { secret } = await newKey(gateway, '0')
  const client = new Anthropic({ apiKey: secret, baseURL: gateway.url, maxRetries: 0 })
  const asked = { model: 'over-messages', messages: [{ role: 'user' as const, content: QUESTION }] }
  expect((await client.messages.countTokens(asked)).input_tokens).toBe(billed(QUESTION))
})
