import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import type { Socket, TCPSocketListener } from 'bun'
import { Cancel } from '../cancel.ts'
import { createHttpClient } from './client.ts'
import { Connection } from './connection.ts'
import { readAtMost } from './read-response.ts'
import type { UpstreamResponse } from './upstream-response.ts'

type Behaviour = (socket: Socket<{ number: number; request: string }>, request: string, number: number) => void

const servers: TCPSocketListener<{ number: number; request: string }>[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.stop(true)
})

/** A server that calls `behave` for each request whose head has arrived, and counts its connections. */
function upstream(behave: Behaviour) {
  let connections = 0
  let closed = 0
  const server = Bun.listen<{ number: number; request: string }>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        socket.data = { number: ++connections, request: '' }
      },
      data(socket, bytes) {
        socket.data.request += bytes.toString('latin1')
        if (!socket.data.request.includes('\r\n\r\n')) return
        const { request } = socket.data
        socket.data.request = ''
        behave(socket, request, socket.data.number)
      },
      close() {
        closed++
      },
    },
  })
  servers.push(server)
  return { origin: `http://127.0.0.1:${server.port}`, connections: () => connections, closed: () => closed }
}

const REQUEST = [Buffer.from('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n'), Buffer.from('{}')]
const ok = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

const http1 = createHttpClient()
const ask = (origin: string, cancel = new Cancel()) => http1(origin, REQUEST, cancel)
const textOf = async (reply: UpstreamResponse) => Buffer.from((await readAtMost(reply, 1e9)) ?? []).toString()
/** `expect(...).rejects` would wait forever if the promise never settled. */
const outcome = (asking: Promise<UpstreamResponse>): Promise<string> =>
  Promise.race([
    asking.then(
      () => 'answered',
      ({ code }) => code,
    ),
    Bun.sleep(30_000).then(() => 'waits'),
  ])
const settled = () => Bun.sleep(20)

test('a connection is reused after a complete response', async () => {
  const { origin, connections } = upstream((socket, _request, number) => void socket.write(ok(`from ${number}`)))
  for (let call = 0; call < 3; call++) expect(await textOf(await ask(origin))).toBe('from 1')
  const together = await Promise.all([ask(origin), ask(origin), ask(origin)])
  expect((await Promise.all(together.map(textOf))).sort()).toEqual(['from 1', 'from 2', 'from 3'])
  expect(connections()).toBe(3)
})

