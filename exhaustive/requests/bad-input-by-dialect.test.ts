// Invalid requests in each dialect: a 4xx in that dialect that names the field as the caller wrote it.
// Nothing is sent, held or charged, whatever the upstream's dialect, and the next request succeeds.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { newKey } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { type Bad, CHAT, RESPONSES } from '../../test/support/requests/bad-requests-openai.ts'
import { GENERATE_CONTENT, MESSAGES } from '../../test/support/requests/bad-requests-other.ts'
import {
  BASE_PATH,
  bodyIn,
  CLIENTS,
  callIn,
  errorIn,
  headersIn,
  pathIn,
  sandboxConfig,
} from '../../test/support/requests/dialect-calls.ts'
import { startUpstream, type Upstream } from '../../test/support/upstreams/raw-upstream.ts'

let upstream: Upstream
let gateway: Gateway
let key: Awaited<ReturnType<typeof newKey>>
beforeAll(async () => {
  upstream = await startUpstream()
  const origin = upstream.url.slice(0, -'/v1'.length)
  const upstreams = TEXT_DIALECT_IDS.map(
    (id) =>
      `  - { id: bare-${id}, dialect: ${id}, base_url: "${origin}${BASE_PATH[id]}", keys: [any], breaker: false }`,
  )
  const models = TEXT_DIALECT_IDS.map(
    (id) => `  - { id: bare-${id}, routes: [{ upstream: bare-${id} }], price: { input: 1, output: 4 } }`,
  )
  const config = sandboxConfig().replace('upstreams:\n', `upstreams:\n${upstreams.join('\n')}\n`)
  gateway = await startGateway({ config: config.replace('models:\n', `models:\n${models.join('\n')}\n`) })
})
beforeEach(async () => {
  key = await newKey(gateway)
  upstream.received.length = 0
})
afterAll(async () => {
  expect(gateway.output().stderr).not.toContain('request failed')
  await gateway.stop()
  upstream.stop()
})

const TABLES: Record<TextDialectId, Bad[]> = {
  chat: CHAT,
  responses: RESPONSES,
  messages: MESSAGES,
  'generate-content': GENERATE_CONTENT,
}

function post(client: TextDialectId, path: string, body: string, headers: Record<string, string> = {}) {
  return fetch(gateway.url + path, { method: 'POST', headers: { ...headersIn(client, key.secret), ...headers }, body })
}

/** The error in its dialect, after checking that nothing was sent, held or charged. */
async function rejectionOf(client: TextDialectId, response: Response) {
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{16}$/)
  const error = errorIn(client, await response.json())
  expect(upstream.received.length).toBe(0)
  expect(await key.rows()).toEqual([])
  return { status: response.status, ...error }
}

function bodyOf(client: TextDialectId, model: string, bad: Bad[1]): string {
  if ('text' in bad) return bad.text.replace('MODEL', model)
  return JSON.stringify({ ...bodyIn(client, { model }), ...bad.with }).replace('"MODEL"', `"${model}"`)
}

/** One upstream of the caller's own dialect, one of another. */
const placesFor = (client: TextDialectId): string[] => [
  `bare-${client}`,
  `bare-${client === 'messages' ? 'responses' : 'messages'}`,
]

/** Resident bytes of a process. */
const memoryOf = (pid: number): number =>
  1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

