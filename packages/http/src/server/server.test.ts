// The server as a client sees it, plain and over TLS.
import { afterAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:tls'
import { CERTIFICATE, GET, until } from '../../test-support/exchanges.ts'
import { echo, echoOf, textResponse } from '../../test-support/handler.ts'
import { RawClient } from '../../test-support/raw-client.ts'
import { serveForTest } from '../../test-support/serve.ts'

const failures: string[] = []
const failed = (error: unknown) => void failures.push(String(error))
const plain = serveForTest(echo, { failed })
const secure = serveForTest(echo, { failed, tls: CERTIFICATE })
afterAll(() => Promise.all([plain.stop(), secure.stop()]))

const get = (path: string, ...lines: string[]) => `GET ${path} HTTP/1.1\r\nHost: a\r\n${lines.join('')}\r\n`
const post = (path: string, body: string, ...lines: string[]) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n${lines.join('')}\r\n${body}`
const CHUNKED = 'Transfer-Encoding: chunked\r\n'
const CLOSE = 'Connection: close\r\n'

describe.each([
  ['plain', plain, false],
  ['over TLS', secure, true],
])('%s', (_, { port }, isSecure) => {
  const open = () => new RawClient(port, isSecure)

  test('several requests on one connection', async () => {
    const client = open()
    for (const path of ['/a', '/at-once', '/streamed', '/a']) {
      const { status, headers, ending } = await client.send(post(path, 'hello')).response()
      expect([status, ending]).toEqual([200, path === '/streamed' ? 'chunks' : 'length'])
      expect(headers['x-request-id']).toBe('req_0000000000000000')
      expect(Math.abs(Date.parse(headers.date ?? '') - Date.now())).toBeLessThan(60_000)
      expect(headers.connection).toBeUndefined()
    }
    client.disconnect()
  })

  test('several values per header, in both directions', async () => {
    const client = open().send(
      get('/cookies', 'X-Tag: one, two\r\n', 'Cookie: c=3\r\n', 'x-tag:three\r\n', 'X-TAG: \r\n'),
    )
    const { cookies, body } = await client.response()
    expect(JSON.parse(body)).toEqual({ joined: 'one, two, three, ', values: ['one, two', 'three', ''], absent: [] })
    expect(cookies).toEqual(['a=1; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2'])
    expect((await client.send(get('/at-once')).response()).cookies).toEqual([])
    client.disconnect()
  })

  test('pipelined requests are answered in order', async () => {
    const client = open()
    const paths = Array.from({ length: 500 }, (_, index) => `${['/a', '/at-once', '/streamed'][index % 3]}?${index}`)
    client.send(paths.map((path) => get(path)).join(''))
    const answers = await client.responses(paths.length)
    const expected = paths.map((path) => (path.startsWith('/at-once') ? `GET ${path}` : echoOf('GET', path, '')))
    expect(answers.map((answer) => answer.body)).toEqual(expected)
    client.disconnect()
  })

  test('a request cut at every byte', async () => {
    const request = `${post('/a', 'hel\r\nlo')}POST /b HTTP/1.1\r\nHost: a\r\n${CHUNKED}\r\n3\r\nabc\r\n0\r\n\r\n`
    const clients = Array.from({ length: request.length - 1 }, async (_, at) => {
      const client = open()
      await client.sendEach([request.slice(0, at + 1), request.slice(at + 1)])
      const answers = await client.responses(2)
      expect(answers.map(({ body }) => body)).toEqual([echoOf('POST', '/a', 'hel\r\nlo'), echoOf('POST', '/b', 'abc')])
      client.disconnect()
    })
    await Promise.all(clients)
  })

  test('a request of single bytes', async () => {
    const client = open()
    await client.sendEach([...post('/a', 'hello')])
    expect((await client.response()).body).toBe(echoOf('POST', '/a', 'hello'))
    client.disconnect()
  })

  test('a large body in both directions', async () => {
    const client = open()
    const body = 'abcdefgh'.repeat(500_000)
    const answer = await client.send(post('/a', body)).response()
    expect(answer.body === echoOf('POST', '/a', body)).toBeTrue()
    client.disconnect()
  })

  test('a line end after a body is not part of it', async () => {
    const client = open()
    client.send(`${post('/a', 'hello')}\r\n${get('/b')}`)
    expect((await client.responses(2)).map(({ body }) => body)).toEqual([
      echoOf('POST', '/a', 'hello'),
      echoOf('GET', '/b', ''),
    ])
    await client.sendEach(['\r\n', get('/c')])
    expect((await client.response()).body).toBe(echoOf('GET', '/c', ''))
    await client.sendEach(['\r', '\n', get('/d')])
    expect((await client.response()).body).toBe(echoOf('GET', '/d', ''))
    client.disconnect()
  })

  describe('a malformed request is rejected, and the connection is closed', () => {
    const bad: [name: string, text: string, status: number][] = [
      ['not HTTP', 'hello\r\n\r\n', 400],
      ['a TLS ClientHello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
      ['binary', '\xff\xfe\x00', 400],
      ['a bare line feed', 'GET / HTTP/1.1\nHost: a\r\n\r\n', 400],
      ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
      ['two lengths', post('/', 'hello', 'Content-Length: 6\r\n'), 400],
      ['a length and chunks', post('/', '0\r\n\r\n', CHUNKED), 400],
      ['malformed chunks', `POST / HTTP/1.1\r\nHost: a\r\n${CHUNKED}\r\nhello`, 400],
      ['a chunk with a sign', `POST / HTTP/1.1\r\nHost: a\r\n${CHUNKED}\r\n+1\r\na\r\n0\r\n\r\n`, 400],
      ['a chunk longer than its size', `POST / HTTP/1.1\r\nHost: a\r\n${CHUNKED}\r\n1\r\nab\r\n0\r\n\r\n`, 400],
      ['an encoding', get('/', 'Transfer-Encoding: gzip, chunked\r\n'), 501],
      ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505],
      ['an unknown expectation', get('/', 'Expect: a miracle\r\n'), 417],
      ['a head too long', get(`/${'a'.repeat(70_000)}`), 431],
      ['an endless head', `GET / HTTP/1.1\r\n${'A: b\r\n'.repeat(20_000)}`, 431],
    ]
    for (const [name, text, status] of bad) {
      test(name, async () => {
        // Also as the second request on a connection.
        for (const before of ['', get('/a')]) {
          const client = open().send(before + text + get('/smuggled'))
          if (before) expect((await client.response()).status).toBe(200)
          const answer = await client.response()
          expect([answer.status, answer.body, answer.headers.connection]).toEqual([status, '', 'close'])
          expect(await client.end()).toEqual({ rest: '', how: 'end' })
          client.disconnect()
        }
      })
    }

    test('a long head is no error', async () => {
      const client = open().send(get('/a', `X: ${'b'.repeat(60_000)}\r\n`))
      expect((await client.response()).status).toBe(200)
      client.disconnect()
    })
  })

  describe('a response before the end of the body', () => {
    test('a small rest of the body is read, and the connection continues', async () => {
      const client = open().send(post('/unread', 'x'.repeat(1000)).slice(0, -500))
      expect((await client.response()).status).toBe(401)
      client.send(`${'x'.repeat(500)}${get('/b')}`)
      expect((await client.response()).body).toBe(echoOf('GET', '/b', ''))
      client.disconnect()
    })

    test('a large rest is not, but the response reaches a client that first sends all of it', async () => {
      const client = open().send(post('/unread', 'x'.repeat(8_000_000)) + get('/smuggled'))
      const answer = await client.response()
      expect([answer.status, answer.headers.connection]).toEqual([401, 'close'])
      expect(await client.end()).toEqual({ rest: '', how: 'end' })
      client.disconnect()
    })

    test('the rest of a chunked body has no known size', async () => {
      const client = open().send(`POST /unread HTTP/1.1\r\nHost: a\r\n${CHUNKED}\r\n5\r\nhel`)
      expect((await client.response()).headers.connection).toBe('close')
      expect(await client.send(`lo\r\n0\r\n\r\n${get('/b')}`).end()).toEqual({ rest: '', how: 'end' })
      client.disconnect()
    })

    test('the next request follows a chunked body that the handler did not read', async () => {
      const client = open().send(
        `POST /unread HTTP/1.1\r\nHost: a\r\n${CHUNKED}\r\n5\r\nhello\r\n0\r\n\r\n${get('/b')}`,
      )
      expect((await client.responses(2)).map(({ status }) => status)).toEqual([401, 200])
      client.disconnect()
    })
  })

  describe('a client that expects 100 Continue', () => {
    const waiting = (path: string, length: number) =>
      `POST ${path} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`

    test('gets it when the handler reads the body', async () => {
      const client = open().send(waiting('/a', 5))
      expect((await client.response()).status).toBe(100)
      expect((await client.send('hello').response()).body).toBe(echoOf('POST', '/a', 'hello'))
      expect((await client.send(get('/b')).response()).status).toBe(200)
      client.disconnect()
    })

    test('does not get it if the body has arrived', async () => {
      const client = open().send(`${waiting('/a', 5)}hello`)
      expect((await client.response()).status).toBe(200)
      client.disconnect()
    })

    test('is rejected without it, and the connection is closed: the client may or may not send the body', async () => {
      const client = open().send(waiting('/unread', 5))
      const answer = await client.response()
      expect([answer.status, answer.headers.connection]).toEqual([401, 'close'])
      expect((await client.send(get('/smuggled')).end()).rest).toBe('')
      client.disconnect()
    })
  })

  test('HEAD has no body, only its length', async () => {
    const client = open()
    for (const path of ['/a', '/streamed']) {
      const answer = await client.send(`HEAD ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).response('HEAD')
      expect(answer.headers['content-length']).toBe(path === '/a' ? String(echoOf('HEAD', '/a', '').length) : undefined)
    }
    expect((await client.send(get('/b')).response()).body).toBe(echoOf('GET', '/b', ''))
    client.disconnect()
  })

  describe('the connection is closed after the response', () => {
    const requests: [name: string, request: string][] = [
      ['when the client says so', get('/a', CLOSE)],
      ['when the client says so, streamed', get('/streamed', CLOSE)],
      ['when the handler says so', get('/goodbye')],
      ['in HTTP/1.0', 'GET /a HTTP/1.0\r\n\r\n'],
      ['in HTTP/1.0, streamed', 'GET /streamed HTTP/1.0\r\nConnection: keep-alive\r\n\r\n'],
    ]
    for (const [name, request] of requests) {
      test(name, async () => {
        const client = open().send(request + get('/smuggled'))
        const answer = await client.response()
        expect([answer.status, answer.headers.connection]).toEqual([200, 'close'])
        expect(answer.headers['transfer-encoding']).toBe(name.endsWith('says so, streamed') ? 'chunked' : undefined)
        expect(answer.body).toStartWith('GET /')
        expect(await client.end()).toEqual({ rest: '', how: 'end' })
        client.disconnect()
      })
    }
  })

  test('a handler that fails is an empty 500, and reported', async () => {
    for (const path of ['/thrown', '/rejected']) {
      failures.length = 0
      const client = open().send(get(path) + get('/smuggled'))
      const answer = await client.response()
      expect([answer.status, answer.headers.connection]).toEqual([500, 'close'])
      expect((await client.end()).rest).toBe('')
      expect(failures).toEqual([`Error: ${path.slice(1)}`])
      client.disconnect()
    }
  })
})

