// A chain is held and limited by all that it sends, and its answer is charged whatever becomes of its storage.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import type OpenAI from 'openai'
import { eventually } from '../support/eventually.ts'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { newHome } from '../support/gateway/home.ts'
import { startFlakyProxy } from '../support/postgres/flaky-proxy.ts'
import { BASE_PATH } from '../support/requests/dialect-calls.ts'
import { openaiAt, respondTo, spoken } from '../support/sdk/chained.ts'
import { configOfDialects } from '../support/upstreams/recorded-upstream.ts'
import { type RecordingSandbox, startRecordingSandbox } from '../support/upstreams/recording-sandbox.ts'

let upstream: RecordingSandbox
let gateway: Gateway
const PRICE = 'price: { input: 1, output: 4 }'
function config(more = ''): string {
  const upstreams = TEXT_DIALECT_IDS.map(
    (id) =>
      `  - { id: ${id}, dialect: ${id}, base_url: "${upstream.origin}${BASE_PATH[id]}", keys: [k], breaker: false }`,
  )
  const images = `  - { id: images, dialect: images, base_url: "${upstream.origin}/v1", keys: [k], breaker: false }`
  return `${more}
upstreams:\n${upstreams.join('\n')}\n${images}
tools: { image_generation: { model: img } }
models:
  - { id: paid, routes: [{ upstream: chat, model: sandbox-text }], ${PRICE} }
  - { id: spare, routes: [{ upstream: responses, model: sandbox-text, priority: 1 }, { upstream: messages, model: sandbox-text, priority: 2 }], ${PRICE} }
  - { id: img, type: image, routes: [{ upstream: images, model: sandbox-image }], price: { per_image: 0.01 } }
`
}
beforeAll(async () => {
  upstream = startRecordingSandbox()
  gateway = await startGateway({ config: config() })
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  expect(gateway.output().stderr).not.toMatch(/"level":"error"/)
  await gateway.stop()
  upstream.stop()
})

const failing = (promise: PromiseLike<unknown>): Promise<unknown> => Promise.resolve(promise).catch((error) => error)
const LONG = 'word '.repeat(20_000)
const BRIEF = { model: 'paid', max_output_tokens: 20 }

/** A response with a long history, and the client of its account. */
async function longChain(credit: string, more: Record<string, string> = {}) {
  const account = await newKey(gateway, credit, more)
  const client = openaiAt(gateway.url, account.secret)
  const first = await respondTo(client, false, { ...BRIEF, input: `${LONG} Say 2 words.` })
  return { ...account, client, first }
}

describe('the expanded chain', () => {
  test('is held: a history that exceeds the balance is 402, and nothing is sent', async () => {
    const { client, first, account } = await longChain('0.14')
    const { balance_usd } = await account()
    const before = upstream.asked.length
    const again = { ...BRIEF, input: 'And?' }
    let [error, previous]: [unknown, string] = [undefined, first.id]
    for (let turn = 0; turn < 8 && !(error instanceof Error); turn++) {
      const next = await failing(respondTo(client, false, { ...again, previous_response_id: previous }))
      if (next instanceof Error) error = next
      else previous = (next as { id: string }).id
    }
    expect(error).toMatchObject({ status: 402 })
    expect(upstream.asked.length - before).toBeLessThan(8)
    expect(Number((await account()).balance_usd)).toBeLessThan(Number(balance_usd))
    // The same words without the history are affordable.
    expect(await respondTo(client, false, again)).toMatchObject({ previous_response_id: null, store: true })
  })

  test('is charged as what it sends', async () => {
    const { client, first, settled } = await longChain('10')
    await respondTo(client, false, { ...BRIEF, input: 'And?', previous_response_id: first.id })
    const rows = await settled()
    const inputs = rows.map(({ receipt }) => receipt?.units.input ?? 0)
    expect(inputs).toHaveLength(2)
    expect(Math.abs((inputs[0] ?? 0) - (inputs[1] ?? 0))).toBeLessThan(100)
    expect(inputs[0]).toBeGreaterThan(20_000)
  })

  test('counts against tokens per minute', async () => {
    const { client, first } = await longChain('10', { tpm: '40000' })
    const error = await failing(respondTo(client, false, { ...BRIEF, input: 'And?', previous_response_id: first.id }))
    expect(error).toMatchObject({ status: 429 })
  })
})

