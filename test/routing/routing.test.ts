// Several upstreams behind one model: which is called first, which next, and what the caller pays.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, receiptOf, startGateway } from '../support/gateway/gateway.ts'
import {
  type Behaviour,
  event,
  respondAsRequested,
  respondWith,
  respondWithError,
  role,
  startUpstream,
  stream,
  streamWithoutEnd,
  type Upstream,
  usage,
} from '../support/upstreams/raw-upstream.ts'

let one: Upstream
let two: Upstream
let gateway: Gateway
let key: Awaited<ReturnType<typeof newKey>>

const PRICE = 'price: { input: 1, output: 4 }'

beforeAll(async () => {
  ;[one, two] = [await startUpstream(), await startUpstream()]
  const entry = (id: string, { url }: Upstream, more = '') =>
    `  - { id: ${id}, dialect: chat, base_url: "${url}", keys: ["key-of-${id}"], timeouts: { first_byte: 2s, idle: 2s, total: 20s }${more} }`
  gateway = await startGateway({
    config: `
server: { show_upstreams: true }
upstreams:
${entry('one', one, ', breaker: false')}
${entry('two', two, ', breaker: false')}
${entry('alone', one)}
${entry('frail', one)}
${entry('limited', one)}
${entry('dated', one)}
${entry('in-ms', one)}
${entry('narrow', one, ', max_concurrency: 1')}
${entry('few', two, ', max_concurrency: 4')}
${entry('few-by-key', two, ', max_concurrency_per_key: 4')}
  - { id: nowhere, dialect: chat, base_url: "http://127.0.0.1:1/v1", keys: [k], breaker: false }
  - { id: crowd, dialect: chat, base_url: "${one.url}", keys: [crowd-one, crowd-two, crowd-three, crowd-four] }
  - { id: pair, dialect: chat, base_url: "${two.url}", keys: [key-of-pair-one, key-of-pair-two] }
  - { id: house, dialect: chat, base_url: "${one.url}", keys: [house-one, house-two], quota: house }
  - { id: annex, dialect: chat, base_url: "${one.url}", keys: [annex-one], quota: house }
  - { id: tight, dialect: chat, base_url: "${one.url}", keys: [tight-one, tight-two], max_concurrency: 1 }
  - { id: pool, dialect: chat, base_url: "${one.url}", keys: [first-key, second-key, third-key] }
models:
  - { id: both, routes: [{ upstream: one, model: inner-name }, { upstream: two, model: inner-name, priority: 2 }], ${PRICE} }
  - { id: crowded, routes: [{ upstream: one }, { upstream: few, priority: 2 }], ${PRICE} }
  - { id: crowded-by-key, routes: [{ upstream: one }, { upstream: few-by-key, priority: 2 }], ${PRICE} }
  - { id: gone, routes: [{ upstream: nowhere }, { upstream: two, priority: 2 }], ${PRICE} }
  - { id: housed, routes: [{ upstream: house, model: inner }, { upstream: annex, model: inner }, { upstream: two, priority: 2 }], ${PRICE} }
  - { id: dated, routes: [{ upstream: dated }], ${PRICE} }
  - { id: in-ms, routes: [{ upstream: in-ms }], ${PRICE} }
  - { id: alone, routes: [{ upstream: alone }], ${PRICE} }
  - { id: tight, routes: [{ upstream: tight }], ${PRICE} }
  - { id: pooled, routes: [{ upstream: pool }], ${PRICE} }
  - { id: spare, routes: [{ upstream: two, model: inner-name }], price: { input: 10, output: 40 } }
  - { id: many-keys, routes: [{ upstream: crowd, model: first }, { upstream: two, priority: 2 }], ${PRICE} }
  - { id: many-keys-alone, routes: [{ upstream: crowd, model: second }], fallbacks: [spare], ${PRICE} }
  - { id: paired, routes: [{ upstream: pair }], ${PRICE} }
  - { id: doubled, routes: [{ upstream: nowhere }], fallbacks: [paired], ${PRICE} }
  - { id: frail, routes: [{ upstream: frail }], fallbacks: [spare], ${PRICE} }
  - { id: limited, routes: [{ upstream: limited }], fallbacks: [spare], ${PRICE} }
  - { id: narrow, routes: [{ upstream: narrow }], fallbacks: [spare], ${PRICE} }
  - { id: careful, routes: [{ upstream: one, model: inner-name }], fallbacks: [spare], ${PRICE} }
`,
  })
  key = await newKey(gateway, '5')
  for (const upstream of [one, two]) upstream.behave(respondAsRequested)
})
afterAll(async () => {
  await gateway.stop()
  one.stop()
  two.stop()
})
afterEach(() => {
  for (const upstream of [one, two]) upstream.behave(respondAsRequested)
})

