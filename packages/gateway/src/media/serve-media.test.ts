// The route over a real socket, with contents on disk.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json, ResponseHeaders } from '@trivium/http/response.ts'
import { securityHeaders } from '@trivium/http/security-headers.ts'
import { ERRORS } from '@trivium/protocol/canonical/error.ts'
import { serveForTest, type TestServer } from '../../../http/test-support/serve.ts'
import { memoryRecords } from '../../test-support/media/records.ts'
import { createAccountCipher } from '../access/secrets/account-cipher.ts'
import { RequestRecord } from '../observe/request-record.ts'
import { Failure } from '../request/failure.ts'
import type { MediaRecord } from '../storage/media.ts'
import { BlobMissing, BlobsSilent } from './blobs.ts'
import { createDiskBlobs } from './disk.ts'
import { createMediaReads, MOST_OF_OBJECT } from './media-reads.ts'
import { createMediaStore, type MediaStore } from './media-store.ts'
import { serveMedia } from './serve-media.ts'
import { createSignedUrls, type SignedUrls } from './signed-urls.ts'

let folder = ''
let server: TestServer
let mediaStore: MediaStore
let signedUrls: SignedUrls
let rows: ReturnType<typeof memoryRecords>['rows']
const state = { now: Date.now() }
const clock = () => state.now
const TEXT = '0123456789'
const mediaReads = createMediaReads()
/** What the place of the contents throws. */
let failure: Error | undefined
let png: MediaRecord

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-serve-'))
  const records = memoryRecords(clock)
  rows = records.rows
  const blobs = createDiskBlobs(folder)
  mediaStore = createMediaStore(records.media, {
    ...blobs,
    async *read(...range) {
      if (failure) throw failure
      yield* blobs.read(...range)
    },
  })
  const fixed = securityHeaders({ tls: undefined, publicUrl: undefined }).authenticated
  server = serveForTest(async (http) => {
    const headers = new ResponseHeaders(fixed, 'req_1')
    const [path = '', query = ''] = http.target.split('?')
    const record = new RequestRecord(http.method, path, 'req_1', 0, 0)
    try {
      const incoming = { http, id: 1n, query, responseHeaders: headers, record }
      const deps = { mediaStore, mediaReads, signedUrls, catalogue: () => ({ trustedProxies: [] }), clock }
      return await serveMedia(path.replace('/media/', ''), incoming, deps)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return json(ERRORS[error.info.code].status, headers, { code: error.info.code })
    }
  })
  const masterSecret = 'a master secret of some length'
  const accountCipher = createAccountCipher(masterSecret)
  signedUrls = createSignedUrls({ masterSecret, accountCipher, baseUrl: () => server.url, clock })
  png = await put(TEXT, 'image/png')
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

const put = (text: string | Uint8Array, contentType: string) =>
  mediaStore.put(Buffer.from(text), { owner: 7n, contentType, keepMs: 3_600_000 })
const get = (object: MediaRecord, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(signedUrls.sign(object, 60_000), { headers, method })

test.each([
  ['is missing', new BlobMissing('x'), 404, 'not_found'],
  ['cannot be read: the store refuses', new Error('SlowDown'), 503, 'service_unavailable'],
  ['cannot be read: the store is silent', new BlobsSilent('no answer'), 503, 'service_unavailable'],
  ['cannot be read: the disk fails', Object.assign(new Error('EIO'), { code: 'EIO' }), 503, 'service_unavailable'],
])('a content that %s', async (_, error, status, code) => {
  failure = error
  for (const headers of [{}, { range: 'bytes=2-4' }]) {
    const response = await get(png, headers)
    expect([response.status, await response.json()]).toEqual([status, { code }])
  }
  failure = undefined
  expect((await get(png)).status).toBe(200)
})

test('an object is sent with the headers that it needs', async () => {
  const response = await get(png)
  expect([response.status, await response.text()]).toEqual([200, TEXT])
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': '10',
    'content-disposition': `inline; filename="${png.id}.png"`,
    'accept-ranges': 'bytes',
    etag: `"${png.id}"`,
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  })
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none';.*sandbox$/)
  expect(response.headers.get('cache-control')).toMatch(/^private, max-age=(59|60), immutable$/)
  expect(response.headers.get('transfer-encoding')).toBeNull()
})