test('the TLS handshake announces the protocol', async () => {
  const offers: [string[] | undefined, string | false][] = [
    [['h2', 'http/1.1'], 'http/1.1'],
    [['http/1.0', 'http/1.1'], 'http/1.1'],
    [['http/1.0'], 'http/1.0'],
    [undefined, false],
  ]
  for (const [offered, spoken] of offers) {
    const options = { port: secure.port, host: '127.0.0.1', rejectUnauthorized: false }
    const socket = connect({ ...options, ...(offered ? { ALPNProtocols: offered } : {}) })
    await new Promise((resolve) => socket.once('secureConnect', resolve))
    expect(socket.alpnProtocol).toBe(spoken)
    socket.destroy()
  }
})

test('plain bytes on the TLS port are no connection', async () => {
  const client = new RawClient(secure.port).send(get('/a'))
  expect((await client.end()).rest).not.toContain('HTTP/1.1 200')
  const other = new RawClient(secure.port, true)
  expect((await other.send(get('/a')).response()).status).toBe(200)
  other.disconnect()
})

test('responses that are not read are given up beyond the memory that they may take, the largest first', async () => {
  const sizes: Record<string, number> = { '/large': 40_000_000, '/larger': 60_000_000 }
  const server = serveForTest(({ target }) => ({ ...textResponse(200, ''), body: Buffer.alloc(sizes[target] ?? 10) }), {
    unsentLimit: () => 50_000_000,
  })
  const clients = Object.keys(sizes).map((target) => {
    const client = new RawClient(server.port)
    client.socket.pause()
    return client.send(GET.replace('/a', target))
  })
  await until(() => server.server.pending === 2)
  // The system takes a while to fill its buffers, and each byte that it takes is progress.
  for (let steps = 0; steps < 200 && server.server.pending === 2; steps++) await server.advance(3_000)
  expect(server.server.pending).toBe(1)
  const [large] = clients
  large?.socket.resume()
  expect((await large?.response())?.body.length).toBe(40_000_000)
  expect((await new RawClient(server.port).send(GET).response()).status).toBe(200)
  for (const client of clients) client.disconnect()
  await server.stop()
})