describe.each(CLIENTS)('%s', (client) => {
  test.each(TABLES[client])('%s', async (_, bad, field) => {
    for (const model of placesFor(client)) {
      const seen = await rejectionOf(client, await post(client, pathIn(client, { model }), bodyOf(client, model, bad)))
      expect(seen.status).toBe(400)
      if (field !== undefined) expect([model, seen.field]).toEqual([model, field])
    }
  })

  test.each([
    ['text/plain', 415],
    ['multipart/form-data; boundary=x', 415],
    ['application/json; charset=utf-16', 415],
    ['', 415],
  ])('as %p: %d', async (type, status) => {
    const path = pathIn(client, { model: `bare-${client}` })
    const body = JSON.stringify(bodyIn(client, { model: `bare-${client}` }))
    expect((await rejectionOf(client, await post(client, path, body, { 'content-type': type }))).status).toBe(status)
  })

  test('30 MiB of tiny values in a small compressed body: 413 before they are parsed', async () => {
    const model = `bare-${client}`
    const body = JSON.stringify(bodyIn(client, { model, more: { x: [] } }))
    const many = body.replace('"x":[]', `"x":[${'[],'.repeat(10_000_000)}[]]`)
    const headers = { ...headersIn(client, key.secret), 'content-encoding': 'gzip' }
    const before = memoryOf(gateway.pid)
    const response = await fetch(gateway.url + pathIn(client, { model }), {
      method: 'POST',
      headers,
      body: gzipSync(many),
    })
    const seen = await rejectionOf(client, response)
    expect([seen.status, seen.message]).toEqual([413, expect.stringContaining('more than 250000 JSON values')])
    // The decoded body itself, in chunks and as a whole; parsed values took a gigabyte.
    expect(memoryOf(gateway.pid) - before).toBeLessThan(256 * 1024 * 1024)
  })

  test('a wrong key: 401; an unknown model: 404', async () => {
    const model = `bare-${client}`
    const wrong = await callIn(client, gateway.url, `sk-${'A'.repeat(43)}`, { model })
    expect((await rejectionOf(client, wrong)).status).toBe(401)
    for (const name of ['unknown', 'constructor', `${model}:cut`]) {
      expect((await rejectionOf(client, await callIn(client, gateway.url, key.secret, { model: name }))).status).toBe(
        404,
      )
    }
  })

  test('GET: 405', async () => {
    const headers = headersIn(client, key.secret)
    const response = await fetch(gateway.url + pathIn(client, { model: `bare-${client}` }), { headers })
    expect([(await rejectionOf(client, response)).status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('NULs and unpaired surrogates are allowed in contents', async () => {
    const { secret } = await newKey(gateway)
    for (const upstreamDialect of TEXT_DIALECT_IDS) {
      const calling = { model: `over-${upstreamDialect}`, prompt: '\u0000 MARK \u2028' }
      const body = JSON.stringify(bodyIn(client, calling)).replace('MARK', '\\ud800')
      const headers = headersIn(client, secret)
      const response = await fetch(gateway.url + pathIn(client, calling), { method: 'POST', headers, body })
      expect([upstreamDialect, response.status]).toEqual([upstreamDialect, 200])
    }
  })

  test('after all of this the next request succeeds', async () => {
    const { secret } = await newKey(gateway)
    for (const id of TEXT_DIALECT_IDS) {
      expect((await callIn(client, gateway.url, secret, { model: `over-${id}` })).status).toBe(200)
    }
  })
})

describe('messages: the version', () => {
  const model = 'bare-messages'
  const body = JSON.stringify(bodyIn('messages', { model }))
  test.each([
    ['missing', {}, 'anthropic-version'],
    ['empty', { 'anthropic-version': '' }, 'anthropic-version'],
    ['unknown', { 'msg-version': '2020-01-01' }, 'msg-version'],
  ])('%s: 400', async (_, version: Record<string, string>, field) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': key.secret, ...version }
    const response = await fetch(`${gateway.url}/v1/messages`, { method: 'POST', headers, body })
    expect(await rejectionOf('messages', response)).toMatchObject({ status: 400, field })
  })
})

describe('generate-content: the path', () => {
  const body = JSON.stringify(bodyIn('generate-content', { model: '' }))
  test.each([
    ['a percent sign that encodes nothing', '/v1beta/models/bare%zz:generateContent', 400],
    ['bytes that are no text', '/v1beta/models/bare%ff%fe:generateContent', 400],
    ['a NUL', '/v1beta/models/bare%00:generateContent', 404],
    ['a line break', '/v1beta/models/bare%0d%0ax:generateContent', 404],
    ['a model with dots', '/v1beta/models/..%2fbare-chat:generateContent', 404],
    ['a model that is too long', `/v1beta/models/${'m'.repeat(5_000)}:generateContent`, 404],
    ['no model', '/v1beta/models/:generateContent', 400],
    ['an unknown verb', '/v1beta/models/bare-chat:embedText', 404],
    ['a verb of other models', '/v1beta/models/bare-chat:embedContent', 400],
    ['a version that does not exist', '/v2/models/bare-chat:generateContent', 404],
    ['an unknown alt', '/v1beta/models/bare-chat:streamGenerateContent?alt=xml', 400],
    ['an unknown alt, unstreamed', '/v1beta/models/bare-chat:generateContent?alt=proto', 400],
  ])('%s', async (_, path, status) => {
    const response = await post('generate-content', path, body)
    expect(response.status).toBe(status)
    expect(await response.text()).toContain('"error"')
    expect(upstream.received.length).toBe(0)
    expect(await key.rows()).toEqual([])
  })

  test('percent-encoded names are the same names', async () => {
    const { secret } = await newKey(gateway)
    for (const name of ['over%2Dchat', '%6fver-chat', 'over-chat%3Ausage-every-chunk']) {
      const headers = headersIn('generate-content', secret)
      const path = `${gateway.url}/v1beta/models/${name}:generateContent`
      expect([name, (await fetch(path, { method: 'POST', headers, body })).status]).toEqual([name, 200])
    }
  })

  test('a stream needs POST, not GET', async () => {
    const headers = headersIn('generate-content', key.secret)
    const response = await fetch(`${gateway.url}/v1beta/models/bare-chat:streamGenerateContent?alt=sse`, { headers })
    expect((await rejectionOf('generate-content', response)).status).toBe(405)
  })
})
