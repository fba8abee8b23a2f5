// Idempotency-Key for callers: a repeated request gets the same response and is charged once.
import { afterEach, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { cost, newKey } from '../support/gateway/accounts.ts'
import { chat } from '../support/gateway/gateway.ts'
import { startGatewayOverUpstream } from '../support/gateway/gateway-over-upstream.ts'
import { operate } from '../support/gateway/operate.ts'
import { chatBody, requestReceived } from '../support/requests/client.ts'
import { CLIENTS, callIn, errorIn } from '../support/requests/dialect-calls.ts'
import {
  DONE,
  event,
  finish,
  head,
  reply,
  respondWith,
  stream,
  streamWithoutEnd,
  usage,
} from '../support/upstreams/raw-upstream.ts'

const { upstream, gateway } = await startGatewayOverUpstream()
afterEach(() => upstream.behave(respondWith(reply())))

const keyed = (key: string) => ({ 'idempotency-key': key })
const ONCE = cost(10, 20)

/** The parts of an error that a caller acts on. */
async function rejected(response: Response) {
  const { error } = (await response.json()) as { error: { code: string; message: string } }
  return {
    status: response.status,
    code: error.code,
    message: error.message,
    retry: response.headers.get('x-should-retry'),
  }
}

test('a gateway that receives no keys creates no file for stored responses', () => {
  expect(existsSync(join(gateway.home.dataDir, 'contents.db'))).toBe(false)
})

test('a stored response is replayed only to an API key that may use the model now', async () => {
  const { secret, email, keyId, rows } = await newKey(gateway)
  const other = await operate<{ secret: string }>(gateway, 'key create', {
    account: email,
    name: 'narrow',
    models: 'sandbox-text',
  })
  const call = (by: string) => callIn('chat', gateway.url, by, { model: 'renamed', headers: keyed('shared') })
  expect((await call(secret)).status).toBe(200)
  const denied = await call(other.secret)
  expect([denied.status, denied.headers.get('idempotent-replayed')]).toEqual([403, null])
  expect(await denied.text()).not.toContain('choices')
  expect((await call(secret)).headers.get('idempotent-replayed')).toBe('true')
  await operate(gateway, 'key limit', { key: keyId, models: 'sandbox-text' })
  await eventually(async () => (await call(secret)).status === 403)
  expect(await rows()).toHaveLength(1)
})

describe.each(CLIENTS)('%s', (dialect) => {
  test('an unstreamed response is replayed byte for byte, and nothing is charged, held or listed again', async () => {
    const { secret, settled, account } = await newKey(gateway)
    const before = upstream.received.length
    const call = () => callIn(dialect, gateway.url, secret, { model: 'renamed', headers: keyed('one/1') })
    const first = await call()
    const body = await first.text()
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null])
    const rows = await settled()
    const balance = await account()
    for (let times = 0; times < 2; times += 1) {
      const again = await call()
      expect([again.status, await again.text()]).toEqual([200, body])
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      for (const name of ['content-type', 'x-trivium-warnings'])
        expect(again.headers.get(name)).toBe(first.headers.get(name))
      expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
      expect(again.headers.get('idempotent-request-id')).toBe(first.headers.get('x-request-id'))
    }
    expect(upstream.received.length).toBe(before + 1)
    expect(rows).toMatchObject([{ cost_usd: ONCE }])
    expect([await settled(), await account()]).toEqual([rows, balance])
  })

  test('after a finished stream: 409 that names the first request and its cost; another body: 422', async () => {
    const { secret, settled } = await newKey(gateway)
    upstream.behave(stream(event('Hello'), finish(), usage(), DONE))
    const calling = { model: 'renamed', streamed: true, headers: keyed('a-stream') }
    const first = await callIn(dialect, gateway.url, secret, calling)
    await first.text()
    const id = first.headers.get('x-request-id') ?? ''
    const again = await callIn(dialect, gateway.url, secret, calling)
    expect([again.status, again.headers.get('x-should-retry')]).toEqual([409, 'false'])
    const said = errorIn(dialect, await again.json())
    expect(said.message).toContain(id)
    expect(said.message).toContain(`${ONCE} USD`)
    expect(again.headers.get('idempotent-request-id')).toBe(id)

    const other = await callIn(dialect, gateway.url, secret, { ...calling, prompt: 'Something else.' })
    expect(other.status).toBe(422)
    expect(errorIn(dialect, await other.json()).message).toContain(id)
    expect(await settled()).toHaveLength(1)
  })

  test('while the first runs: 409 with retry-after', async () => {
    const { secret, settled } = await newKey(gateway)
    const gate = Promise.withResolvers<void>()
    upstream.behave((socket, request) => gate.promise.then(() => respondWith(reply())(socket, request)))
    const before = upstream.received.length
    const call = () => callIn(dialect, gateway.url, secret, { model: 'renamed', headers: keyed('slow') })
    const first = call()
    await requestReceived(upstream, before)
    const second = await call()
    expect([second.status, second.headers.get('retry-after')]).toEqual([409, '2'])
    expect(second.headers.get('x-should-retry')).toBeNull()
    expect(errorIn(dialect, await second.json()).message).toContain('still running')
    gate.resolve()
    expect((await first).status).toBe(200)
    const third = await call()
    expect(third.headers.get('idempotent-replayed')).toBe('true')
    expect(await third.text()).toBe(await (await first).text())
    expect(await settled()).toHaveLength(1)
  })
})

