// What a request holds and pays when its first upstream fails: a more expensive model, a lower cap than requested,
// accounts with limits, and clients that disconnect.
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, receiptOf, startGateway } from '../support/gateway/gateway.ts'
import { openClient, requestReceived } from '../support/requests/client.ts'
import {
  type Behaviour,
  DONE,
  event,
  finish,
  reply,
  respondAsRequested,
  respondWith,
  respondWithError,
  role,
  startUpstream,
  stream,
  type Upstream,
  usage,
} from '../support/upstreams/raw-upstream.ts'

let one: Upstream
let two: Upstream
let gateway: Gateway

const PRICE = 'price: { input: 1, output: 4 }'

beforeAll(async () => {
  ;[one, two] = [await startUpstream(respondAsRequested), await startUpstream(respondAsRequested)]
  const entry = (id: string, { url }: Upstream) =>
    `  - { id: ${id}, dialect: chat, base_url: "${url}", keys: ["key-of-${id}"], breaker: false }`
  gateway = await startGateway({
    config: `
upstreams:
${entry('one', one)}
${entry('two', two)}
${entry('spare', two)}
  - { id: translated, dialect: messages, base_url: "${one.url.replace('/v1', '')}", keys: [k], breaker: false }
models:
  - { id: mixed, routes: [{ upstream: translated }, { upstream: two, priority: 2 }], price: { input: 1, output: 4, tiers: { priority: 2 } } }
  - { id: same, routes: [{ upstream: two }], ${PRICE} }
  - { id: expensive, routes: [{ upstream: two }], price: { input: 10, output: 40 } }
  - { id: too-expensive, routes: [{ upstream: two }], price: { input: 1000, output: 4000 } }
  - { id: either, routes: [{ upstream: one }], fallbacks: [too-expensive, same], ${PRICE} }
  - { id: careful, routes: [{ upstream: one }], fallbacks: [expensive], ${PRICE} }
  - { id: twin, routes: [{ upstream: one }], fallbacks: [same], ${PRICE} }
  - { id: cheap, routes: [{ upstream: two }], price: { input: 0.1, output: 0.4 } }
  - { id: lavish, routes: [{ upstream: one }], fallbacks: [cheap], ${PRICE} }
  - { id: free, routes: [{ upstream: spare }], price: { input: 0, output: 0 } }
`,
  })
})
afterAll(async () => {
  await gateway.stop()
  one.stop()
  two.stop()
})
afterEach(() => {
  for (const upstream of [one, two]) upstream.behave(respondAsRequested)
})

/** Some 12,000 tokens. */
const long = stream(
  role(),
  ...Array.from({ length: 60 }, () => event('word '.repeat(200))),
  finish(),
  usage({ prompt_tokens: 10, completion_tokens: 12_000, total_tokens: 12_010 }),
  DONE,
)
const asking = (model: string, streamed: boolean, more: object = {}) => ({
  model,
  stream: streamed,
  messages: [{ role: 'user', content: 'hi' }],
  ...more,
})

type Receipt = {
  outcome: string
  cost_usd: string
  held_usd: string
  shortfall_usd: string
  answered_by?: string
  warnings: string[]
}

async function ask(key: { secret: string }, body: object) {
  const response = await chat(gateway.url, key.secret, body)
  await response.text()
  const { status, headers } = response
  return { status, headers, receipt: await receiptOf<Receipt>(gateway.url, key.secret, response) }
}

test('a fallback that is too expensive does not keep the next one from extending its hold', async () => {
  const key = await newKey(gateway, '0.075')
  one.behave(respondWithError(503))
  two.behave(long)
  const { status, receipt } = await ask(key, asking('either', true))
  expect(status).toBe(200)
  expect(receipt).toMatchObject({ outcome: 'completed', answered_by: 'same', cost_usd: '0.04801' })
})

test.each([
  true,
  false,
])('an exhausted rate limit does not delay requests for a more expensive model (streamed: %p)', async (streamed) => {
  const key = await newKey(gateway, '1', { tpm: '2000' })
  let isAsked = false
  one.behave(async (socket, request) => {
    isAsked = true
    // Until the usage of the other request is in the ledger.
    while (!(await key.rows()).some(({ outcome }) => outcome === 'completed')) await Bun.sleep(5)
    return respondWithError(503)(socket, request)
  })
  two.behave(respondWith(reply({ usage: { prompt_tokens: 10, completion_tokens: 9_000, total_tokens: 9_010 } })))
  const waiting = ask(key, asking('careful', streamed, { max_tokens: 100 }))
  while (!isAsked) await Bun.sleep(5)
  expect((await ask(key, asking('free', false, { max_tokens: 100 }))).status).toBe(200)
  expect((await waiting).receipt).toMatchObject({ outcome: 'failed', cost_usd: '0.00' })
})