const etag = () => `"${png.id}"`
const REQUESTS: [string, () => Record<string, string>, number, string, string | null][] = [
  ['a range', () => ({ range: 'bytes=2-4' }), 206, '234', 'bytes 2-4/10'],
  ['the first byte', () => ({ range: 'bytes=0-0' }), 206, '0', 'bytes 0-0/10'],
  ['the last bytes', () => ({ range: 'bytes=-3' }), 206, '789', 'bytes 7-9/10'],
  ['a range without an end', () => ({ range: 'bytes=8-' }), 206, '89', 'bytes 8-9/10'],
  ['a range beyond the end', () => ({ range: 'bytes=10-' }), 416, '', 'bytes */10'],
  ['several ranges', () => ({ range: 'bytes=0-1,4-5' }), 200, TEXT, null],
  ['a range of this version', () => ({ range: 'bytes=0-1', 'if-range': etag() }), 206, '01', 'bytes 0-1/10'],
  ['a range of another version', () => ({ range: 'bytes=0-1', 'if-range': '"x"' }), 200, TEXT, null],
  ['a range by date', () => ({ range: 'bytes=0-1', 'if-range': 'Wed, 21 Oct 2026 07:28:00 GMT' }), 200, TEXT, null],
  ['a version that the client has', () => ({ 'if-none-match': etag() }), 304, '', null],
  ['a version that the client has, weak', () => ({ 'if-none-match': `"x", W/${etag()}` }), 304, '', null],
  ['a version that it has not', () => ({ 'if-none-match': '"x"' }), 200, TEXT, null],
]
describe('requests', () => {
  test.each(REQUESTS)('%s', async (_, headers, status, text, range) => {
    const response = await get(png, headers())
    expect([response.status, await response.text(), response.headers.get('content-range')]).toEqual([
      status,
      text,
      range,
    ])
    if (status === 304) expect(response.headers.get('content-length')).toBeNull()
    const head = await get(png, headers(), 'HEAD')
    expect([head.status, await head.text(), head.headers.get('content-range')]).toEqual([status, '', range])
    if (status < 300) expect(head.headers.get('content-length')).toBe(String(text.length))
  })

  test('one connection carries several of them', async () => {
    const { pathname, search } = new URL(signedUrls.sign(png, 60_000))
    const request = (more: string) => `GET ${pathname}${search} HTTP/1.1\r\nhost: x\r\n${more}\r\n`
    const socket = connect(server.port, '127.0.0.1')
    socket.write(
      `${request('')}${request(`if-none-match: ${etag()}\r\n`)}${request('range: bytes=3-3\r\nconnection: close\r\n')}`,
    )
    const received = Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Uint8Array>)).toString('latin1')
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 304', 'HTTP/1.1 206'])
    expect(received).toMatch(/\r\n\r\n0123456789HTTP.*\r\n\r\nHTTP.*\r\n\r\n3$/s)
  })
})

test.each([
  ['image/png', 'inline'],
  ['image/webp', 'inline'],
  ['video/mp4', 'inline'],
  ['Image/JPEG; x=y', 'inline'],
  ['image/svg+xml', 'attachment'],
  ['text/html', 'attachment'],
  ['application/octet-stream', 'attachment'],
])('%s is %s', async (type, disposition) => {
  const response = await get(await put('x', type))
  expect(response.headers.get('content-disposition')).toStartWith(`${disposition}; filename="`)
  expect(response.headers.get('content-type')).toBe(type)
})

test('a video is played in place: its headers, a seek to its middle, and the whole from an offset', async () => {
  const content = Buffer.alloc(3_000_000, '0123456789abcdef')
  const video = await put(content, 'video/mp4')
  // The first request of a browser's player.
  const first = await get(video, { range: 'bytes=0-' })
  expect([first.status, (await first.bytes()).length]).toEqual([206, content.length])
  expect(Object.fromEntries(first.headers)).toMatchObject({
    'content-type': 'video/mp4',
    'content-length': '3000000',
    'content-range': 'bytes 0-2999999/3000000',
    'content-disposition': `inline; filename="${video.id}.mp4"`,
    'accept-ranges': 'bytes',
  })
  const seek = await get(video, { range: 'bytes=1500000-1999999', 'if-range': `"${video.id}"` })
  expect(seek.status).toBe(206)
  expect(content.subarray(1_500_000, 2_000_000).equals(await seek.bytes())).toBe(true)
  const beyond = await get(video, { range: 'bytes=3000000-' })
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */3000000'])
})

