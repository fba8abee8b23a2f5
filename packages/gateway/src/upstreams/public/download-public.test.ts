// Downloads over real sockets on loopback: limits, backpressure, redirects, credentials.
import { afterEach, describe, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { ca, closeSites, head, ok, site } from '../../../test-support/public-site.ts'
import { type DownloadOptions, downloadPublic } from './download-public.ts'
import { PublicFetchError } from './public-fetch-error.ts'

afterEach(closeSites)

const OPTIONS: DownloadOptions = {
  maxBytes: 100,
  timeoutMs: 5_000,
  idleMs: 5_000,
  allowHost: (host) => host === 'own.example',
  resolve: async () => ['127.0.0.1'],
}
const own = (port: number, path = '/') => `http://own.example:${port}${path}`

async function download(url: string, options: Partial<DownloadOptions> = {}) {
  const { body, discard, ...rest } = await downloadPublic(url, { ...OPTIONS, ...options })
  return { ...rest, text: Buffer.concat(await Array.fromAsync(body)).toString() }
}

async function reasonOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof PublicFetchError)) throw error
    expect(error.message).not.toMatch(/127\.0\.0\.1|\.example|:[0-9]/)
    return error.reason
  }
  return 'downloaded'
}

const chunked = (...chunks: string[]) =>
  `${head('200 OK', 'transfer-encoding: chunked')}${chunks.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('')}`

test.each<[string, string, { status?: number; length?: number; text: string }]>([
  ['a measured body', ok('hello'), { length: 5, text: 'hello' }],
  ['exactly the cap', ok('x'.repeat(100)), { length: 100, text: 'x'.repeat(100) }],
  ['chunks', `${chunked('hel', 'lo')}0\r\n\r\n`, { text: 'hello' }],
  ['until the connection ends', `${head('200 OK')}hello`, { text: 'hello' }],
  ['an empty body', ok(''), { length: 0, text: '' }],
  ['an error of the host', `${head('403 Forbidden', 'content-length: 2')}no`, { status: 403, length: 2, text: 'no' }],
])('%s is downloaded', async (_, answer, expected) => {
  const { port } = await site(answer)
  expect(await download(own(port))).toEqual({ status: 200, contentType: undefined, length: undefined, ...expected })
})

test.each<[string, string, string]>([
  ['a body that ends before its length', `${head('200 OK', 'content-length: 10')}short`, 'broken'],
  ['chunks without an end', chunked('hello'), 'broken'],
  ['chunks over the cap', chunked('x'.repeat(60), 'x'.repeat(60)), 'too_large'],
  ['an unmeasured body over the cap', head('200 OK') + 'x'.repeat(101), 'too_large'],
])('%s is an error of the body', async (_, answer, reason) => {
  const { port } = await site(answer)
  const { status, body } = await downloadPublic(own(port), OPTIONS)
  expect(status).toBe(200)
  expect(await reasonOf(Array.fromAsync(body))).toBe(reason)
})

test('a host that trickles is cut, however often it sends something', async () => {
  const closed = Promise.withResolvers<void>()
  const { port } = await site((socket) => {
    socket.write(head('200 OK', 'content-length: 100'))
    const timer = setInterval(() => socket.write('x'), 20)
    socket.on('close', () => {
      clearInterval(timer)
      closed.resolve()
    })
  })
  const pace = { freeMs: 100, windowMs: 200, bytesPerSecond: 8_192 }
  expect(await reasonOf(download(own(port), { pace }))).toBe('timed_out')
  await closed.promise
})

test.each<[string, string, string]>([
  ['a length over the cap', head('200 OK', 'content-length: 101'), 'too_large'],
  ['compressed content', `${head('200 OK', 'content-encoding: gzip', 'content-length: 2')}xx`, 'encoded'],
  ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n', 'broken'],
  ['a redirect', head('302 Found', 'location: /other', 'content-length: 0'), 'redirected'],
])('%s is an error at once, and the connection is closed', async (_, answer, reason) => {
  const closed = Promise.withResolvers<void>()
  const { port } = await site((socket) => {
    socket.on('close', () => closed.resolve())
    socket.write(answer)
  })
  expect(await reasonOf(downloadPublic(own(port), OPTIONS))).toBe(reason)
  await closed.promise
})

test.each<[string, string, Partial<DownloadOptions>, string]>([
  ['a private address', 'http://127.0.0.1:PORT/', {}, 'not_public'],
  ['a private answer of the resolver', 'http://inward.example:PORT/', {}, 'not_public'],
  [
    'a metadata service, even if everything private is allowed',
    'http://inward.example:PORT/',
    { allowPrivate: true, resolve: async () => ['169.254.169.254'] },
    'not_public',
  ],
  ['userinfo', 'http://user:pass@own.example:PORT/', {}, 'bad_url'],
])('%s is rejected before a connection is made', async (_, url, options, reason) => {
  const { port, requests } = await site(ok('inside'))
  expect(await reasonOf(download(url.replace('PORT', String(port)), options))).toBe(reason)
  expect(requests).toEqual([])
})

