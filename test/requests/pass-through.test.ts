// Pass-through: bytes are unchanged both ways, and headers pass by allow-list only.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import {
  chunk,
  configFor,
  DONE,
  event,
  finish,
  LAST_CHUNK,
  reply,
  respondWith,
  role,
  STREAM_HEAD,
  startUpstream,
  stream,
  type Upstream,
  usage,
} from '../support/upstreams/raw-upstream.ts'

let upstream: Upstream
let decoy: Upstream
let gateway: Gateway
let secret: string
beforeAll(async () => {
  upstream = await startUpstream()
  decoy = await startUpstream()
  // A proxy of the environment must not be used.
  const proxy = new URL(decoy.url).origin
  gateway = await startGateway({
    config: configFor(upstream),
    env: { HTTP_PROXY: proxy, http_proxy: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy },
  })
  secret = (await newKey(gateway)).secret
})
afterAll(async () => {
  await gateway.stop()
  upstream.stop()
  decoy.stop()
})
beforeEach(() => upstream.behave(respondWith(reply())))

/** Sends this text as the body and returns the text that reached the upstream. */
async function forwarded(body: string): Promise<string> {
  const before = upstream.received.length
  const response = await chat(gateway.url, secret, body)
  const text = await response.text()
  expect(`${response.status} ${response.status === 200 ? '' : text}`).toBe('200 ')
  expect(upstream.received.length).toBe(before + 1)
  return written(upstream.last().body.toString())
}

/** Every request gets an end user id; nothing else may change. */
const END_USER = /,"safety_identifier":"[A-Za-z0-9_-]{32}"/

function written(body: string): string {
  expect(body).toMatch(END_USER)
  return body.replace(END_USER, '')
}

const MESSAGES = '"messages":[{"role":"user","content":"hi"}]'

describe('the request', () => {
  test.each([
    ['odd white space', `\n{ "model"\t:  "same" ,\r\n${MESSAGES}  }\n `],
    [
      'unknown fields at every level',
      `{"model":"same",${MESSAGES},"x":{"y":[1,{"z":null}]},"vendor_option":[true,0.10]}`,
    ],
    ['numbers as they are written', `{"model":"same",${MESSAGES},"seed":12345678901234567890,"temperature":1.0e0}`],
    [
      'nested keys that look like top-level ones',
      `{"metadata":{"model":"a","model":"b","stream":true},"model":"same",${MESSAGES}}`,
    ],
    [
      'escapes and characters of every length',
      '{"model":"same","messages":[{"role":"user","content":"\\u0041\\/é北🙂\\ud83d\\ude42 \\u0000 \\ud800"}]}',
    ],
    ['an escaped model name', `{"model":"\\u0073ame",${MESSAGES}}`],
    ['a cap that need not be lowered', `{"model":"same",${MESSAGES},"max_tokens":5,"max_completion_tokens":7}`],
    ['stream: false', `{"model":"same","stream":false,"stream_options":null,${MESSAGES}}`],
  ])('%s', async (_, body) => {
    expect(await forwarded(body)).toBe(body)
  })

  test.each([
    10, 300_000,
  ])('a body of %d bytes that are not all UTF-8 is rejected: readers would not agree on it', async (length) => {
    const before = Buffer.from(`{"model":"same","messages":[{"role":"user","content":"${'x'.repeat(length)}`)
    const body = Buffer.concat([before, Buffer.from([0xff, 0xfe]), Buffer.from('"}]}')])
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    const sent = upstream.received.length
    const response = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body })
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: expect.objectContaining({ message: 'The body is not valid UTF-8.', type: 'invalid_request_error' }) },
    ])
    expect(upstream.received.length).toBe(sent)
  })

  test('the model has another name at the upstream: only the name changes', async () => {
    expect(await forwarded(`{ "model" : "renamed" , ${MESSAGES}, "a":"renamed"}`)).toBe(
      `{ "model" : "inner-name" , ${MESSAGES}, "a":"renamed"}`,
    )
  })

  test.each([
    [
      'nothing asked',
      `{"model":"same","stream":true,${MESSAGES}}`,
      `{"model":"same","stream":true,${MESSAGES},"stream_options":{"include_usage":true}}`,
    ],
    ['asked already', `{"model":"same","stream":true,"stream_options":{"include_usage":true},${MESSAGES}}`, undefined],
    [
      'declined',
      `{"model":"same","stream":true,"stream_options":{"a":1,"include_usage":false},${MESSAGES}}`,
      `{"model":"same","stream":true,"stream_options":{"a":1,"include_usage":true},${MESSAGES}}`,
    ],
    [
      'other options',
      `{"model":"same","stream":true,"stream_options":{"a":1},${MESSAGES}}`,
      `{"model":"same","stream":true,"stream_options":{"include_usage":true,"a":1},${MESSAGES}}`,
    ],
  ])('a stream asks for usage: %s', async (_, body, expected) => {
    upstream.behave(stream(role(), event('Hi'), finish(), usage(), DONE))
    expect(await forwarded(body)).toBe(expected ?? body)
  })

  test('a compressed body arrives decoded', async () => {
    const body = `{"model":"same",${MESSAGES}}`
    const headers = {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    }
    const url = `${gateway.url}/v1/chat/completions`
    const response = await fetch(url, { method: 'POST', headers, body: gzipSync(body) })
    expect(response.status).toBe(200)
    expect(written(upstream.last().body.toString())).toBe(body)
    expect(upstream.last().headers['content-encoding']).toBeUndefined()
  })
})

