import { expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { fixedHeaders, json, ResponseHeaders } from '@trivium/http/response.ts'
import { acceptsGzip, compressorFor, transferred } from './compress.ts'

const asking = (headers: Record<string, string> = {}) => ({ headers: new Headers(headers) }) as never
const answer = (value: unknown, status = 200) => json(status, new ResponseHeaders(fixedHeaders({}), 'req_1'), value)
const LONG = { text: 'x'.repeat(5_000) }

test.each([
  ['gzip', true],
  ['br, GZIP ;q=0.5', true],
  ['*', true],
  ['*;q=0', false],
  ['gzip;q=0, *', false],
  ['x-gzip', false],
  ['', false],
])('accept-encoding %p: %p', (value, isAccepted) => {
  expect(acceptsGzip(asking({ 'accept-encoding': value }))).toBe(isAccepted)
})

test.each([
  { name: 'a long body', value: LONG, asked: { 'accept-encoding': 'gzip, br' }, encoding: 'gzip' },
  { name: 'a short body', value: { a: 1 }, asked: { 'accept-encoding': 'gzip' }, encoding: null },
  { name: 'a client that takes no gzip', value: LONG, asked: {}, encoding: null },
])('$name has the encoding $encoding', async ({ value, asked, encoding }) => {
  const { body, headers } = await transferred(asking(asked as Record<string, string>), answer(value))
  expect(headers.get('content-encoding')).toBe(encoding)
  const bytes = encoding === null ? (body as Uint8Array) : gunzipSync(body as Uint8Array)
  expect(JSON.parse(Buffer.from(bytes).toString())).toEqual(value)
})

test('what the client has already is 304 without a body, whatever its encoding was', async () => {
  const first = await transferred(asking({ 'accept-encoding': 'gzip' }), answer(LONG))
  const etag = first.headers.get('etag') ?? ''
  expect(etag).toStartWith('W/"')
  const again = await transferred(asking({ 'if-none-match': `"other", ${etag}` }), answer(LONG))
  expect([again.status, (again.body as Uint8Array).length]).toEqual([304, 0])
  const other = await transferred(asking({ 'if-none-match': etag }), answer({ ...LONG, more: 1 }))
  expect(other.status).toBe(200)
})

test('an error has no tag', async () => {
  const { status, headers } = await transferred(asking({ 'accept-encoding': 'gzip' }), answer(LONG, 404))
  expect([status, headers.get('etag'), headers.get('content-encoding')]).toEqual([404, null, null])
})

test('a body in pieces is one stream, of which every piece is known at once', async () => {
  const compressor = compressorFor(
    asking({ 'accept-encoding': 'gzip' }),
    new ResponseHeaders(fixedHeaders({}), 'req_1'),
  )
  if (!compressor) throw new Error('gzip is accepted')
  const pieces = ['a'.repeat(3_000), 'b'.repeat(3_000), 'c']
  const sent: Uint8Array[] = []
  for (const piece of pieces.slice(0, -1)) sent.push(await compressor.add(Buffer.from(piece)))
  expect(sent.every(({ length }) => length > 0)).toBe(true)
  sent.push(await compressor.end(Buffer.from(pieces.at(-1) ?? '')))
  expect(gunzipSync(Buffer.concat(sent)).toString()).toBe(pieces.join(''))
})