describe('time', () => {
  const stalls: [string, (socket: Socket) => void][] = [
    ['before the headers', () => {}],
    ['within the body', (socket) => socket.write(`${head('200 OK', 'content-length: 10')}hello`)],
  ]
  test.each(stalls)('a host that stalls %s runs into the idle timeout', async (_, stall) => {
    const closed = Promise.withResolvers<void>()
    const { port } = await site((socket) => {
      socket.on('close', () => closed.resolve())
      stall(socket)
    })
    expect(await reasonOf(download(own(port), { idleMs: 100, timeoutMs: 600_000 }))).toBe('timed_out')
    await closed.promise
  })

  const drip = (socket: Socket) => {
    socket.write(head('200 OK'))
    const timer = setInterval(() => socket.write('x'), 20)
    socket.on('close', () => clearInterval(timer))
  }

  test('a slow drip is not idle, but ends at the total timeout', async () => {
    const { port } = await site(drip)
    const { body } = await downloadPublic(own(port), { ...OPTIONS, idleMs: 300, timeoutMs: 700 })
    let received = 0
    const reading = (async () => {
      for await (const piece of body) received += piece.length
    })()
    expect(await reasonOf(reading)).toBe('timed_out')
    expect(received).toBeGreaterThan(5)
  })

  test('a slow reader is not an idle host', async () => {
    const { port } = await site((socket) => {
      socket.write(`${head('200 OK', 'content-length: 10')}hello`)
      setTimeout(() => socket.end('world'), 50)
    })
    const { body } = await downloadPublic(own(port), { ...OPTIONS, idleMs: 500 })
    let text = ''
    for await (const piece of body) {
      text += Buffer.from(piece).toString()
      await Bun.sleep(700)
    }
    expect(text).toBe('helloworld')
  })

  test('the total timeout also closes a download that is not read', async () => {
    const closed = Promise.withResolvers<void>()
    const { port } = await site((socket) => {
      socket.on('close', () => closed.resolve())
      drip(socket)
    })
    // Long enough for the head of the response to arrive on a busy machine.
    const { body } = await downloadPublic(own(port), { ...OPTIONS, timeoutMs: 1_500 })
    await closed.promise
    expect(await reasonOf(Array.fromAsync(body))).toBe('timed_out')
  })
})

describe('stopping', () => {
  const hanging = async () => {
    const closed = Promise.withResolvers<void>()
    const { port } = await site((socket) => {
      socket.on('close', () => closed.resolve())
      socket.write(`${head('200 OK', 'content-length: 10')}hello`)
    })
    return { closed: closed.promise, port }
  }

  test('an abort while the body is read closes the connection', async () => {
    const { closed, port } = await hanging()
    const stop = new AbortController()
    const { body } = await downloadPublic(own(port), { ...OPTIONS, signal: stop.signal })
    const reading = (async () => {
      for await (const _ of body) stop.abort()
    })()
    expect(await reasonOf(reading)).toBe('aborted')
    await closed
    expect(await reasonOf(downloadPublic(own(port), { ...OPTIONS, signal: stop.signal }))).toBe('aborted')
  })

  test('a reader that stops early closes the connection', async () => {
    const { closed, port } = await hanging()
    const { body } = await downloadPublic(own(port), OPTIONS)
    for await (const _ of body) break
    await closed
  })

  test('a discarded download closes the connection', async () => {
    const { closed, port } = await hanging()
    const { discard } = await downloadPublic(own(port), OPTIONS)
    discard()
    discard()
    await closed
  })
})

test('an endless body is read no faster than it is consumed', async () => {
  let sent = 0
  const { port } = await site((socket) => {
    const block = Buffer.alloc(64 * 1024)
    socket.write(head('200 OK'))
    const fill = () => {
      while (!socket.destroyed) {
        sent += block.length
        if (!socket.write(block)) return void socket.once('drain', fill)
      }
    }
    fill()
  })
  const limits = { maxBytes: 200_000_000, timeoutMs: 120_000, idleMs: 120_000 }
  const { body } = await downloadPublic(own(port), { ...OPTIONS, ...limits })
  const pieces = body[Symbol.asyncIterator]()
  await pieces.next()
  await Bun.sleep(300)
  // The kernel's buffers on both sides, and one of the client's.
  expect(sent).toBeLessThan(40_000_000)
  const rest = (async () => {
    while (!(await pieces.next()).done);
  })()
  expect(await reasonOf(rest)).toBe('too_large')
  expect(sent).toBeGreaterThan(190_000_000)
})

