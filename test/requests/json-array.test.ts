// The stream of generate-content as one JSON array (alt=json), over each upstream: whatever its outcome, the body is one
// valid array with the same content as the events.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { GenerateContentResponse } from '@google/genai'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { audit, cost, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { CLIENTS, callIn, errorIn, sandboxConfig } from '../support/requests/dialect-calls.ts'
import { type Answer, addGenerated, answerOf, nothing } from '../support/sdk/answer.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ config: sandboxConfig() })
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  expect(gateway.output().stderr).not.toMatch(/"level":"error"/)
  await gateway.stop()
})

const AFTER: Record<TextDialectId, number> = { chat: 4, responses: 7, messages: 5, 'generate-content': 3 }

async function ask(model: string, more: { prompt?: string; credit?: string; alt?: string } = {}) {
  const { secret, settled } = await newKey(gateway, more.credit)
  const config = { generationConfig: { maxOutputTokens: 1_000_000 } }
  const calling = {
    alt: 'json',
    more: config,
    prompt: 'Think 5 words. Then tell of 北京 "🙂"',
    ...more,
    model,
    streamed: true,
  }
  const response = await callIn('generate-content', gateway.url, secret, calling)
  return { response, text: await response.text(), settled }
}

function answerIn(chunks: readonly GenerateContentResponse[]): Answer {
  const pieces = nothing()
  for (const chunk of chunks) addGenerated(pieces, chunk)
  return answerOf(pieces)
}

const eventsIn = (text: string): GenerateContentResponse[] =>
  text.split('\n').flatMap((line) => (line.startsWith('data:') ? [JSON.parse(line.slice(5))] : []))

describe.each(CLIENTS)('over %s', (upstream) => {
  const model = `over-${upstream}`

  test('a complete response, the same as in events', async () => {
    const { response, text, settled } = await ask(model)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    const answer = answerIn(JSON.parse(text) as GenerateContentResponse[])
    expect(answer).toEqual(answerIn(eventsIn((await ask(model, { alt: 'sse' })).text)))
    const [row] = await settled()
    const { input = -1, output = -1 } = answer.usage ?? {}
    expect(row).toMatchObject({ outcome: 'completed', cost_usd: cost(input, output) })
  })

  test.each([
    ['a hundred small pieces', 'say 100 words'],
    ['nothing but a filter', 'be filtered'],
    ['a refusal', 'refuse'],
  ])('%s', async (_, prompt) => {
    const { text } = await ask(model, { prompt })
    const chunks = JSON.parse(text) as GenerateContentResponse[]
    expect(answerIn(chunks)).toEqual(answerIn(eventsIn((await ask(model, { prompt, alt: 'sse' })).text)))
  })

  test.each([
    ['error-event', 'failed'],
    ['garbage', 'failed'],
    ['cut', 'cut'],
    ['end', 'cut'],
  ])('%s in the middle: the error is the last element', async (fault, outcome) => {
    const { response, text, settled } = await ask(`${model}:${fault}=${AFTER[upstream]}`)
    expect(response.status).toBe(200)
    const elements = JSON.parse(text) as GenerateContentResponse[]
    expect(elements.length).toBeGreaterThan(1)
    expect(answerIn(elements.slice(0, -1)).reasoning + answerIn(elements.slice(0, -1)).text).toContain('[sandbox]')
    errorIn('generate-content', elements.at(-1))
    expect(await settled()).toMatchObject([{ outcome, receipt: { counted: 'usage was missing' } }])
  })

  test('an error before any output is a status', async () => {
    const { response, text } = await ask(`${model}:status=500`)
    expect(response.status).toBe(502)
    expect(errorIn('generate-content', JSON.parse(text)).type).toBe('UNAVAILABLE')
  })

  test('stopped by the balance: a complete array with finish reason MAX_TOKENS', async () => {
    const { text, settled } = await ask(model, { prompt: 'say 100000 words, pace 0 ms', credit: '0.02' })
    const { finish, usage } = answerIn(JSON.parse(text) as GenerateContentResponse[])
    const [row] = await settled()
    expect([finish, row?.outcome]).toEqual(['length', 'stopped_by_balance'])
    expect(usage).toMatchObject({ input: row?.receipt?.units.input, output: row?.receipt?.units.output })
  })

  test.each([
    ['comments'],
    ['crlf'],
    ['no-space'],
    ['drip=0'],
    ['split-utf8'],
    ['duplicate-start'],
    ['no-finish'],
  ])('an upstream with %s', async (fault) => {
    const { response, text } = await ask(`${model}:${fault}`)
    const elements = JSON.parse(text) as GenerateContentResponse[] | object
    // Where no event marks the end of the response, the error may be a status.
    if (response.status !== 200) return errorIn('generate-content', elements)
    expect(answerIn(elements as GenerateContentResponse[]).text).toContain('北京 "🙂"')
  })
})
