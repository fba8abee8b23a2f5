// Invalid requests: a 4xx in the caller's dialect that names the field, no charge, and the next request succeeds.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { operate } from '../support/gateway/operate.ts'
import { reply, respondWith, startUpstream, type Upstream } from '../support/upstreams/raw-upstream.ts'

const LIMIT = 2 * 1024 * 1024

let upstream: Upstream
let gateway: Gateway
let key: Awaited<ReturnType<typeof newKey>>
beforeAll(async () => {
  upstream = await startUpstream(respondWith(reply({ model: 'same' })))
  gateway = await startGateway({
    config: `
server: { limits: { body: 2MiB } }
upstreams:
  - { id: own, dialect: chat, base_url: "${upstream.url}", keys: ["upstream-key"], breaker: false }
models:
  - { id: same, routes: [{ upstream: own }], price: { input: 1, output: 4 } }
  - { id: other, routes: [{ upstream: own }], price: { input: 1, output: 4 } }
  - { id: unpriced, routes: [{ upstream: own }] }
groups:
  - { id: default, models: ["*"] }
  - { id: small, models: [same] }
`,
  })
  key = await newKey(gateway)
})
afterAll(async () => {
  await gateway.stop()
  upstream.stop()
})

/** After every rejection: nothing reached the upstream, the ledger has no row, and the next request succeeds. */
afterEach(async () => {
  expect(upstream.received.length).toBe(0)
  expect(await key.rows()).toEqual([])
  const other = await newKey(gateway)
  const body = { model: 'same', messages: [{ role: 'user', content: 'hi' }] }
  expect((await chat(gateway.url, other.secret, body)).status).toBe(200)
  upstream.received.length = 0
  expect(gateway.output().stderr).not.toContain('request failed')
})

type ChatError = { error: { message: string; type: string; param: string | null; code: string | null } }

function post(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Promise<Response> {
  const all = { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json', ...headers }
  return fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers: all, body })
}

async function rejectionOf(response: Response): Promise<[status: number, error: ChatError['error']]> {
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{16}$/)
  const { error } = (await response.json()) as ChatError
  expect(Object.keys(error)).toEqual(['message', 'type', 'param', 'code'])
  expect(error.message.length).toBeGreaterThan(10)
  return [response.status, error]
}

const M = '"messages":[{"role":"user","content":"hi"}]'