describe('redirects', () => {
  const to = (location: string, status = '302 Found') => head(status, `location: ${location}`, 'content-length: 0')
  const credentials = { 'x-goog-api-key': 'secret' }

  test.each([
    '301 Moved',
    '302 Found',
    '303 See Other',
    '307 Temporary',
    '308 Permanent',
  ])('%s is followed', async (status) => {
    const { port, requests } = await site((socket) =>
      socket.end(requests.length === 1 ? to('/b?c=d#e', status) : ok('hello')),
    )
    expect((await download(own(port, '/a'), { redirects: 1 })).text).toBe('hello')
    expect(requests.map((text) => text.split('\r\n')[0])).toEqual(['GET /a HTTP/1.1', 'GET /b?c=d HTTP/1.1'])
  })

  test('credentials stay within the origin, and are not sent again after another one', async () => {
    const storage = await site((socket) => socket.end(to(own(upstream.port, '/again'))))
    const upstream = await site((socket) => {
      const count = upstream.requests.length
      if (count === 1) socket.end(to('/moved'))
      else socket.end(count === 2 ? to(`http://storage.example:${storage.port}/signed?sig=1`) : ok('video'))
    })
    const options = {
      headers: credentials,
      redirects: 3,
      allowPrivate: true,
      allowHost: (host: string, port: number) => host === 'own.example' && port === upstream.port,
    }
    expect((await download(own(upstream.port, '/first'), options)).text).toBe('video')
    const sent = (requests: string[]) => requests.map((text) => [text.split(' ')[1], /secret/.test(text)])
    expect(sent(upstream.requests)).toEqual([
      ['/first', true],
      ['/moved', true],
      ['/again', false],
    ])
    expect(sent(storage.requests)).toEqual([['/signed?sig=1', false]])
  })

  test('credentials are never sent to a host that is not the upstream’s own', async () => {
    const { port, requests } = await site(ok('hello'))
    const others: Partial<DownloadOptions>[] = [{ allowHost: () => false }, { allowHost: (_, own) => own !== port }]
    for (const options of others) await download(own(port), { headers: credentials, allowPrivate: true, ...options })
    expect(requests).toHaveLength(2)
    expect(requests.join()).not.toContain('secret')
  })

  test('the same host without TLS is another origin', async () => {
    const plain = await site(ok('hello'))
    const secure = await site(to(`http://pinned.example:${plain.port}/`), true)
    const options = { ca, headers: credentials, redirects: 1, allowHost: () => true }
    await download(`https://pinned.example:${secure.port}/`, options)
    expect([secure.requests.join(), plain.requests.join()].map((text) => text.includes('secret'))).toEqual([
      true,
      false,
    ])
  })

  test.each<[string, string, number, string]>([
    ['more than allowed', '/loop', 3, 'redirected'],
    ['to a private address', 'http://127.0.0.1:PORT/', 1, 'not_public'],
    ['to another spelling of a private address', 'http://0x7f.1:PORT/', 1, 'not_public'],
    ['to a private name', 'http://inward.example:PORT/', 1, 'not_public'],
    ['to a metadata service', 'http://169.254.169.254/latest', 1, 'not_public'],
    ['with userinfo', 'http://a:b@own.example:PORT/', 1, 'bad_url'],
    ['to another scheme', 'file:///etc/passwd', 1, 'bad_url'],
    ['to no URL', 'http://[', 1, 'bad_url'],
  ])('%s is an error', async (_, location, redirects, reason) => {
    const { port, requests } = await site((socket) => socket.end(to(location.replace('PORT', String(port)))))
    expect(await reasonOf(download(own(port), { redirects }))).toBe(reason)
    expect(requests).toHaveLength(reason === 'redirected' ? 4 : 1)
  })

  test('304 and a redirect without a location are errors', async () => {
    for (const answer of [head('304 Not Modified'), head('302 Found', 'content-length: 0')]) {
      const { port } = await site(answer)
      expect(await reasonOf(download(own(port), { redirects: 1 }))).toBe('redirected')
    }
  })

  test('every name on the way is resolved once', async () => {
    const asked: string[] = []
    const { port, requests } = await site((socket) =>
      socket.end(requests.length === 1 ? to(`http://next.example:${port}/`) : ok('hello')),
    )
    const resolve = async (name: string) => {
      asked.push(name)
      return ['127.0.0.1']
    }
    await download(own(port), { redirects: 1, resolve, allowHost: () => true })
    expect(asked).toEqual(['own.example', 'next.example'])
  })
})