describe('headers', () => {
  test('only headers of the dialect’s allow-list are forwarded', async () => {
    await chat(gateway.url, secret, `{"model":"same",${MESSAGES}}`, {
      cookie: 'session=1',
      'x-forwarded-for': '10.1.2.3',
      'x-forwarded-host': 'inside',
      forwarded: 'for=10.1.2.3',
      'x-custom': 'mine',
      'openai-organization': 'org-mine',
      'x-api-key': secret,
      referer: 'http://inside/',
      'user-agent': 'my-agent/1',
      'accept-language': 'de',
      'accept-encoding': 'gzip',
      'openai-beta': 'assistants=v2',
      'x-sandbox-fault': 'cut',
      'x-stainless-os': 'Linux',
      origin: 'http://inside',
      via: '1.1 inside',
    })
    const { headers, head } = upstream.last()
    expect(Object.keys(headers).sort()).toEqual(
      [
        'accept',
        'accept-encoding',
        'authorization',
        'content-length',
        'content-type',
        'host',
        'openai-beta',
        'user-agent',
      ].sort(),
    )
    expect(headers).toMatchObject({
      authorization: 'Bearer upstream-key',
      'accept-encoding': 'identity',
      'openai-beta': 'assistants=v2',
      'content-type': 'application/json',
    })
    expect(headers['user-agent']).toStartWith('trivium/')
    expect(head).toStartWith('POST /v1/chat/completions HTTP/1.1')
    expect(head).not.toContain(secret)
  })

  test('only allowed headers of the upstream are returned', async () => {
    const telling = {
      'set-cookie': 'a=b',
      server: 'secret-server',
      'openai-organization': 'org-1234567',
      via: '1.1 inside',
      'x-request-id': 'req_theirs',
      'x-ratelimit-limit-requests': '5',
      'cf-ray': '1',
      'x-sandbox': 'true',
      'access-control-allow-origin': '*',
      'strict-transport-security': 'max-age=1',
      'cache-control': 'public',
    }
    for (const streamed of [false, true]) {
      upstream.behave(
        streamed
          ? (socket) => {
              const lines = Object.entries(telling).map(([name, value]) => `${name}: ${value}\r\n`)
              const head = STREAM_HEAD.replace('\r\n\r\n', `\r\n${lines.join('')}\r\n`)
              socket.write(
                Buffer.concat([Buffer.from(head), chunk(event('Hi') + finish() + DONE), Buffer.from(LAST_CHUNK)]),
              )
            }
          : respondWith(reply(), 200, telling),
      )
      const response = await chat(gateway.url, secret, {
        model: 'same',
        stream: streamed,
        messages: [{ role: 'user', content: 'x' }],
      })
      await response.text()
      expect([...response.headers.keys()].sort()).toEqual(
        [
          'cache-control',
          'content-security-policy',
          'content-type',
          'cross-origin-resource-policy',
          'date',
          'referrer-policy',
          'request-id',
          'x-content-type-options',
          'x-frame-options',
          'x-request-id',
          'x-sandbox',
          ...(streamed ? ['transfer-encoding', 'x-accel-buffering'] : ['content-length']),
        ].sort(),
      )
      expect(response.headers.get('cache-control')).toBe('private, no-store')
      expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{16}$/)
      expect(response.headers.get('x-request-id')).not.toBe('req_theirs')
    }
  })

  test('responses and errors of the embedded model are labelled', async () => {
    for (const model of ['sandbox-text', 'sandbox-text:status=400']) {
      const response = await chat(gateway.url, secret, { model, messages: [{ role: 'user', content: 'x' }] })
      expect(response.headers.get('x-sandbox')).toBe('true')
    }
  })
})