test('the model and the method in the path belong to the request', async () => {
  const { secret } = await newKey(gateway)
  const call = (model: string, streamed: boolean, alt?: string) =>
    callIn('generate-content', gateway.url, secret, {
      model,
      streamed,
      headers: keyed('address'),
      ...(alt ? { alt } : {}),
    })
  expect((await call('renamed', false)).status).toBe(200)
  expect((await call('same', false)).status).toBe(422)
  expect((await call('renamed', true)).status).toBe(422)
  expect((await call('renamed', false)).headers.get('idempotent-replayed')).toBe('true')
})

test('the same body on the path of another protocol is another request; the same body compressed is not', async () => {
  const { secret } = await newKey(gateway)
  const body = JSON.stringify({ ...chatBody('renamed', false), max_tokens: 50 })
  const post = (path: string, content: string | Uint8Array<ArrayBuffer>, more: Record<string, string> = {}) =>
    fetch(gateway.url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        ...keyed('paths'),
        ...more,
        'anthropic-version': '2023-06-01',
      },
      body: content,
    })
  expect((await post('/v1/chat/completions', body)).status).toBe(200)
  expect((await post('/v1/messages', body)).status).toBe(422)
  const zipped = await post('/v1/chat/completions', Bun.gzipSync(body), { 'content-encoding': 'gzip' })
  expect([zipped.status, zipped.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
})

test('keys belong to an account: its other keys share them, other accounts do not', async () => {
  const one = await newKey(gateway)
  const other = await newKey(gateway)
  const call = (secret: string) => chat(gateway.url, secret, chatBody('renamed', false), keyed('shared'))
  await call(one.secret)
  expect((await call(other.secret)).headers.get('idempotent-replayed')).toBeNull()
  const second = await gateway.command<{ secret: string }>('key', 'create', '--account', one.email, '--name', 'second')
  expect((await call(second.secret)).headers.get('idempotent-replayed')).toBe('true')
})