test.each([
  [false],
  [true],
])('goes on at an upstream of another dialect after a failure, streamed: %p', async (streamed) => {
  const client = openaiAt(gateway.url, (await newKey(gateway, '10')).secret)
  const first = await respondTo(client, streamed, { model: 'spare', input: 'Think 4 words. Say 2 words.' })
  upstream.intercept((path) =>
    path.endsWith('/responses') ? Response.json({ error: { message: 'no' } }, { status: 503 }) : undefined,
  )
  const second = await respondTo(client, streamed, { model: 'spare', input: 'And?', previous_response_id: first.id })
  upstream.intercept(undefined)
  expect(upstream.asked.at(-1)?.path).toEndWith('/messages')
  const history = ['user: Think 4 words. Say 2 words.', `assistant: ${first.output_text}`, 'user: And?']
  expect(spoken('messages', upstream.last())).toEqual(history)
  expect(second).toMatchObject({ store: true, previous_response_id: first.id })
  await respondTo(client, streamed, { model: 'spare', input: 'Then?', previous_response_id: second.id })
  expect(spoken('responses', upstream.last())).toEqual([...history, `assistant: ${second.output_text}`, 'user: Then?'])
})

test.each([
  [false],
  [true],
])('a response with images of the gateway can be continued, streamed: %p', async (streamed) => {
  const client = openaiAt(gateway.url, (await newKey(gateway, '10')).secret)
  const tools: OpenAI.Responses.Tool[] = [{ type: 'image_generation' }]
  const first = await respondTo(client, streamed, { model: 'paid', input: 'Draw a lighthouse.', tools })
  expect(first.output.map(({ type }) => type)).toContain('image_generation_call')
  expect(first.store).toBe(true)
  const second = await respondTo(client, streamed, {
    model: 'paid',
    input: 'Say 2 words.',
    previous_response_id: first.id,
  })
  expect(second).toMatchObject({ status: 'completed', previous_response_id: first.id })
  expect(spoken('chat', upstream.last())[0]).toBe('user: Draw a lighthouse.')
  const imagesIn = (items: readonly { type?: string }[]) => items.filter(({ type }) => type === 'image_generation_call')
  const made = imagesIn(first.output)
  expect(made).toMatchObject([{ status: 'completed', result: expect.stringMatching(/^[\w+/]{4096}/) }])
  expect(imagesIn((await client.responses.retrieve(first.id)).output)).toEqual(made)
  const { data } = await client.responses.inputItems.list(second.id, { order: 'asc' })
  expect(imagesIn(data as { type?: string }[])).toEqual(made)
  // Not in the database.
  expect(readdirSync(join(gateway.home.dataDir, 'media'), { recursive: true }).length).toBeGreaterThan(0)
})

test('retention.responses: off stores nothing, and says so', async () => {
  const off = await startGateway({
    config: `retention: { responses: off }\n${configOfDialects(upstream.origin, 'sandbox-text')}`,
  })
  try {
    const client = openaiAt(off.url, (await newKey(off, '10')).secret)
    for (const model of ['over-chat', 'over-responses']) {
      for (const streamed of [false, true]) {
        const first = await respondTo(client, streamed, { model, input: 'Say 2 words.' })
        expect(first.store).toBe(false)
        const error = await failing(
          respondTo(client, streamed, { model, input: 'And?', previous_response_id: first.id }),
        )
        expect(error).toMatchObject({ status: 400, param: 'previous_response_id' })
        expect(String(error)).toContain('stores no responses')
        expect(await failing(client.responses.retrieve(first.id))).toMatchObject({ status: 404 })
      }
    }
  } finally {
    await off.stop()
  }
})

test.each([
  [false],
  [true],
])('a store that is unavailable: charged, and the response says store: false, streamed: %p', async (streamed) => {
  const home = await newHome('postgres', config())
  const direct = new URL(home.databaseUrl ?? '')
  const proxy = startFlakyProxy({ hostname: direct.hostname, port: Number(direct.port) })
  const through = new URL(direct)
  through.hostname = '127.0.0.1'
  through.port = String(proxy.port)
  const node = await startGateway({ home: { ...home, databaseUrl: through.href } })
  try {
    const account = await newKey({ home }, '10')
    const client = openaiAt(node.url, account.secret)
    const first = await respondTo(client, streamed, { model: 'paid', input: 'Say 2 words.' })
    // The store goes away while the model answers.
    upstream.intercept(() => {
      proxy.mode = 'frozen'
      proxy.cut()
      return undefined
    })
    const last = await respondTo(
      client,
      streamed,
      {
        model: 'paid',
        input: 'Say 3 words.',
        previous_response_id: first.id,
      },
      true,
    )
    upstream.intercept(undefined)
    expect(last).toMatchObject({ status: 'completed', store: false, previous_response_id: first.id })
    proxy.mode = 'open'
    proxy.cut()
    await eventually(async () => (await account.rows()).every(({ outcome }) => outcome !== 'running'))
    expect((await account.rows()).map(({ outcome }) => outcome)).toEqual(['completed', 'completed'])
    await eventually(async () => (await failing(client.responses.retrieve(first.id))) instanceof Error === false)
    expect(await failing(client.responses.retrieve(last.id))).toMatchObject({ status: 404 })
  } finally {
    upstream.intercept(undefined)
    proxy.mode = 'open'
    await node.stop()
    proxy.stop()
  }
})
