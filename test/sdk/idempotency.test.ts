// Idempotency keys with the official SDKs: none sends one by default, all send a given one, also in retries.
import { beforeEach, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { cost, newKey } from '../support/gateway/accounts.ts'
import { startGatewayOverUpstream } from '../support/gateway/gateway-over-upstream.ts'
import { DONE, event, finish, head, reply, respondWith, stream, usage } from '../support/upstreams/raw-upstream.ts'

const { upstream, gateway } = await startGatewayOverUpstream()
/** The key of each request that the SDKs sent, or null. */
let sent: (string | null)[] = []
beforeEach(() => {
  sent = []
  upstream.behave(respondWith(reply()))
})

const watching = (async (...[input, init]: Parameters<typeof fetch>) => {
  sent.push(new Headers(init?.headers).get('idempotency-key'))
  return fetch(input, init)
}) as typeof fetch

type Options = { key?: string; timeout?: number; streamed?: boolean }
type Call = (secret: string, options?: Options) => Promise<string>

const text = (chunks: (string | null | undefined)[]) => chunks.map((chunk) => chunk ?? '').join('')
const headersFor = ({ key }: Options) => (key === undefined ? {} : { 'Idempotency-Key': key })
const MESSAGES = [{ role: 'user' as const, content: 'Tell me something.' }]

const openai = (secret: string) => new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, fetch: watching })
const requestOptions = (options: Options) => ({
  headers: headersFor(options),
  ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
})

const CALLS: [string, Call][] = [
  [
    'OpenAI, chat',
    async (secret, options = {}) => {
      const body = { model: 'renamed', messages: MESSAGES }
      const { completions } = openai(secret).chat
      if (options.streamed) {
        const chunks: (string | null | undefined)[] = []
        const events = await completions.create({ ...body, stream: true }, requestOptions(options))
        for await (const chunk of events) chunks.push(chunk.choices[0]?.delta.content)
        return text(chunks)
      }
      return text([(await completions.create(body, requestOptions(options))).choices[0]?.message.content])
    },
  ],
  [
    'OpenAI, responses',
    async (secret, options = {}) => {
      const body = { model: 'renamed', input: 'Tell me something.' }
      const { responses } = openai(secret)
      if (options.streamed) {
        const chunks: string[] = []
        const events = await responses.create({ ...body, stream: true }, requestOptions(options))
        for await (const chunk of events) if (chunk.type === 'response.output_text.delta') chunks.push(chunk.delta)
        return text(chunks)
      }
      return (await responses.create(body, requestOptions(options))).output_text
    },
  ],
  [
    'Anthropic',
    async (secret, options = {}) => {
      const client = new Anthropic({ apiKey: secret, baseURL: gateway.url, fetch: watching })
      const body = { model: 'renamed', max_tokens: 100, messages: MESSAGES }
      if (options.streamed) return await client.messages.stream(body, requestOptions(options)).finalText()
      const { content } = await client.messages.create(body, requestOptions(options))
      return text(content.map((block) => (block.type === 'text' ? block.text : '')))
    },
  ],
]

describe.each(CALLS)('%s', (_, call) => {
  test('sends no key by default', async () => {
    const { secret, settled } = await newKey(gateway)
    await call(secret)
    await call(secret)
    expect(sent).toEqual([null, null])
    expect(await settled()).toHaveLength(2)
  })

  test('reads a replayed response like the first', async () => {
    const { secret, settled } = await newKey(gateway)
    expect([await call(secret, { key: 'k' }), await call(secret, { key: 'k' })]).toEqual([
      'Hello there.',
      'Hello there.',
    ])
    expect(await settled()).toMatchObject([{ cost_usd: cost(10, 20) }])
  })

  test('times out, retries, and gets the one response that was charged', async () => {
    const { secret, settled } = await newKey(gateway)
    const bytes = Buffer.from(JSON.stringify(reply()))
    upstream.behave(async (socket) => {
      socket.write(head(200, bytes.length))
      await Bun.sleep(1_500)
      socket.write(bytes)
    })
    const before = upstream.received.length
    expect(await call(secret, { key: 'impatient', timeout: 600 })).toBe('Hello there.')
    expect(sent.length).toBeGreaterThan(1)
    expect(new Set(sent)).toEqual(new Set(['impatient']))
    expect(upstream.received.length).toBe(before + 1)
    expect(await settled()).toMatchObject([{ outcome: 'client_disconnected', cost_usd: cost(10, 20) }])
  })

  test('gets a conflict for a completed stream, and does not retry', async () => {
    const { secret, settled } = await newKey(gateway)
    upstream.behave(stream(event('Hello there.'), finish(), usage(), DONE))
    expect(await call(secret, { key: 's', streamed: true })).toBe('Hello there.')
    sent = []
    const thrown = await call(secret, { key: 's', streamed: true }).catch((error: unknown) => error)
    expect(thrown instanceof OpenAI.ConflictError || thrown instanceof Anthropic.ConflictError).toBe(true)
    expect(String(thrown)).toContain('has ended')
    expect(sent).toEqual(['s'])
    expect(await settled()).toHaveLength(1)
  })
})

test('Google: the key is sent as a header, and the replayed response reads like the first', async () => {
  const { secret, settled } = await newKey(gateway)
  const httpOptions = { baseUrl: gateway.url, headers: { 'Idempotency-Key': 'k' } }
  const client = new GoogleGenAI({ apiKey: secret, httpOptions })
  const call = async () =>
    (await client.models.generateContent({ model: 'renamed', contents: 'Tell me something.' })).text
  expect([await call(), await call()]).toEqual(['Hello there.', 'Hello there.'])
  expect(await settled()).toHaveLength(1)
})