async function ask(model: string, streamed: boolean, secret = key.secret) {
  const counts = () => [one.received.length, two.received.length] as const
  const before = counts()
  const body = { model, max_tokens: 100, messages: [{ role: 'user', content: 'hi' }], stream: streamed }
  const response = await chat(gateway.url, secret, body)
  const text = await response.text()
  const after = counts()
  return {
    status: response.status,
    text,
    headers: response.headers,
    asked: [after[0] - before[0], after[1] - before[1]],
    receipt: await receiptOf<Receipt>(gateway.url, secret, response),
  }
}
type Receipt = {
  upstream: string
  outcome: string
  cost_usd: string
  answered_by?: string
  attempts: { upstream: string; model: string; outcome: string }[]
}

const FORMS = [true, false]
const COST = '0.00009'

describe.each(FORMS)('streamed: %p', (streamed) => {
  test.each<[string, Behaviour, string]>([
    ['429', respondWithError(429), '429'],
    ['429 with a time', respondWithError(429, { 'retry-after': '30' }), '429'],
    ['503', respondWithError(503), '503'],
    ['529', respondWithError(529), '529'],
    ['401', respondWithError(401), '401'],
    ['403', respondWithError(403), '403'],
    ['a model that is not there', respondWith({ error: { message: 'no', code: 'model_not_found' } }, 404), '404'],
    [
      'an error within a 200',
      respondWith({ error: { message: 'overloaded', code: 'server_is_overloaded' } }),
      'error: service_unavailable',
    ],
  ])('%s: the next one answers, and the receipt tells of both', async (_, behaviour, outcome) => {
    one.behave(behaviour)
    const { status, text, asked, receipt } = await ask('both', streamed)
    expect([status, asked]).toEqual([200, [1, 1]])
    expect(text).toContain('Hello')
    expect(receipt).toMatchObject({ upstream: 'two', outcome: 'completed', cost_usd: COST })
    expect(receipt.attempts).toEqual([
      { upstream: 'one', model: 'both', outcome },
      { upstream: 'two', model: 'both', outcome: 'completed' },
    ])
  })

  test.each<[string, Behaviour, number, string]>([
    ['500', respondWithError(500), 502, 'failed'],
    ['502', respondWithError(502), 502, 'failed'],
    ['504', respondWithError(504), 504, 'failed'],
    ['a broken connection', (socket) => void socket.destroy(), 502, 'failed'],
    ['no headers in time', () => {}, 504, 'timeout'],
    ["the caller's mistake", respondWithError(400), 400, 'failed'],
  ])('%s may have been billed, or no other upstream would help: no fallback', async (_, behaviour, seen, outcome) => {
    one.behave(behaviour)
    const { status, asked, receipt } = await ask('both', streamed)
    expect([status, asked[1]]).toEqual([seen, 0])
    expect(receipt).toMatchObject({ upstream: 'one', outcome, cost_usd: '0.00' })
    expect(receipt.attempts).toHaveLength(1)
  })

  test('a failed connection: the next candidate responds', async () => {
    const { status, receipt } = await ask('gone', streamed)
    expect([status, receipt.attempts.map(({ upstream }) => upstream)]).toEqual([200, ['nowhere', 'two']])
  })

  test('all reject: the caller gets the last rejection, nothing is charged', async () => {
    one.behave(respondWithError(503))
    two.behave(respondWithError(429, { 'retry-after': '7' }))
    const { status, headers, receipt, asked } = await ask('both', streamed)
    expect([status, headers.get('retry-after')]).toEqual([429, '7'])
    expect(asked).toEqual([1, 1])
    expect(receipt).toMatchObject({ outcome: 'failed', cost_usd: '0.00', upstream: 'two' })
    // After a rejection, retries count against the retry budget until the upstream is healthy again: reset for the next tests.
    two.behave(respondAsRequested)
    expect((await ask('spare', streamed)).status).toBe(200)
  })

  test('a more expensive fallback is held for first and charged at its own price', async () => {
    one.behave(respondWithError(503))
    const { status, text, receipt, headers } = await ask('careful', streamed)
    expect(status).toBe(200)
    expect(text).toContain('"model":"spare"')
    expect(receipt).toMatchObject({ upstream: 'two', answered_by: 'spare', cost_usd: '0.0009' })
    expect(headers.get('x-trivium-warnings')).toContain('model;answered-by-spare')
  })

  test('a fallback that the balance does not cover is not called', async () => {
    // Enough for the model itself at 100 tokens of output, not for ten times as much.
    const poor = await newKey(gateway, '0.0008')
    one.behave(respondWithError(503))
    const { status, asked, receipt } = await ask('careful', false, poor.secret)
    expect([status, asked[1], receipt.cost_usd]).toEqual([503, 0, '0.00'])
    expect(await poor.account()).toMatchObject({ balance_usd: '0.0008', held_usd: '0.00' })
  })
})