test('a paid response is also replayed to a rate-limited caller', async () => {
  const { secret, settled } = await newKey(gateway, '10', { rpm: '1' })
  const call = (key?: string, more = {}) =>
    chat(gateway.url, secret, chatBody('same', false, more), key === undefined ? {} : keyed(key))
  const first = await (await call('paid')).text()
  expect((await call()).status).toBe(429)
  const again = await call('paid')
  expect([again.status, again.headers.get('idempotent-replayed'), await again.text()]).toEqual([200, 'true', first])
  // Neither another body nor another key gets past the limit, and the key of a rejected request stays free. The rejection may just
  // have been forgotten because keys have changed: then the body is looked at first.
  expect([422, 429]).toContain((await call('paid', { n: 2 })).status)
  for (const response of [await call('other'), await call('other')]) expect(response.status).toBe(429)
  expect(await settled()).toHaveLength(1)
})

test('an upstream never sees the key', async () => {
  const { secret } = await newKey(gateway)
  await chat(gateway.url, secret, chatBody('renamed', false), keyed('only-for-the-gateway'))
  expect(upstream.last().head).not.toContain('only-for-the-gateway')
})

test.each([
  ['empty', ''],
  ['with a space', 'two words'],
  ['too long', 'x'.repeat(256)],
  ['not ASCII', 'schl\u00fcssel'],
])('a key that is %s is rejected, naming the header', async (_, key) => {
  const { secret, rows } = await newKey(gateway)
  const response = await chat(gateway.url, secret, chatBody('renamed', false), keyed(key))
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { param: 'Idempotency-Key' } })
  expect(await rows()).toEqual([])
})

test('the longest allowed key is accepted', async () => {
  const { secret } = await newKey(gateway)
  const call = () => chat(gateway.url, secret, chatBody('renamed', false), keyed('~'.repeat(255)))
  expect((await call()).status).toBe(200)
  expect((await call()).headers.get('idempotent-replayed')).toBe('true')
})

describe('errors are not stored', () => {
  test.each<[string, () => void, number]>([
    ['an error of the upstream', () => upstream.behave(respondWith({ error: { message: 'no' } }, 500)), 502],
    ['an answer that is broken off', () => upstream.behave((socket) => void socket.end(`${head(200, 500)}{"id"`)), 502],
    [
      'a rejection',
      () => upstream.behave(respondWith({ error: { message: 'bad', type: 'invalid_request_error' } }, 400)),
      400,
    ],
  ])('%s', async (_, behave, status) => {
    const { secret, settled } = await newKey(gateway)
    const call = () => chat(gateway.url, secret, chatBody('renamed', false), keyed('failing'))
    behave()
    expect((await call()).status).toBe(status)
    expect((await call()).status).toBe(status)
    upstream.behave(respondWith(reply()))
    const good = await call()
    expect([good.status, good.headers.get('idempotent-replayed')]).toEqual([200, null])
    expect((await settled()).map((row) => row.cost_usd)).toEqual([ONCE, '0.00', '0.00'])
  })

  test('nor are requests rejected before their hold, whatever body is sent next', async () => {
    const { secret } = await newKey(gateway, '0')
    const call = (model: string, more = {}) =>
      chat(gateway.url, secret, chatBody(model, false, more), keyed('rejected'))
    expect((await call('renamed')).status).toBe(402)
    expect((await call('no-such-model')).status).toBe(404)
    expect((await call('renamed', { max_tokens: 20 })).status).toBe(402)
  })
})

test.each([
  ['up to 1 MiB is replayed', 1024 * 1024 - 2_000, 200],
  ['beyond is not', 1024 * 1024 + 2_000, 409],
])('a response of %s', async (_, bytes, status) => {
  const { secret, settled } = await newKey(gateway)
  const message = { role: 'assistant', content: 'x'.repeat(bytes) }
  upstream.behave(respondWith(reply({ choices: [{ index: 0, message, finish_reason: 'stop' }] })))
  const call = () => chat(gateway.url, secret, chatBody('renamed', false), keyed('large'))
  const first = await (await call()).text()
  expect(first.length).toBeGreaterThan(bytes)
  const again = await call()
  expect(again.status).toBe(status)
  const text = await again.text()
  expect(status === 200 ? text === first : text.includes(`${ONCE} USD`)).toBe(true)
  expect(await settled()).toHaveLength(1)
})

