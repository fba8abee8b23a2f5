// Translation beyond the dialects themselves: fields that a model rejects, media behind URLs, requests that refer to
// objects stored elsewhere.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { reply, respondWith, startUpstream, type Upstream } from '../support/upstreams/raw-upstream.ts'

let upstream: Upstream
let gateway: Gateway
let key: Awaited<ReturnType<typeof newKey>>

beforeAll(async () => {
  upstream = await startUpstream()
  const origin = new URL(upstream.url).origin
  const price = 'price: { input: 1, output: 4 }'
  gateway = await startGateway({
    config: `
upstreams:
  - { id: chat, dialect: chat, base_url: "${origin}/v1", keys: [k], breaker: false }
  - { id: images, dialect: generate-content, base_url: "${origin}/v1beta", keys: [k], breaker: false, allow_private: true }
  - { id: shared, dialect: chat, base_url: "${origin}/v1", keys: [k], breaker: false, shared_objects: true }
models:
  - { id: plain, routes: [{ upstream: chat, model: inner }], ${price} }
  - { id: other, routes: [{ upstream: chat, model: other }], ${price} }
  - { id: strict, routes: [{ upstream: chat, model: strict }], ${price} }
  - { id: seeing, routes: [{ upstream: images }], ${price} }
  - { id: shared, routes: [{ upstream: shared }], ${price} }
`,
  })
  key = await newKey(gateway)
})
afterAll(async () => {
  await gateway.stop()
  upstream.stop()
})
beforeEach(() => upstream.behave(respondWith(reply())))

async function messages(body: object, path = '/v1/messages') {
  const before = upstream.received.length
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'x-api-key': key.secret, 'content-type': 'application/json', 'msg-version': '2023-06-01' },
    body: JSON.stringify(body),
  })
  const sent = upstream.received.slice(before).map(({ body: bytes }) => JSON.parse(bytes.toString()) as object)
  const { headers, status } = response
  return { status, text: await response.text(), sent, warnings: headers.get('x-trivium-warnings') ?? '' }
}

const HELLO = { max_tokens: 20, messages: [{ role: 'user', content: 'hi' }] }

describe('a model that does not support temperature', () => {
  const rejecting = (socket: Parameters<ReturnType<typeof respondWith>>[0], request: Upstream['received'][number]) => {
    const isAsked = request.body.toString().includes('"temperature"')
    const error = { message: "Unsupported parameter: 'temperature' is not supported with this model.", code: null }
    return (isAsked ? respondWith({ error }, 400) : respondWith(reply()))(socket, request)
  }

  test('is retried once without it; the caller gets a warning, and pays for one response', async () => {
    upstream.behave(rejecting)
    const first = await messages({ model: 'plain', temperature: 0.5, ...HELLO })
    expect(first).toMatchObject({ status: 200, sent: [{ temperature: 0.5 }, {}] })
    expect(first.sent[1]).not.toHaveProperty('temperature')
    expect(first.warnings).toContain('temperature;dropped')
    const [row] = await key.settled()
    expect(row).toMatchObject({ outcome: 'completed', receipt: { warnings: ['temperature;dropped'] } })
  })

  test('is sent none in later requests; other models still are', async () => {
    upstream.behave(rejecting)
    expect((await messages({ model: 'plain', temperature: 0.5, ...HELLO })).sent).toHaveLength(1)
    expect((await messages({ model: 'other', temperature: 0.5, ...HELLO })).sent).toHaveLength(2)
  })

  test('another rejection reaches the caller', async () => {
    upstream.behave(respondWith({ error: { message: 'messages[0] is too long', code: null } }, 400))
    const { status, sent, text } = await messages({ model: 'plain', top_p: 0.5, ...HELLO })
    expect({ status, calls: sent.length }).toEqual({ status: 400, calls: 1 })
    expect(text).toContain('messages[0] is too long')
  })
})

test('a model that supports only some reasoning efforts is called without the others', async () => {
  upstream.behave((socket, request) => {
    const { reasoning_effort: effort } = JSON.parse(request.body.toString()) as { reasoning_effort?: string }
    const error = { message: `reasoning_effort='${effort}' is not supported for this model.`, code: null }
    return (effort === 'low' ? respondWith({ error }, 400) : respondWith(reply()))(socket, request)
  })
  const thinking = (effort: string) => messages({ model: 'plain', input: 'hi', reasoning: { effort } }, '/v1/responses')
  const first = await thinking('low')
  expect(first).toMatchObject({ status: 200, warnings: 'reasoning;dropped', sent: [{ reasoning_effort: 'low' }, {}] })
  expect(first.sent[1]).not.toHaveProperty('reasoning_effort')
  expect((await thinking('low')).sent).toHaveLength(1)
  expect(await thinking('high')).toMatchObject({ status: 200, warnings: '', sent: [{ reasoning_effort: 'high' }] })
})

