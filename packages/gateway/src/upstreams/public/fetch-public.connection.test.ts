// What happens on the wire: pinning, certificates, redirects, caps. Real sockets on loopback.
import { afterEach, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { ca, closeSites, head, ok, site } from '../../../test-support/public-site.ts'
import { fetchPublic, type PublicFetchOptions } from './fetch-public.ts'
import { PublicFetchError } from './public-fetch-error.ts'

afterEach(closeSites)

const OPTIONS: PublicFetchOptions = {
  maxBytes: 100,
  timeoutMs: 5000,
  allowHost: (host) => host.endsWith('.example'),
  resolve: async () => ['127.0.0.1'],
}

async function reasonOf(url: string, options: Partial<PublicFetchOptions> = {}): Promise<string> {
  try {
    await fetchPublic(url, { ...OPTIONS, ...options })
  } catch (error) {
    if (!(error instanceof PublicFetchError)) throw error
    expect(error.message).not.toMatch(/127\.0\.0\.1|\.example|:[0-9]/)
    return error.reason
  }
  return 'fetched'
}

test('connects to the checked address, by the name, with no headers of ours', async () => {
  const { port, requests } = await site(ok('hello', 'content-type: image/png\r\n'))
  const content = await fetchPublic(`http://Pinned.example.:${port}/a%20b?c=d#e`, { ...OPTIONS, accept: 'image/*' })
  expect(content).toMatchObject({ status: 200, contentType: 'image/png' })
  expect(new TextDecoder().decode(content.bytes)).toBe('hello')
  const [line, ...headers] = (requests[0] ?? '').trimEnd().split('\r\n')
  expect(line).toBe('GET /a%20b?c=d HTTP/1.1')
  expect(headers.map((header) => header.toLowerCase()).sort()).toEqual([
    'accept-encoding: identity',
    'accept: image/*',
    'connection: close',
    `host: pinned.example:${port}`,
  ])
})

test('a name is resolved once, so that a second answer cannot differ', async () => {
  const { port, requests } = await site(ok('hello'))
  const answers = [['127.0.0.1'], ['169.254.169.254']]
  let asked = 0
  const resolve = async () => answers[asked++] ?? []
  await fetchPublic(`http://rebinding.example:${port}/`, { ...OPTIONS, resolve })
  expect(asked).toBe(1)
  expect(requests).toHaveLength(1)
})

test('the next of the checked addresses is tried when the first is closed', async () => {
  const { port } = await site(ok('hello'))
  const resolve = async () => ['127.0.0.2', '127.0.0.1']
  expect((await fetchPublic(`http://pinned.example:${port}/`, { ...OPTIONS, resolve })).status).toBe(200)
})

test('the certificate is checked against the name, not the address', async () => {
  const { port, serverNames } = await site(ok('secret'), true)
  const { bytes } = await fetchPublic(`https://pinned.example:${port}/`, { ...OPTIONS, ca })
  expect(new TextDecoder().decode(bytes)).toBe('secret')
  expect(serverNames).toEqual(['pinned.example'])
  // The certificate also names 127.0.0.1, so a check against the address would pass.
  expect(await reasonOf(`https://other.example:${port}/`, { ca })).toBe('untrusted')
  expect(await reasonOf(`https://pinned.example:${port}/`)).toBe('untrusted')
})

test('an address in the URL is checked against the addresses in the certificate', async () => {
  const { port } = await site(ok('secret'), true)
  const options = { ...OPTIONS, ca, allowPrivate: true }
  expect((await fetchPublic(`https://127.0.0.1:${port}/`, options)).status).toBe(200)
})

test('the environment can neither add a proxy nor switch the certificate check off', async () => {
  const plain = await site(ok('direct'))
  const secure = await site(ok('direct'), true)
  const proxy = await site(ok('through a proxy'))
  const script = `
    import { fetchPublic } from ${JSON.stringify(join(import.meta.dir, 'fetch-public.ts'))}
    const options = { maxBytes: 100, timeoutMs: 5000, allowPrivate: true, resolve: async () => ['127.0.0.1'] }
    for (const url of ['http://pinned.example:${plain.port}/', 'https://pinned.example:${secure.port}/'])
      console.log(await fetchPublic(url, options).then(({ bytes }) => new TextDecoder().decode(bytes), (error) => error.reason))`
  const child = Bun.spawn([process.execPath, '-e', script], {
    env: {
      ...Object.fromEntries(
        ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'].map((name) => [
          name,
          `http://127.0.0.1:${proxy.port}`,
        ]),
      ),
      NODE_USE_ENV_PROXY: '1',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    },
    stderr: 'ignore',
  })
  expect((await new Response(child.stdout).text()).trim().split('\n')).toEqual(['direct', 'untrusted'])
  expect(proxy.requests).toEqual([])
})