describe('the body', () => {
  test.each([
    ['not JSON', 'hello', null],
    ['cut JSON', `{"model":"same",${M}`, null],
    ['something behind the JSON', `{"model":"same",${M}}}`, null],
    ['a trailing comma', `{"model":"same",${M},}`, null],
    ['single quotes', `{'model':'same'}`, null],
    ['a number that is none', `{"model":"same",${M},"seed":01}`, null],
    ['NaN', `{"model":"same",${M},"seed":NaN}`, null],
    ['a byte order mark only', '\ufeff', null],
    ['an array', '[]', null],
    ['a string', '"same"', null],
    ['null', 'null', null],
    ['an empty object', '{}', 'model'],
    ['no model', `{${M}}`, 'model'],
    ['model null', `{"model":null,${M}}`, 'model'],
    ['model a number', `{"model":7,${M}}`, 'model'],
    ['model an array', `{"model":["same"],${M}}`, 'model'],
    ['model empty', `{"model":"",${M}}`, 'model'],
    ['model too long', `{"model":"${'m'.repeat(10_000)}",${M}}`, 'model'],
    ['a NUL in the model', `{"model":"sa\\u0000me",${M}}`, 'model'],
    ['half a character in the model', `{"model":"same\\ud800",${M}}`, 'model'],
    ['a line break in the model', `{"model":"same\\r\\nx-evil: 1",${M}}`, 'model'],
    ['a NUL in an id', `{"model":"same","user":"a\\u0000",${M}}`, 'user'],
    ['half a character in an id', `{"model":"same","safety_identifier":"\\udc00",${M}}`, 'safety_identifier'],
    ['no messages', '{"model":"same"}', 'messages'],
    ['messages null', '{"model":"same","messages":null}', 'messages'],
    ['messages a string', '{"model":"same","messages":"hi"}', 'messages'],
    ['messages an object', '{"model":"same","messages":{}}', 'messages'],
    ['messages empty', '{"model":"same","messages":[]}', 'messages'],
    ['temperature above', `{"model":"same",${M},"temperature":2.01}`, 'temperature'],
    ['temperature below', `{"model":"same",${M},"temperature":-0.1}`, 'temperature'],
    ['temperature beyond numbers', `{"model":"same",${M},"temperature":1e999}`, 'temperature'],
    ['temperature a string', `{"model":"same",${M},"temperature":"1"}`, 'temperature'],
    ['top_p above', `{"model":"same",${M},"top_p":1.5}`, 'top_p'],
    ['max_tokens negative', `{"model":"same",${M},"max_tokens":-1}`, 'max_tokens'],
    ['max_tokens zero', `{"model":"same",${M},"max_tokens":0}`, 'max_tokens'],
    ['max_tokens huge', `{"model":"same",${M},"max_tokens":99999999999999999999}`, 'max_tokens'],
    ['max_tokens broken', `{"model":"same",${M},"max_tokens":1.5}`, 'max_tokens'],
    ['max_tokens a string', `{"model":"same",${M},"max_tokens":"10"}`, 'max_tokens'],
    ['max_completion_tokens huge', `{"model":"same",${M},"max_completion_tokens":1e15}`, 'max_completion_tokens'],
    ['n huge', `{"model":"same",${M},"n":1000000}`, 'n'],
    ['n zero', `{"model":"same",${M},"n":0}`, 'n'],
    ['n broken', `{"model":"same",${M},"n":2.5}`, 'n'],
    ['stream a string', `{"model":"same",${M},"stream":"yes"}`, 'stream'],
    ['stream_options a list', `{"model":"same",${M},"stream":true,"stream_options":[]}`, 'stream_options'],
    ['tools an object', `{"model":"same",${M},"tools":{}}`, 'tools'],
    ['__proto__', `{"__proto__":{"model":"same"},"model":"same",${M}}`, '__proto__'],
    ['__proto__, escaped', `{"\\u005f_proto__":{},"model":"same",${M}}`, '__proto__'],
    ['a model twice', `{"model":"same","model":"other",${M}}`, 'model'],
    ['nesting without end', `{"model":"same","messages":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, null],
    ['nesting of objects', `{"model":"same","messages":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`, null],
  ])('%s: 400', async (_, body, param) => {
    const [status, error] = await rejectionOf(await post(body))
    expect([status, error.type]).toEqual([400, 'invalid_request_error'])
    if (param !== null) expect(error.param).toBe(param)
  })

  test('empty: 400', async () => {
    expect((await rejectionOf(await post('')))[0]).toBe(400)
    const headers = { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' }
    const none = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers })
    expect((await rejectionOf(none))[0]).toBe(400)
  })

  test.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/json; charset=utf-16'],
    ['json'],
    [''],
  ])('as %p: 415', async (type) => {
    const [status, error] = await rejectionOf(await post(`{"model":"same",${M}}`, { 'content-type': type }))
    expect([status, error.code]).toEqual([415, 'unsupported_media_type'])
  })

  test.each([
    ['compress', gzipSync('{}'), 415],
    ['gzip, gzip', gzipSync(gzipSync('{}')), 415],
    ['gzip', Buffer.from('not gzip'), 400],
    ['gzip', gzipSync(`{"model":"same",${M}}`).subarray(0, 20), 400],
    ['gzip', gzipSync(Buffer.alloc(200 * 1024 * 1024, 0x20)), 413],
    ['br', brotliCompressSync(Buffer.alloc(50 * 1024 * 1024, 0x20)), 413],
  ])('encoded as %s', async (encoding, body, expected) => {
    const [status] = await rejectionOf(await post(new Uint8Array(body), { 'content-encoding': encoding }))
    expect(status).toBe(expected)
  })
})

/** Writes these chunks to a socket and returns what arrives until the other side closes, or `enough` has arrived. */
async function raw(pieces: readonly (string | Uint8Array)[], enough: (text: string) => boolean): Promise<string> {
  const { hostname, port } = new URL(gateway.url)
  return await new Promise((resolve) => {
    let text = ''
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.on('close', () => resolve(text))
    socket.on('data', (chunk) => {
      text += Buffer.from(chunk).toString('latin1')
      if (enough(text)) socket.destroy()
    })
    for (const piece of pieces) socket.write(piece)
  })
}

const rawHead = (more: string) =>
  `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key.secret}\r\ncontent-type: application/json\r\n${more}\r\n\r\n`

describe('over the limit', () => {
  const large = Buffer.alloc(LIMIT + 1, 0x20)
  const isWhole = (text: string) => text.includes('request_too_large')

  test('by its content-length, whatever is sent', async () => {
    const text = await raw([rawHead('content-length: 99999999')], isWhole)
    expect(text).toStartWith('HTTP/1.1 413 ')
  })

  test('by one byte', async () => {
    const [status, error] = await rejectionOf(await post(large))
    expect([status, error.code]).toEqual([413, 'request_too_large'])
    expect(error.message).toContain(String(LIMIT))
  })

  test('in chunks without a content-length', async () => {
    const chunks = [Buffer.from(`${large.length.toString(16)}\r\n`), large, Buffer.from('\r\n0\r\n\r\n')]
    const text = await raw([rawHead('transfer-encoding: chunked'), ...chunks], isWhole)
    expect(text).toStartWith('HTTP/1.1 413 ')
  })

  test('in endless chunks', async () => {
    const piece = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 0x20), Buffer.from('\r\n')])
    const text = await raw([rawHead('transfer-encoding: chunked'), ...Array(100).fill(piece)], isWhole)
    expect(text).toStartWith('HTTP/1.1 413 ')
  })
})

describe('wrong content-length', () => {
  test('more bytes than announced: the announced part is the body, the parser rejects the rest', async () => {
    const body = `{"model":"nope",${M}}`
    const text = await raw([rawHead(`content-length: ${body.length}`), body, 'rubbish rubbish\r\n\r\n'], () => false)
    expect(text).toStartWith('HTTP/1.1 404 ')
  })

  test('fewer bytes than announced, then a disconnect: nothing happens', async () => {
    const { hostname, port } = new URL(gateway.url)
    const socket = connect(Number(port), hostname)
    socket.write(`${rawHead('content-length: 1000')}{"model":"same"`)
    await Bun.sleep(50)
    socket.destroy()
    await Bun.sleep(50)
  })

  test('an invalid length is rejected by the parser', async () => {
    for (const length of ['-1', 'abc', '1, 2', '0x10']) {
      expect(await raw([rawHead(`content-length: ${length}`), '{}'], () => true)).toMatch(/^HTTP\/1\.1 4\d\d /)
    }
  })
})

describe('the model', () => {
  const ask = (model: string) => post(JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }))
  test.each([
    ['unknown'],
    ['unpriced'],
    ['same '],
    ['SAME'],
    ['constructor'],
    ['same:cut'],
    ['../same'],
  ])('%p: 404', async (model) => {
    const [status, error] = await rejectionOf(await ask(model))
    expect([status, error.code, error.param]).toEqual([404, 'model_not_found', 'model'])
  })

  test('outside the group: 403, and not retried', async () => {
    const { secret } = await newKey(gateway, '10', { group: 'small' })
    const body = { model: 'other', messages: [{ role: 'user', content: 'hi' }] }
    const response = await chat(gateway.url, secret, body)
    expect(response.headers.get('x-should-retry')).toBe('false')
    const [status, error] = await rejectionOf(response)
    expect([status, error.code, error.param]).toEqual([403, 'model_not_allowed', 'model'])
  })
})

describe('the key', () => {
  const call = (headers: Record<string, string>) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: `{"model":"same",${M}}`,
    })

  test.each([
    ['missing', () => ({})],
    ['empty', () => ({ authorization: 'Bearer ' })],
    ['of another scheme', () => ({ authorization: `Basic ${key.secret}` })],
    ['incomplete', () => ({ authorization: `Bearer ${key.secret.slice(0, -1)}` })],
    ['too long', () => ({ authorization: `Bearer ${key.secret}x` })],
    ['very long', () => ({ authorization: `Bearer sk-${'x'.repeat(10_000)}` })],
    ['wrong', () => ({ authorization: `Bearer sk-${'A'.repeat(43)}` })],
    ['not a key', () => ({ authorization: 'Bearer null' })],
    ['injected', () => ({ authorization: `Bearer sk-' OR 1=1 --${'x'.repeat(20)}` })],
  ])('%s: 401', async (_, headers) => {
    const [status, error] = await rejectionOf(await call(headers()))
    expect([status, error.code]).toEqual([401, 'invalid_api_key'])
    expect(JSON.stringify(error)).not.toContain(key.secret.slice(0, 12))
  })

  test('deleted: 401', async () => {
    const { secret, keyId } = await newKey(gateway)
    expect((await chat(gateway.url, secret, `{"model":"same",${M}}`)).status).toBe(200)
    upstream.received.length = 0
    await operate(gateway, 'key delete', { key: keyId })
    const [status, error] = await rejectionOf(await chat(gateway.url, secret, `{"model":"same",${M}}`))
    expect([status, error.code]).toEqual([401, 'invalid_api_key'])
  })

  test('expired: 401 with its own code', async () => {
    const endsAt = Date.now() + 1_000
    const { secret } = await newKey(gateway, '10', { expires: new Date(endsAt).toISOString() })
    await Bun.sleep(endsAt + 10 - Date.now())
    const [status, error] = await rejectionOf(await chat(gateway.url, secret, `{"model":"same",${M}}`))
    expect([status, error.code]).toEqual([401, 'api_key_expired'])
  })

  test('of a disabled account: 403', async () => {
    const { secret, email } = await newKey(gateway)
    await operate(gateway, 'account disable', { account: email })
    const [status, error] = await rejectionOf(await chat(gateway.url, secret, `{"model":"same",${M}}`))
    expect([status, error.code]).toEqual([403, 'account_disabled'])
  })

  test('is checked before the body', async () => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', body: 'x' })
    expect(response.status).toBe(401)
  })
})

test('NULs, unpaired surrogates and deep but reasonable nesting are allowed in contents', async () => {
  const { secret } = await newKey(gateway)
  const deep = `${'['.repeat(50)}${']'.repeat(50)}`
  const body = `{"model":"same","messages":[{"role":"user","content":"\\u0000 \\ud800 \\u2028"}],"metadata":{"a":${deep}}}`
  expect((await chat(gateway.url, secret, body)).status).toBe(200)
  expect(
    upstream
      .last()
      .body.toString()
      .replace(/,"safety_identifier":"[\w-]{32}"/, ''),
  ).toBe(body)
  upstream.received.length = 0
})