describe('the end user', () => {
  // An agent's description of its session, longer than the vendor of the other protocol allows.
  const long = JSON.stringify({ device_id: 'd'.repeat(64), account_uuid: '', session_id: 's'.repeat(36) })
  const named = (user: string) => messages({ model: 'other', ...HELLO, metadata: { user_id: user } })
  const sentAs = async (user: string) => (await named(user)).sent[0] as { safety_identifier: string }

  test('has a stable hash as its id at the vendor, however long the name is', async () => {
    expect(await named('ada')).toMatchObject({ status: 200, warnings: '' })
    expect((await sentAs('ada')).safety_identifier).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect((await named(long)).warnings).toBe('')
    const { safety_identifier } = await sentAs(long)
    expect(safety_identifier).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(await sentAs(long)).toMatchObject({ safety_identifier })
    expect(await sentAs(`${long} `)).not.toMatchObject({ safety_identifier })
  })
})

test('a service that rejects all fields that agents always send needs one extra call', async () => {
  const unknown = ['safety_identifier', 'store', 'prompt_cache_key', 'verbosity']
  upstream.behave((socket, request) => {
    const field = unknown.find((name) => request.body.toString().includes(`"${name}"`))
    const error = { message: `property '${field}' is unsupported`, type: 'invalid_request_error' }
    return (field ? respondWith({ error }, 400) : respondWith(reply()))(socket, request)
  })
  const asked = { model: 'strict', input: 'hi', store: false, prompt_cache_key: 'c', text: { verbosity: 'low' } }
  const first = await messages(asked, '/v1/responses')
  expect({ status: first.status, calls: first.sent.length }).toEqual({ status: 200, calls: 5 })
  expect(first.warnings.split(', ').sort()).toEqual([
    'prompt_cache_key;dropped',
    'store;dropped',
    'text.verbosity;dropped',
  ])
  expect(await messages(asked, '/v1/responses')).toMatchObject({ status: 200, sent: [{ model: 'strict' }] })
})

test('a service that names the field outside its message is understood as well', async () => {
  upstream.behave((socket, request) => {
    const isAsked = request.body.toString().includes('"store"')
    const detail = [{ type: 'extra_forbidden', loc: ['body', 'store'], msg: 'Extra inputs are not permitted' }]
    return (isAsked ? respondWith({ object: 'error', message: { detail } }, 422) : respondWith(reply()))(
      socket,
      request,
    )
  })
  const { status, sent, warnings } = await messages({ model: 'other', input: 'hi', store: false }, '/v1/responses')
  expect({ status, calls: sent.length, warnings }).toEqual({ status: 200, calls: 2, warnings: 'store;dropped' })
})

test('after a retry without the field, the caller sees the second rejection', async () => {
  upstream.behave((socket, request) => {
    const isAsked = request.body.toString().includes('"top_p"')
    const message = isAsked ? "'top_p' is not supported" : 'messages[0] is too long'
    return respondWith({ error: { message, code: null } }, 400)(socket, request)
  })
  const { status, sent, text } = await messages({ model: 'strict', top_p: 0.5, ...HELLO })
  expect({ status, calls: sent.length }).toEqual({ status: 400, calls: 2 })
  expect(text).toContain('messages[0] is too long')
})

describe('an image URL, for an upstream that accepts none', () => {
  const asking = (url: string) => ({
    model: 'seeing',
    max_tokens: 20,
    messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url } }] }],
  })

  test.each([
    ['this machine', 'http://127.0.0.1:1/picture.png'],
    ['a private network', 'http://10.0.0.1/picture.png'],
  ])('%s: rejected before anything is held', async (_, url) => {
    const { length } = await key.settled()
    const { status, text, sent } = await messages(asking(url))
    expect({ status, sent }).toEqual({ status: 400, sent: [] })
    expect(text).toContain('does not lead to a public host')
    expect(await key.settled()).toHaveLength(length)
  })

  test('a host that does not exist: rejected, free, and nothing is sent to the upstream', async () => {
    const { status, text, sent } = await messages(asking('http://nowhere.invalid/picture.png'))
    expect({ status, sent }).toEqual({ status: 400, sent: [] })
    expect(text).toContain('does not lead to a public host')
    const [row] = await key.settled()
    expect(row).toMatchObject({ outcome: 'failed', cost_usd: '0.00' })
  })
})

test('references to stored objects cannot be translated, also where callers share them', async () => {
  const { status, text, sent } = await messages(
    { model: 'shared', input: 'hi', previous_response_id: 'resp_1' },
    '/v1/responses',
  )
  expect({ status, sent }).toEqual({ status: 400, sent: [] })
  expect(text).toContain('previous_response_not_found')
})