test.each<[string, string, string]>([
  ['301', head('301 Moved', 'location: http://127.0.0.1/', 'content-length: 0'), 'redirected'],
  ['302 to the same host', head('302 Found', 'location: /other', 'content-length: 0'), 'redirected'],
  ['307', head('307 Temporary', 'location: https://example.com/', 'content-length: 0'), 'redirected'],
  ['300 without a location', head('300 Multiple', 'content-length: 0'), 'redirected'],
  ['304', head('304 Not Modified'), 'redirected'],
  ['a length over the cap', head('200 OK', 'content-length: 101'), 'too_large'],
  [
    'chunks over the cap',
    `${head('200 OK', 'transfer-encoding: chunked')}80\r\n${'x'.repeat(128)}\r\n0\r\n\r\n`,
    'too_large',
  ],
  ['an unmeasured body over the cap', head('200 OK') + 'x'.repeat(101), 'too_large'],
  ['compressed content', `${head('200 OK', 'content-encoding: gzip', 'content-length: 2')}xx`, 'encoded'],
  ['a body cut short', `${head('200 OK', 'content-length: 10')}short`, 'broken'],
  ['chunks cut short', `${head('200 OK', 'transfer-encoding: chunked')}5\r\nhello\r\n`, 'broken'],
  ['two lengths', head('200 OK', 'content-length: 5', 'transfer-encoding: chunked'), 'broken'],
  ['endless headers', `${head('200 OK', `x: ${'y'.repeat(100_000)}`)}`, 'broken'],
  ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n', 'broken'],
  ['switching protocols', head('101 Switching', 'upgrade: x', 'connection: upgrade'), 'broken'],
  ['nothing at all', '', 'broken'],
])('%s is an error', async (_, answer, reason) => {
  const { port, requests } = await site(answer)
  expect(await reasonOf(`http://pinned.example:${port}/`)).toBe(reason)
  expect(requests).toHaveLength(1)
})

test.each<[string, string, number, number]>([
  ['exactly the cap', ok('x'.repeat(100)), 200, 100],
  ['chunks', `${head('200 OK', 'transfer-encoding: chunked')}5\r\nhello\r\n0\r\n\r\n`, 200, 5],
  ['until the end', `${head('200 OK')}hello`, 200, 5],
  ['identity said aloud', ok('hello', 'content-encoding: identity\r\n'), 200, 5],
  ['not found', `${head('404 Not Found', 'content-length: 4')}gone`, 404, 4],
  ['empty', head('204 No Content'), 204, 0],
  ['early hints first', `${head('103 Early Hints')}${ok('hello')}`, 200, 5],
])('%s is content', async (_, answer, status, size) => {
  const { port } = await site(answer)
  const content = await fetchPublic(`http://pinned.example:${port}/`, OPTIONS)
  expect({ status: content.status, size: content.bytes.length }).toEqual({ status, size })
})

test.each<[string, (socket: Socket) => void]>([
  ['before the headers', () => {}],
  ['within the headers', (socket) => socket.write('HTTP/1.1 200 OK\r\nx: y')],
  ['within the body', (socket) => socket.write(`${head('200 OK', 'content-length: 10')}hello`)],
])('a host that stalls %s times out, and the connection is closed', async (_, stall) => {
  const closed = Promise.withResolvers<void>()
  const { port } = await site((socket) => {
    socket.on('close', () => closed.resolve())
    stall(socket)
  })
  expect(await reasonOf(`http://pinned.example:${port}/`, { timeoutMs: 100 })).toBe('timed_out')
  await closed.promise
})

test('a slow drip of bytes still runs into the timeout of the whole fetch', async () => {
  const { port } = await site((socket) => {
    socket.write(head('200 OK'))
    const drip = setInterval(() => socket.write('x'), 10)
    socket.on('close', () => clearInterval(drip))
  })
  expect(await reasonOf(`http://pinned.example:${port}/`, { timeoutMs: 150, maxBytes: 1_000_000 })).toBe('timed_out')
})

test('a resolver that never answers times out', async () => {
  const resolve = () => new Promise<string[]>(() => {})
  expect(await reasonOf('http://pinned.example/', { resolve, timeoutMs: 50 })).toBe('timed_out')
})

test('a closed port is unreachable', async () => {
  const { port } = await site('')
  closeSites()
  expect(await reasonOf(`http://pinned.example:${port}/`)).toBe('unreachable')
})

test('the caller can cancel, before and during the fetch', async () => {
  const calledOff = new AbortController()
  const { port, requests } = await site(() => calledOff.abort())
  const url = `http://pinned.example:${port}/`
  expect(await reasonOf(url, { signal: calledOff.signal })).toBe('aborted')
  expect(await reasonOf(url, { signal: calledOff.signal })).toBe('aborted')
  expect(requests).toHaveLength(1)
})