describe('when no candidate of the model is available, its fallback is called at once', () => {
  const STOOD_IN = { status: 200, receipt: { upstream: 'two', answered_by: 'spare', cost_usd: '0.0009' } }
  const poor = () => newKey(gateway, '0.0008')

  test('while its circuit breaker is open', async () => {
    one.behave(respondWithError(503))
    for (let call = 0; call < 10; call++) await ask('frail', false)
    for (const streamed of FORMS) {
      const stoodIn = await ask('frail', streamed)
      expect(stoodIn).toMatchObject({ ...STOOD_IN, asked: [0, 1] })
      expect(stoodIn.receipt.attempts).toEqual([{ upstream: 'two', model: 'spare', outcome: 'completed' }])
      expect(stoodIn.headers.get('x-trivium-warnings')).toBe('model;answered-by-spare')
    }
    // A caller that cannot pay for the fallback gets the error of the requested model.
    const { secret, account } = await poor()
    const rejected = await ask('frail', false, secret)
    expect([rejected.status, rejected.asked]).toEqual([503, [0, 0]])
    expect(rejected.text).toContain("No upstream for model 'frail' is available")
    expect(await account()).toMatchObject({ balance_usd: '0.0008', held_usd: '0.00' })
  })

  test('during a cool-down; a caller that cannot pay for the fallback gets the upstream’s retry-after', async () => {
    one.behave(respondWithError(429, { 'retry-after': '30' }))
    expect(await ask('limited', false)).toMatchObject({ ...STOOD_IN, asked: [1, 1] })
    expect(await ask('limited', false)).toMatchObject({ ...STOOD_IN, asked: [0, 1] })
    one.behave(respondAsRequested)
    const { secret } = await poor()
    const { status, asked, headers } = await ask('limited', false, secret)
    expect([status, asked]).toEqual([429, [0, 0]])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(20)
  })

  test('after queueing, while it is at its concurrency limit', async () => {
    let isHeld = false
    one.behave(() => {
      isHeld = true
    })
    const first = ask('narrow', false)
    await eventually(() => isHeld)
    expect(await ask('narrow', false)).toMatchObject(STOOD_IN)
    expect((await first).status).toBe(504)
  })
})

test.each([
  ['another upstream', 'many-keys', undefined],
  ['a fallback', 'many-keys-alone', 'spare'],
])('the last attempt is %s, not another key of the same upstream', async (_, model, by) => {
  one.behave(respondWithError(429, { 'retry-after': '1' }))
  const { status, asked, receipt } = await ask(model, false)
  expect([status, asked[1], receipt.answered_by]).toEqual([200, 1, by])
})

test('a fallback that responds at the second attempt is named', async () => {
  let calls = 0
  two.behave((socket, request) => (++calls === 1 ? respondWithError(503) : respondAsRequested)(socket, request))
  const { receipt, headers } = await ask('doubled', false)
  expect(receipt.attempts.map(({ upstream, outcome }) => [upstream, outcome])).toEqual([
    ['nowhere', 'ECONNREFUSED'],
    ['pair', '503'],
    ['pair', 'completed'],
  ])
  expect(receipt).toMatchObject({ answered_by: 'paired' })
  expect(headers.get('x-trivium-warnings')).toBe('model;answered-by-paired')
})

test('an error event before any output: the next candidate responds, and the client sees one stream', async () => {
  one.behave(stream(role(), `data: {"error":{"message":"busy","code":"server_is_overloaded"}}\n\n`))
  const { status, text, receipt } = await ask('both', true)
  expect(status).toBe(200)
  expect(text.split('"role":"assistant"')).toHaveLength(2)
  expect(receipt.attempts.map(({ outcome }) => outcome)).toEqual(['error: service_unavailable', 'completed'])
})

test('after output there is no fallback', async () => {
  one.behave(stream(role(), event('Hello'), `data: {"error":{"message":"busy","code":"server_is_overloaded"}}\n\n`))
  const { asked, text, receipt } = await ask('both', true)
  expect(asked).toEqual([1, 0])
  expect(text).toContain('"error"')
  expect(receipt).toMatchObject({ outcome: 'failed', upstream: 'one' })
})

test('an error event with usage was billed: no fallback', async () => {
  one.behave(stream(usage(), `data: {"error":{"message":"busy","code":"server_is_overloaded"}}\n\n`))
  expect((await ask('both', true)).asked).toEqual([1, 0])
})

test.each(
  [200, 429, 503, 529].flatMap((status) => FORMS.map((streamed) => [status, streamed] as const)),
)('an error with usage was billed: no fallback (%p, streamed: %p)', async (status, streamed) => {
  const error = { message: 'busy', code: 'server_is_overloaded' }
  one.behave(respondWith({ error, usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }, status))
  const { asked, receipt } = await ask('both', streamed)
  expect([asked, receipt.cost_usd, receipt.attempts.length]).toEqual([[1, 0], '0.00', 1])
})