describe('streams that break off', () => {
  test('cut after output: charged, so 409 with the cost', async () => {
    const { secret, settled } = await newKey(gateway)
    upstream.behave((socket, request) => {
      void streamWithoutEnd(event('Hello'), event(' there'))(socket, request)
      setTimeout(() => socket.destroy(), 50)
    })
    const call = () => chat(gateway.url, secret, chatBody('renamed', true), keyed('cut'))
    await (await call()).text()
    const [row] = await settled()
    expect(row?.outcome).toBe('cut')
    expect(row?.cost_usd).not.toBe('0.00')
    const again = await rejected(await call())
    expect(again).toMatchObject({ status: 409, code: 'conflict', retry: 'false' })
    expect(again.message).toContain(`${row?.cost_usd} USD`)
  })

  test('cut before output: free, so the next request runs', async () => {
    const { secret, settled } = await newKey(gateway)
    upstream.behave((socket) => void socket.destroy())
    const call = () => chat(gateway.url, secret, chatBody('renamed', true), keyed('early'))
    expect((await call()).status).toBe(502)
    upstream.behave(stream(event('Hello'), finish(), usage(), DONE))
    expect(await (await call()).text()).toEndWith(DONE)
    expect((await settled()).map((row) => row.outcome)).toEqual(['completed', 'failed'])
  })
})

test('a client that disconnected during an unstreamed response gets it when it retries', async () => {
  const { secret, settled } = await newKey(gateway)
  const gate = Promise.withResolvers<void>()
  const bytes = Buffer.from(JSON.stringify(reply()))
  upstream.behave(async (socket) => {
    socket.write(head(200, bytes.length))
    socket.write(bytes.subarray(0, 10))
    await gate.promise
    socket.write(bytes.subarray(10))
  })
  const before = upstream.received.length
  const abort = new AbortController()
  const calling = { model: 'renamed', headers: keyed('left') }
  const first = callIn('chat', gateway.url, secret, { ...calling, signal: abort.signal })
  first.catch(() => {})
  await requestReceived(upstream, before)
  // The gateway checks for the client after a moment; a disconnect before the headers would be another outcome.
  await Bun.sleep(400)
  abort.abort()
  await Bun.sleep(200)
  expect((await callIn('chat', gateway.url, secret, calling)).status).toBe(409)
  gate.resolve()
  expect(await settled()).toMatchObject([{ outcome: 'client_disconnected', cost_usd: ONCE }])
  const again = await callIn('chat', gateway.url, secret, calling)
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  expect(await again.json()).toMatchObject({ choices: [{ message: { content: 'Hello there.' } }] })
  expect(await settled()).toHaveLength(1)
})

test.each([
  ['unstreamed', false],
  ['streamed', true],
])('50 concurrent requests with one key, %s: one upstream call, one charge', async (_, streamed) => {
  const { secret, settled, account } = await newKey(gateway)
  const once = streamed ? stream(event('Hello'), finish(), usage(), DONE) : respondWith(reply())
  upstream.behave((socket, request) => void Bun.sleep(30).then(() => once(socket, request)))
  const before = upstream.received.length
  const call = async () => {
    const response = await chat(gateway.url, secret, chatBody('renamed', streamed), keyed('crowd'))
    const replayed = response.headers.get('idempotent-replayed')
    await response.text()
    return replayed ? 'replayed' : String(response.status)
  }
  const all = await Promise.all(Array.from({ length: 50 }, call))
  expect(all.filter((outcome) => outcome === '200')).toHaveLength(1)
  expect(all.filter((outcome) => outcome !== '200' && outcome !== '409' && outcome !== 'replayed')).toEqual([])
  expect(upstream.received.length).toBe(before + 1)
  expect(await settled()).toMatchObject([{ cost_usd: ONCE }])
  await eventually(async () => (await account()).held_usd === '0.00')
})