describe('the response', () => {
  test('unstreamed bytes are unchanged except for the model name', async () => {
    const text = `{ "model":"inner-name","id" : "x", "choices":[{"index":0,"message":{"content":"\\u00e9é🙂","model":"inner-name"},"finish_reason":"stop","n":1.50}],"z":{"model":"inner-name"} ,"usage":{"prompt_tokens":1,"completion_tokens":1}}\n`
    upstream.behave(respondWith(text))
    expect(await (await chat(gateway.url, secret, `{"model":"same",${MESSAGES}}`)).text()).toBe(text)
    expect(await (await chat(gateway.url, secret, `{"model":"renamed",${MESSAGES}}`)).text()).toBe(
      text.replace('"inner-name"', '"renamed"'),
    )
  })

  const events = [
    ': hello\n\n',
    role(),
    event('Héllo 北京 🙂'),
    'data:  {"choices":[{"delta":{"content":"odd \\u00e9"}, "index":0}],"model": "inner-name","x":[1.0]}\n\n',
    'event: message\ndata: {"model":"inner-name","choices":[{"index":0,"delta":{"content":"two lines"}}]}\nid: 7\n\n',
    event({ choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop' }], usage: null }),
  ]

  test('streamed bytes are unchanged however they are split', async () => {
    const sent = [...events, DONE].join('')
    const bytes = Buffer.from(sent)
    for (const size of [1, 7, 64, bytes.length]) {
      upstream.behave(async (socket) => {
        socket.write(STREAM_HEAD)
        for (let at = 0; at < bytes.length; at += size) {
          socket.write(chunk(bytes.subarray(at, at + size)))
          if (at % 100 === 0) await Bun.sleep(0)
        }
        socket.write(LAST_CHUNK)
      })
      const response = await chat(gateway.url, secret, `{"model":"same","stream":true,${MESSAGES}}`)
      expect(response.headers.get('content-type')).toBe('text/event-stream')
      expect(await response.text()).toBe(sent)
    }
  })

  test('the upstream’s name of the model appears nowhere in a stream', async () => {
    upstream.behave(stream(...events, usage(), DONE))
    const text = await (await chat(gateway.url, secret, `{"model":"renamed","stream":true,${MESSAGES}}`)).text()
    expect(text).not.toContain('inner-name')
    expect(text.match(/"renamed"/g)?.length).toBe(5)
    expect(text).toEndWith(DONE)
  })

  test.each([
    ['asked for', true],
    ['not asked for', false],
  ])('the usage chunk, %s', async (_, asked) => {
    upstream.behave(stream(role(), event('Hi'), finish(), usage(), DONE))
    const body = {
      model: 'same',
      stream: true,
      stream_options: { include_usage: asked },
      messages: [{ role: 'user', content: 'x' }],
    }
    const text = await (await chat(gateway.url, secret, body)).text()
    expect(text).toBe(role() + event('Hi') + finish() + (asked ? usage() : '') + DONE)
  })
})

test('redirects are not followed, and proxies of the environment are not used', async () => {
  upstream.behave(respondWith('', 307, { location: decoy.url }))
  for (const streamed of [false, true]) {
    const response = await chat(gateway.url, secret, `{"model":"same","stream":${streamed},${MESSAGES}}`)
    expect(response.status).toBe(502)
    expect(await response.text()).not.toContain('127.0.0.1')
  }
  expect(decoy.connections().opened).toBe(0)
})

test('large pipelined requests reach the upstream one by one, each complete', async () => {
  const before = upstream.received.length
  const contents = ['a', 'b', 'c'].map((letter) => letter.repeat(40_000))
  const requests = contents.map((content) => {
    const body = JSON.stringify({ model: 'renamed', messages: [{ role: 'user', content }] })
    const lines = ['POST /v1/chat/completions HTTP/1.1', 'host: x', `authorization: Bearer ${secret}`]
    return [...lines, 'content-type: application/json', `content-length: ${body.length}`, '', body].join('\r\n')
  })
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname, () => socket.write(requests.join('')))
  let answers = ''
  for await (const piece of socket) {
    answers += piece
    if (answers.split('HTTP/1.1 200 OK').length > requests.length) break
  }
  const sent = upstream.received.slice(before).map(({ body }) => JSON.parse(body.toString()).messages[0].content)
  expect(sent.map((content: string) => [content[0], content.length])).toEqual(contents.map((each) => [each[0], 40_000]))
})
