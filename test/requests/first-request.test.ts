// From the first start to the ledger, on both engines.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, startGateway, type UsageEntry } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'

describe.each(ENGINES)('the first request on %s', (engine) => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway({ engine })
  })
  afterAll(() => gateway.stop())

  test('the first start prints a key that works, and the request is in the ledger at its cost', async () => {
    const secret = gateway.firstKey ?? ''
    const answer = await chat(gateway.url, secret, {
      model: 'sandbox-text',
      messages: [{ role: 'user', content: 'Hello' }],
    })
    expect(answer.status).toBe(200)
    const body = (await answer.json()) as {
      choices: { message: { content: string } }[]
      usage: { prompt_tokens: number; completion_tokens: number }
    }
    expect(body.choices[0]?.message.content).toStartWith('[sandbox]')
    const [row] = await gateway.command<UsageEntry[]>('usage', '--account', 'newcomer@trivium.local')
    const nanos = body.usage.prompt_tokens * 1_000 + body.usage.completion_tokens * 4_000
    expect(row).toMatchObject({
      request_id: answer.headers.get('x-request-id'),
      model: 'sandbox-text',
      outcome: 'completed',
      cost_usd: (nanos / 1e9).toFixed(9).replace(/0{1,7}$/, ''),
    })
    expect(await gateway.command<{ ok: boolean }>('audit')).toMatchObject({ ok: true, open_holds: 0 })
  })

  test('the official SDK gets the same text streamed and not', async () => {
    const { secret } = await newKey(gateway)
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 })
    const request = { model: 'sandbox-text', messages: [{ role: 'user' as const, content: 'Say something 北京 🙂' }] }
    const unary = await client.chat.completions.create(request)
    const stream = await client.chat.completions.create({ ...request, stream: true })
    let text = ''
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      expect(chunk.usage ?? null).toBeNull()
    }
    expect(text).toBe(unary.choices[0]?.message.content ?? '')
  })
})