const LOWERED = 'max_tokens;lowered-to-balance'

test.each([
  ['as expensive', 'twin', 'same', 400, [LOWERED]],
  ['more expensive', 'careful', 'expensive', 16, [LOWERED]],
  ['cheaper', 'lavish', 'cheap', 4_000, []],
])('a fallback that is %s gives as much output as the balance allows', async (_, model, by, least, lowering) => {
  const key = await newKey(gateway, '0.002')
  one.behave(respondWithError(503))
  const { status, headers, receipt } = await ask(key, asking(model, false, { max_tokens: 4_000 }))
  const { max_tokens } = JSON.parse(two.last().body.toString())
  expect([status, receipt.answered_by]).toEqual([200, by])
  expect(max_tokens).toBeGreaterThanOrEqual(least)
  expect(max_tokens < 4_000).toBe(lowering.length > 0)
  const expectedWarnings = [`model;answered-by-${by}`, ...lowering]
  expect(receipt).toMatchObject({ shortfall_usd: '0.00', warnings: expectedWarnings })
  expect(headers.get('x-trivium-warnings')).toBe(expectedWarnings.join(', '))
})

test.each([
  true,
  false,
])('the hold covers a tier that only the second upstream accepts (streamed: %p)', async (streamed) => {
  one.behave(respondWithError(503))
  const asked = asking('mixed', streamed, { max_tokens: 1_000, service_tier: 'priority' })
  const { receipt } = await ask(await newKey(gateway, '1'), asked)
  expect(receipt).toMatchObject({ tier: 'priority', cost_usd: '0.00018', warnings: [] })
  // Twice 16 or 1,000 tokens of output, at least.
  expect(Number(receipt.held_usd)).toBeGreaterThan(streamed ? 0.000128 : 0.008)
})

const busy: Behaviour = (socket, request) => {
  const error = { error: { message: 'busy', code: 'server_is_overloaded' } }
  const { stream: streamed } = JSON.parse(request.body.toString())
  return (streamed ? stream(role(), `data: ${JSON.stringify(error)}\n\n`) : respondWith(error))(socket, request)
}

test.each(
  [true, false].flatMap((streamed) => [respondWithError(503), busy].map((failure) => [streamed, failure] as const)),
)('warnings name the attempt that succeeded, and no other (streamed: %p)', async (streamed, failure) => {
  const key = await newKey(gateway, '1')
  one.behave(failure)
  const careful = await ask(key, asking('careful', streamed, { max_tokens: 100 }))
  expect(careful.receipt.warnings).toEqual(['model;answered-by-expensive'])
  expect(careful.headers.get('x-trivium-warnings')).toBe('model;answered-by-expensive')
  // The first upstream's protocol has no such field.
  const mixed = await ask(key, asking('mixed', streamed, { max_tokens: 100, service_tier: 'priority' }))
  expect(mixed.receipt.warnings).toEqual([])
  expect(mixed.headers.get('x-trivium-warnings')).toBeNull()
})

test('a cap that only the first upstream was sent does not limit the hold of the second', async () => {
  const key = await newKey(gateway, '0.1')
  one.behave(respondWithError(503))
  const words = Array.from({ length: 300 }, () => event('word '.repeat(400)))
  two.behave(stream(role(), ...words, finish(), usage({ prompt_tokens: 10, completion_tokens: 120_000 }), DONE))
  const { receipt } = await ask(key, asking('mixed', true))
  expect(receipt).toMatchObject({ outcome: 'stopped_by_balance', cost_usd: '0.10' })
  // One event beyond the hold, at the most.
  expect(Number(receipt.shortfall_usd)).toBeLessThan(0.002)
})

test.each(
  [true, false].flatMap((streamed) => [respondWithError(503), busy].map((failure) => [streamed, failure] as const)),
)('a disconnect before the headers of the second upstream is free (streamed: %p)', async (streamed, failure) => {
  const key = await newKey(gateway, '1')
  one.behave(failure)
  two.behave(() => {})
  const before = two.received.length
  const { disconnect } = await openClient(gateway.url, key.secret, asking('careful', streamed))
  await requestReceived(two, before)
  disconnect()
  await two.connectionClosed()
  expect(await key.settled()).toMatchObject([{ outcome: 'client_disconnected', cost_usd: '0.00' }])
})

test('the audit finds no error', async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
})