test('altered or expired: 403; gone: 404', async () => {
  const status = async (url: string) => (await fetch(url)).status
  const object = await put('x', 'image/png')
  const url = signedUrls.sign(object, 60_000)
  const altered = url.slice(0, -1) + (url.endsWith('A') ? 'B' : 'A')
  expect(await status(url)).toBe(200)
  const exp = Number(new URL(url).searchParams.get('exp'))
  const wrongs = [
    altered,
    url.replace(object.id, png.id),
    url.replace(/\?.*/, ''),
    url.replace('exp=', 'exp=9'),
    url.replace(`exp=${exp}`, `exp=${exp + 1}`),
    url.replace(`exp=${exp}`, `exp=${exp - 1}`),
    url.replace(`exp=${exp}`, `exp=0${exp}`),
    url.replace(/exp=\d+&/, ''),
    url.replace(/&sig=.*/, ''),
    url.replace('sig=', 'sig=A'),
    // The first of two counts; a later one changes nothing.
    url.replace('?', `?exp=${exp + 1}&`),
  ]
  for (const wrong of wrongs) expect([wrong, await status(wrong)]).toEqual([wrong, 403])
  // An id that is given again to another owner: the old URL is not valid for it.
  const row = rows.get(object.id)
  if (row) row.account = 8n
  expect(await status(url)).toBe(403)
  if (row) row.account = 7n
  rmSync(join(folder, object.id.slice(0, 2), object.id))
  expect(await status(url)).toBe(404)
  await mediaStore.remove(object.id)
  expect(await status(url)).toBe(404)
  const old = signedUrls.sign(png, 1_000)
  state.now += 1_000
  expect(await status(old)).toBe(403)
  state.now -= 1_000
})

test('a large object is read no faster than the client reads it, and not further once the client disconnects', async () => {
  let read = 0
  const size = 100 * 1024 * 1024
  const real = mediaStore
  const piece = new Uint8Array(1024 * 1024)
  const large = { ...png, size }
  mediaStore = {
    ...real,
    find: async () => large,
    async *read() {
      for (let at = 0; at < size; at += piece.length) {
        read += piece.length
        yield piece
      }
    },
  }
  try {
    const socket = connect(server.port, '127.0.0.1')
    const { pathname, search } = new URL(signedUrls.sign(png, 60_000))
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: x\r\n\r\n`)
    await new Promise((resolve) => socket.once('data', resolve))
    socket.pause()
    await Bun.sleep(200)
    expect(read).toBeLessThan(size / 4)
    socket.destroy()
    const before = read
    await Bun.sleep(200)
    expect(read - before).toBeLessThan(5 * 1024 * 1024)
    const whole = await get(png)
    expect((await whole.bytes()).length).toBe(size)
  } finally {
    mediaStore = real
  }
})

describe('clients that do not read', () => {
  test('take a few reads of an object, not its other readers or other objects, and lose them after a timeout', async () => {
    // Far more than the buffers of the system, and each connection asks for it many times.
    const large = await put(Buffer.alloc(8_000_000), 'video/mp4')
    const { pathname, search } = new URL(signedUrls.sign(large, 60_000))
    const sockets = Array.from({ length: 3 * MOST_OF_OBJECT }, () => {
      const socket = connect({ port: server.port, host: '127.0.0.1' })
        .pause()
        .on('error', () => {})
      socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(100))
      return socket
    })
    const statusOf = async (object: MediaRecord, headers: Record<string, string> = {}) => {
      const response = await get(object, headers)
      const { status } = response
      await response.body?.cancel()
      return status
    }
    while ((await statusOf(large)) !== 429) await Bun.sleep(5)
    expect(await statusOf(png)).toBe(200)
    // What takes no read is answered.
    expect(await statusOf(large, { 'if-none-match': `"${large.id}"` })).toBe(304)
    // Connections whose requests were rejected are closed: those that wait are the readers.
    while (server.server.pending > MOST_OF_OBJECT) await Bun.sleep(5)
    for (let steps = 0; steps < 100 && server.server.pending > 0; steps++) await server.advance(25_000)
    expect([server.server.pending, await statusOf(large)]).toEqual([0, 200])
    for (const socket of sockets) socket.destroy()
  })
})