test('a stream that is cut before output may have been billed', async () => {
  one.behave((socket, request) => {
    void streamWithoutEnd(role())(socket, request)
    setTimeout(() => socket.destroy(), 20)
  })
  expect((await ask('both', true)).asked).toEqual([1, 0])
})

test('keys are used in turn, and a rejected one is skipped', async () => {
  const usedBy = async (calls: number) => {
    const before = one.received.length
    for (let call = 0; call < calls; call++) expect((await ask('pooled', false)).status).toBe(200)
    return one.received.slice(before).map(({ headers }) => headers.authorization)
  }
  expect(new Set(await usedBy(40)).size).toBe(3)
  one.behave((socket, request) =>
    (request.headers.authorization === 'Bearer second-key' ? respondWithError(401) : respondAsRequested)(
      socket,
      request,
    ),
  )
  await usedBy(40)
  const later = await usedBy(20)
  expect(later.filter((used) => used === 'Bearer second-key')).toEqual([])
  expect(gateway.output().stderr).toContain('upstream rejected the API key')
  const list = await gateway.command<{ id: string; key_states: { key: string; state: string }[] }[]>('upstream', 'list')
  const pool = list.find(({ id }) => id === 'pool')
  expect(pool?.key_states.map(({ key, state }) => [key, state])).toEqual([
    ['...', 'ready'],
    ['...', 'rejected'],
    ['...', 'ready'],
  ])
  expect(gateway.output().stderr).not.toContain('second-key')
})

test.each([
  'crowded',
  'crowded-by-key',
])('%s: retries do not exceed the concurrency limit of an upstream', async (model) => {
  one.behave(respondWithError(503))
  // An account gets half of the four slots, which are in use until the others are rejected.
  const [calls, slots] = [10, 2]
  const gate = Promise.withResolvers<void>()
  let [underWay, most, ended] = [0, 0, 0]
  two.behave(async (socket, request) => {
    most = Math.max(most, ++underWay)
    if (underWay > slots) gate.resolve()
    await gate.promise
    underWay--
    respondAsRequested(socket, request)
  })
  const call = async () => {
    const { status } = await ask(model, false)
    if (++ended === calls - slots) gate.resolve()
    return status
  }
  const statuses = await Promise.all(Array.from({ length: calls }, call))
  expect(most).toBe(slots)
  expect(statuses.filter((status) => status === 200)).toHaveLength(2)
})

test('with a concurrency limit of one, a retry may use the one slot', async () => {
  const rejected = new Set<string | undefined>()
  one.behave((socket, request) => {
    const { authorization } = request.headers
    const isFirst = rejected.size === 0
    if (isFirst) rejected.add(authorization)
    return (rejected.has(authorization) ? respondWithError(429) : respondAsRequested)(socket, request)
  })
  const { status, asked, receipt } = await ask('tight', false)
  expect([status, asked]).toEqual([200, [2, 0]])
  expect(receipt.attempts.map(({ outcome }) => outcome)).toEqual(['429', 'completed'])
})

test('keys that share a quota cool down together after a 429', async () => {
  one.behave(respondWithError(429, { 'retry-after': '30' }))
  const { status, asked, receipt } = await ask('housed', false)
  expect([status, asked]).toEqual([200, [1, 1]])
  expect(receipt.attempts.map(({ upstream }) => upstream).at(-1)).toBe('two')
  expect((await ask('housed', true)).asked).toEqual([0, 1])
})

test.each([
  ['retry-after', () => new Date(Date.now() + 30_000).toUTCString(), 'dated'],
  ['retry-after-ms', () => '30000', 'in-ms'],
])('an upstream that sends %s is not called until then', async (name, value, model) => {
  one.behave(respondWithError(429, { [name]: value() }))
  await ask(model, false)
  one.behave(respondAsRequested)
  const { status, asked, headers } = await ask(model, true)
  expect([status, asked]).toEqual([429, [0, 0]])
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(20)
})

test('the only upstream is down: requests fail fast, and its recovery is noticed', async () => {
  one.behave(respondWithError(503))
  const before = one.received.length
  const statuses: number[] = []
  for (let call = 0; call < 15; call++) statuses.push((await ask('alone', false)).status)
  expect(new Set(statuses)).toEqual(new Set([503]))
  expect(one.received.length - before).toBeLessThanOrEqual(11)
  one.behave(respondAsRequested)
  const end = performance.now() + 20_000
  while ((await ask('alone', false)).status !== 200) {
    if (performance.now() > end) throw new Error('it was not found again')
    await Bun.sleep(100)
  }
})

test('the audit finds no error', async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
})