describe('a connection is not reused', () => {
  const cases: [why: string, answer: string][] = [
    ['when the response says so', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok'],
    ['when more arrived than the response', `${ok('ok')}${ok('smuggled')}`],
    ['after an HTTP/1.0 response', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok'],
  ]
  for (const [why, answer] of cases) {
    test(why, async () => {
      const { origin, connections } = upstream((socket) => void socket.write(answer))
      expect(await textOf(await ask(origin))).toBe('ok')
      expect(await textOf(await ask(origin))).toBe('ok')
      expect(connections()).toBe(2)
    })
  }
  test('when bytes arrive without a request', async () => {
    const { origin, connections, closed } = upstream((socket) => {
      socket.write(ok('ok'))
      setTimeout(() => socket.write(ok('unasked')), 5)
    })
    expect(await textOf(await ask(origin))).toBe('ok')
    while (closed() === 0) await Bun.sleep(1)
    expect(await textOf(await ask(origin))).toBe('ok')
    expect(connections()).toBe(2)
  })
})

describe('the body', () => {
  const chunked = (parts: string[]) => parts.map((each) => `${each.length.toString(16)}\r\n${each}\r\n`).join('')
  const cases: [name: string, answer: string, body: string][] = [
    ['in chunks', `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunked(['ab', 'c'])}0\r\n\r\n`, 'abc'],
    ['until the end', 'HTTP/1.1 200 OK\r\n\r\nabc', 'abc'],
    [
      'after a word in between',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\na: b\r\n\r\n${ok('abc')}`,
      'abc',
    ],
    ['empty', ok(''), ''],
  ]
  for (const [name, answer, body] of cases) {
    for (const size of [1, 7, answer.length]) {
      test(`${name}, ${size} bytes at a time`, async () => {
        const { origin } = upstream(async (socket) => {
          for (let at = 0; at < answer.length; at += size) {
            socket.write(answer.slice(at, at + size))
            socket.flush()
            if (size < answer.length) await Bun.sleep(0)
          }
          if (!answer.includes('chunked') && !answer.includes('content-length')) socket.end()
        })
        expect(await textOf(await ask(origin))).toBe(body)
      })
    }
  }
})

test('a stale connection is replaced; a new one that is closed is not', async () => {
  let answered = 0
  const { origin, connections } = upstream((socket) => {
    if (answered++ === 1) socket.terminate()
    else socket.write(ok('ok'))
  })
  expect(await textOf(await ask(origin))).toBe('ok')
  expect(await textOf(await ask(origin))).toBe('ok')
  expect(connections()).toBe(2)
  const closing = upstream((socket) => void socket.terminate())
  await expect(ask(closing.origin)).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(closing.connections()).toBe(1)
})

test('a reused connection whose response had begun is not replaced: the response may have been billed', async () => {
  let answered = 0
  const { origin, connections } = upstream((socket) => {
    if (answered++ === 0) return void socket.write(ok('ok'))
    socket.write('HTTP/1.1 200')
    setTimeout(() => socket.end(), 5)
  })
  expect(await textOf(await ask(origin))).toBe('ok')
  await expect(ask(origin)).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(connections()).toBe(1)
})

test('a request that may be sent only once uses a new connection, and is not sent again', async () => {
  let received = 0
  const { origin, connections } = upstream((socket) => {
    if (received++ === 0) socket.write(ok('ok'))
    else socket.terminate()
  })
  expect(await textOf(await ask(origin))).toBe('ok')
  await expect(http1(origin, REQUEST, new Cancel(), true)).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect([received, connections()]).toEqual([2, 2])
})

test('a closed port', async () => {
  const port = upstream(() => {}).origin
  for (const server of servers.splice(0)) server.stop(true)
  await expect(ask(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  await expect(ask('http://nosuch.invalid')).rejects.toMatchObject({ code: 'ENOTFOUND' })
})

describe('a response that breaks off', () => {
  const cases: [name: string, answer: string][] = [
    ['before its length', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'],
    ['before its last chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n'],
  ]
  for (const [name, answer] of cases) {
    test(name, async () => {
      const { origin } = upstream((socket) => {
        socket.write(answer)
        setTimeout(() => socket.end(), 5)
      })
      const reply = await ask(origin)
      expect(Buffer.from((await reply.read()) ?? []).toString()).toBe('abc')
      await expect((async () => await reply.read())()).rejects.toMatchObject({ code: 'ECONNRESET' })
    })
  }
})

test('responses that are not HTTP, and endless headers, are rejected', async () => {
  const other = upstream((socket) => void socket.write('SSH-2.0-x\r\n\r\n'))
  await expect(ask(other.origin)).rejects.toMatchObject({ code: 'MalformedReply' })
  const endless = upstream(async (socket) => {
    socket.write('HTTP/1.1 200 OK\r\na: ')
    for (let piece = 0; piece < 100; piece++) {
      socket.write('b'.repeat(50_000))
      await Bun.sleep(1)
    }
  })
  await expect(ask(endless.origin)).rejects.toMatchObject({ code: 'MalformedReply' })
  await settled()
  expect([other.closed(), endless.closed()]).toEqual([1, 1])
})

describe('a cancelled request', () => {
  test('before the response: the connection is closed and the request fails', async () => {
    const { origin, closed } = upstream(() => {})
    const cancel = new Cancel()
    const asking = ask(origin, cancel)
    await settled()
    cancel.cancel()
    await expect(asking).rejects.toMatchObject({ code: 'ECONNRESET' })
    await settled()
    expect(closed()).toBe(1)
  })

  test('within the response: the pending read fails', async () => {
    const { origin, closed } = upstream(
      (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc'),
    )
    const cancel = new Cancel()
    const reply = await ask(origin, cancel)
    await reply.read()
    const more = reply.read()
    cancel.cancel()
    await expect(more as Promise<unknown>).rejects.toThrow()
    await settled()
    expect(closed()).toBe(1)
  })

  test('after the response: the next request on the connection is not affected', async () => {
    const { origin, connections } = upstream((socket, _request, number) => {
      setTimeout(() => socket.write(ok(`from ${number}`)), 20)
    })
    const first = new Cancel()
    await textOf(await ask(origin, first))
    const second = ask(origin)
    first.cancel()
    expect(await textOf(await second)).toBe('from 1')
    expect(connections()).toBe(1)
  })
})

describe('a cancelled response never passes for complete', () => {
  const cases: [name: string, answer: string][] = [
    ['a body that ends with the connection', 'HTTP/1.1 200 OK\r\n\r\nabc'],
    ['a body of which more is missing', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc'],
    ['a body that is there and was not read', ok('abc')],
  ]
  for (const [name, answer] of cases) {
    test(name, async () => {
      const { origin } = upstream((socket) => void socket.write(answer))
      const cancel = new Cancel()
      const reply = await ask(origin, cancel)
      await settled()
      cancel.cancel()
      await expect(textOf(reply)).rejects.toMatchObject({ code: 'ECONNRESET' })
    })
  }

  test('while a read of a body that ends with the connection is pending', async () => {
    const { origin, closed } = upstream((socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\nabc'))
    const cancel = new Cancel()
    const reading = textOf(await ask(origin, cancel))
    await settled()
    cancel.cancel()
    await expect(reading).rejects.toMatchObject({ code: 'ECONNRESET' })
    await settled()
    expect(closed()).toBe(1)
  })

  test('a body that was read to its end stays complete', async () => {
    const { origin } = upstream((socket) => void socket.write(ok('abc')))
    const cancel = new Cancel()
    const reply = await ask(origin, cancel)
    expect(await textOf(reply)).toBe('abc')
    cancel.cancel()
    expect(await reply.read()).toBeUndefined()
  })
})

test('a request that was cancelled before it began is not sent, over a reused connection or a new one', async () => {
  let requests = 0
  const { origin } = upstream((socket) => {
    requests++
    socket.write(ok('ok'))
  })
  const cancel = new Cancel()
  cancel.cancel()
  expect(await outcome(ask(origin, cancel))).toBe('ECONNRESET')
  await textOf(await ask(origin))
  expect(await outcome(ask(origin, cancel))).toBe('ECONNRESET')
  await settled()
  expect(requests).toBe(1)
})

async function connect(origin: string): Promise<Connection> {
  const connection = new Connection({ release: () => {}, closed: () => {} })
  const { hostname, port } = new URL(origin)
  const socket = {
    open: (socket: Socket<Connection>) => connection.onOpen(socket),
    data: (_: unknown, bytes: Buffer) => connection.onData(bytes),
  }
  await Bun.connect({ hostname, port: Number(port), data: connection, socket })
  return connection
}

const sendOver = (connection: Connection, cancel = new Cancel()): Promise<UpstreamResponse> =>
  new Promise((answered, failed) => connection.send(REQUEST, { cancel, onResponse: answered, onError: failed }))

test('a connection in use does not time out, an idle one does', async () => {
  const { origin, closed } = upstream((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n')
    setTimeout(() => socket.write('ok'), 30)
  })
  const connection = await connect(origin)
  const asking = sendOver(connection)
  connection.onTimeout()
  const reply = await asking
  connection.onTimeout()
  expect(await textOf(reply)).toBe('ok')
  expect(closed()).toBe(0)
  connection.onTimeout()
  await settled()
  expect(closed()).toBe(1)
})

test('a request that is cancelled while connecting is not sent', async () => {
  let requests = 0
  const { origin } = upstream(() => void requests++)
  const cancel = new Cancel()
  const connection = await connect(origin)
  cancel.cancel()
  expect(await outcome(sendOver(connection, cancel))).toBe('ECONNRESET')
  await settled()
  expect(requests).toBe(0)
})

test('a slow reader exerts backpressure on the upstream, and gets everything in the end', async () => {
  const size = 30_000_000
  const bytes = Buffer.alloc(size, 'x')
  const sent = { to: 0 }
  const server = Bun.listen<unknown>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket) {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`)
        sent.to += socket.write(bytes)
      },
      drain(socket) {
        sent.to += socket.write(bytes.subarray(sent.to))
      },
    },
  })
  const reply = await ask(`http://127.0.0.1:${server.port}`)
  await Bun.sleep(200)
  // The kernel's buffers of both ends, and a few reads of ours.
  expect(sent.to).toBeLessThan(size * 0.6)
  expect((await textOf(reply)).length).toBe(size)
  server.stop(true)
})

afterAll(async () => {
  await settled()
})

test('the number of idle connections is limited for all hosts together', async () => {
  const few = createHttpClient(undefined, undefined, 3)
  const hosts = [1, 2].map(() => upstream((socket) => void socket.write(ok('ok'))))
  const askBoth = () =>
    Promise.all(
      [0, 1, 2, 3].map(async (call) => textOf(await few(hosts[call % 2]?.origin ?? '', REQUEST, new Cancel()))),
    )
  await askBoth()
  await settled()
  expect(hosts.reduce((sum, { connections, closed }) => sum + connections() - closed(), 0)).toBe(3)
  await askBoth()
  expect(hosts.reduce((sum, { connections }) => sum + connections(), 0)).toBe(5)
})
