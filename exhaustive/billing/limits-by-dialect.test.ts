// Rate limit errors in the four text dialects: the official SDKs throw the class that their users catch, with the wait.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { ApiError, GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { newKey } from '../../test/support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { CLIENTS, callIn, errorIn } from '../../test/support/requests/dialect-calls.ts'

const MODEL = 'sandbox-text'
const PROMPT = [{ role: 'user' as const, content: 'Hello.' }]

let gateway: Gateway
/** A key whose one request of this minute is used up. */
let usedUp: string
beforeAll(async () => {
  gateway = await startGateway()
  usedUp = (await newKey(gateway, '10', { rpm: '1' })).secret
  expect((await chat(gateway.url, usedUp, { model: MODEL, messages: PROMPT })).status).toBe(200)
})
afterAll(() => gateway.stop())

async function thrownBy(call: () => PromiseLike<unknown>): Promise<unknown> {
  try {
    await call()
  } catch (thrown) {
    return thrown
  }
  throw new Error('the SDK did not throw')
}

const SAYS = 'This key has reached its limit of 1 requests per minute. Retry in'

describe.each([false, true])('streamed: %p', (stream) => {
  test('the OpenAI SDK, chat and responses', async () => {
    const client = new OpenAI({ apiKey: usedUp, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    for (const call of [
      () => client.chat.completions.create({ model: MODEL, messages: PROMPT, stream }),
      () => client.responses.create({ model: MODEL, input: 'Hello.', stream }),
    ]) {
      const error = (await thrownBy(call)) as InstanceType<typeof OpenAI.RateLimitError>
      expect(error).toBeInstanceOf(OpenAI.RateLimitError)
      expect(error.message).toContain(SAYS)
      expect(error).toMatchObject({ code: 'rate_limit_exceeded', type: 'rate_limit_error' })
      expect(error.headers.get('x-ratelimit-limit-requests')).toBe('1')
    }
  })

  test('the Anthropic SDK', async () => {
    const client = new Anthropic({ apiKey: usedUp, baseURL: gateway.url, maxRetries: 0 })
    const call = () => client.messages.create({ model: MODEL, max_tokens: 100, messages: PROMPT, stream })
    const error = (await thrownBy(call)) as InstanceType<typeof Anthropic.RateLimitError>
    expect(error).toBeInstanceOf(Anthropic.RateLimitError)
    expect(error.message).toContain(SAYS)
    expect(error.headers?.get('anthropic-ratelimit-requests-limit')).toBe('1')
    expect(error.headers?.get('anthropic-ratelimit-requests-remaining')).toBe('0')
    const reset = error.headers?.get('anthropic-ratelimit-requests-reset') ?? ''
    expect(reset).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(Date.parse(reset)).toBeGreaterThan(Date.now() - 60_000)
  })

  test('the Google SDK', async () => {
    const client = new GoogleGenAI({ apiKey: usedUp, httpOptions: { baseUrl: gateway.url } })
    const request = { model: MODEL, contents: 'Hello.' }
    const error = (await thrownBy(() =>
      stream ? client.models.generateContentStream(request) : client.models.generateContent(request),
    )) as ApiError
    expect(error).toBeInstanceOf(ApiError)
    expect(error.status).toBe(429)
    const { error: said } = JSON.parse(error.message) as { error: { status: string; details: object[] } }
    expect(said.status).toBe('RESOURCE_EXHAUSTED')
    expect(said.details).toEqual([
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: expect.stringMatching(/^\d+s$/) },
    ])
  })
})

test.each(CLIENTS)('%s: the headers carry retry-after, too', async (dialect) => {
  const response = await callIn(dialect, gateway.url, usedUp, { model: MODEL })
  expect(response.status).toBe(429)
  const seconds = Number(response.headers.get('retry-after'))
  expect(Number.isInteger(seconds) && seconds >= 1 && seconds <= 61).toBe(true)
  expect(Number(response.headers.get('retry-after-ms'))).toBeGreaterThan(0)
  expect(errorIn(dialect, await response.json()).message).toStartWith(SAYS)
})

test.each(CLIENTS)('%s: an exhausted cap that renews is 402, and not to be retried', async (dialect) => {
  const { secret } = await newKey(gateway, '10', { cap: '0.000001', 'cap-period': 'month' })
  const response = await callIn(dialect, gateway.url, secret, { model: MODEL })
  expect(response.status).toBe(402)
  expect(response.headers.get('x-should-retry')).toBe('false')
  const { message } = errorIn(dialect, await response.json())
  expect(message).toMatch(
    /cap of 0\.000001 USD per month\. Available: .*needs at least .* It resets at \d{4}-\d\d-01T00:00:00Z\.$/,
  )
})

test.each(CLIENTS)('%s: an IP address that the key does not allow', async (dialect) => {
  const elsewhere = await newKey(gateway, '10', { ips: '203.0.113.7' })
  const rejected = await callIn(dialect, gateway.url, elsewhere.secret, { model: MODEL })
  expect(rejected.status).toBe(403)
  expect(errorIn(dialect, await rejected.json()).message).toContain('may not be used from 127.0.0.1')
})
