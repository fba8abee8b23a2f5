// Callbacks over real sockets on loopback.
import { afterEach, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { closeSites, head, ok, site } from '../../../test-support/public-site.ts'
import { type PostOptions, postPublic } from './post-public.ts'
import { PublicFetchError } from './public-fetch-error.ts'

afterEach(closeSites)

const OPTIONS: PostOptions = {
  body: '{"id":"ü"}',
  contentType: 'application/json',
  timeoutMs: 5_000,
  allowPrivate: true,
  resolve: async () => ['127.0.0.1'],
}

const post = (url: string, options: Partial<PostOptions> = {}): Promise<string | number> =>
  postPublic(url, { ...OPTIONS, ...options }).catch((error: unknown) => {
    if (error instanceof PublicFetchError) return error.reason
    throw error
  })

test('the body is sent whole, with its type and the given headers', async () => {
  const { port, requests } = await site(ok('thanks'))
  expect(await post(`http://hook.example:${port}/a?b=c`, { headers: { 'x-signature': 's' } })).toBe(200)
  const [lines = '', body] = (requests[0] ?? '').split('\r\n\r\n')
  const [line, ...headers] = lines.split('\r\n')
  expect([line, body]).toEqual(['POST /a?b=c HTTP/1.1', OPTIONS.body as string])
  expect(headers.map((header) => header.toLowerCase()).sort()).toEqual([
    'accept-encoding: identity',
    'accept: */*',
    'connection: close',
    'content-length: 11',
    'content-type: application/json',
    `host: hook.example:${port}`,
    'x-signature: s',
  ])
})

test.each<[string, string | ((socket: Socket) => void), number]>([
  ['no content', head('204 No Content'), 204],
  ['an error of the receiver', `${head('500 Oops', 'content-length: 4')}oops`, 500],
  ['a redirect, which is not followed', head('307 Temporary', 'location: /b', 'content-length: 0'), 307],
  ['compressed content', `${head('200 OK', 'content-encoding: gzip', 'content-length: 2')}xx`, 200],
  ['a body that ends too early', `${head('200 OK', 'content-length: 9')}x`, 200],
  ['a body that never ends', (socket) => socket.write(`${head('200 OK', 'content-length: 9')}x`), 200],
  ['a large body', (socket) => socket.write(head('200 OK') + 'x'.repeat(300_000)), 200],
])('%s: the status counts', async (_, answer, status) => {
  const { port, requests } = await site(answer)
  expect(await post(`http://hook.example:${port}/`, { timeoutMs: 1_000 })).toBe(status)
  expect(requests).toHaveLength(1)
})

test('of a large response no more than 64 KiB is read', async () => {
  const closed = Promise.withResolvers<void>()
  const { port } = await site((socket) => {
    socket.on('close', () => closed.resolve())
    const block = Buffer.alloc(64 * 1024)
    socket.write(head('200 OK'))
    const fill = () => {
      while (!socket.destroyed) if (!socket.write(block)) return void socket.once('drain', fill)
    }
    fill()
  })
  expect(await post(`http://hook.example:${port}/`)).toBe(200)
  await closed.promise
})

test.each<[string, string, Partial<PostOptions>, string]>([
  ['a private address', 'http://127.0.0.1:PORT/', { allowPrivate: false }, 'not_public'],
  ['a private answer of the resolver', 'http://hook.example:PORT/', { allowPrivate: false }, 'not_public'],
  ['a metadata service', 'http://169.254.169.254/', {}, 'not_public'],
  ['a name of a metadata service', 'http://hook.example/', { resolve: async () => ['169.254.169.254'] }, 'not_public'],
  ['userinfo', 'http://a:b@hook.example:PORT/', {}, 'bad_url'],
  ['another scheme', 'ftp://hook.example/', {}, 'bad_url'],
  ['a signal that is aborted', 'http://hook.example:PORT/', { signal: AbortSignal.abort() }, 'aborted'],
])('%s: nothing is sent', async (_, url, options, reason) => {
  const { port, requests } = await site(ok('inside'))
  expect(await post(url.replace('PORT', String(port)), options)).toBe(reason)
  expect(requests).toEqual([])
})

test('a receiver that does not answer times out, and one that is closed is unreachable', async () => {
  const silent = await site(() => {})
  expect(await post(`http://hook.example:${silent.port}/`, { timeoutMs: 100 })).toBe('timed_out')
  const cut = await site((socket) => socket.destroy())
  expect(await post(`http://hook.example:${cut.port}/`)).toBe('broken')
  closeSites()
  expect(await post(`http://hook.example:${silent.port}/`)).toBe('unreachable')
})
