import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Failure } from '../../request/failure.ts'
import { fetchPublic } from '../../upstreams/public/fetch-public.ts'
import { fetchMedia } from './fetch-media.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

let server: Bun.Server<undefined>
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    routes: {
      '/picture': () => new Response(PNG, { headers: { 'content-type': 'text/plain' } }),
      '/jpeg': () => new Response('not really', { headers: { 'content-type': 'image/jpeg; charset=binary' } }),
      '/page': () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
      '/gone': () => new Response('', { status: 404 }),
      '/away': () => Response.redirect('/picture'),
    },
    fetch: () => new Response(''),
  })
})
afterAll(() => server.stop(true))

/** The real thing, but for the one rule that would keep a test from serving itself. */
const dependencies = {
  fetchPublic: (url: string, options: Parameters<typeof fetchPublic>[1]) =>
    fetchPublic(url, { ...options, allowPrivate: true }),
}
const options = (grow = (_: number) => true) => ({ signal: new AbortController().signal, grow })
const fetched = (path: string) => fetchMedia(new Set([`${server.url.origin}${path}`]), options(), dependencies)

test('the media type is that of the bytes, before that of the server', async () => {
  expect([...(await fetched('/picture')).values()]).toEqual([
    { kind: 'inline', mime: 'image/png', data: PNG.toString('base64') },
  ])
  expect([...(await fetched('/jpeg')).values()]).toMatchObject([{ mime: 'image/jpeg' }])
})

describe('media that cannot be used is the caller’s error', () => {
  test.each([
    ['/page', 'neither an image'],
    ['/gone', 'status 404'],
    ['/away', 'redirects'],
  ])('%s', async (path, why) => {
    const failure = await fetched(path).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Failure)
    expect((failure as Failure).info).toMatchObject({ code: 'bad_request' })
    expect((failure as Failure).message).toContain(why)
  })

  test('a URL inside the gateway’s network', async () => {
    const addresses = new Set([`${server.url.origin}/picture`])
    const failure = await fetchMedia(addresses, options(), { fetchPublic }).catch((e: unknown) => e)
    expect((failure as Failure).message).toContain('does not lead to a public host')
  })
})

test('what is fetched takes memory of the request, and ends it where there is none', async () => {
  const urls = new Set(['/picture', '/picture?2', '/picture?3'].map((path) => `${server.url.origin}${path}`))
  const weights: number[] = []
  await fetchMedia(
    urls,
    options((bytes) => weights.push(bytes) > 0),
    dependencies,
  )
  expect(weights).toEqual(Array(3).fill(2 * PNG.toString('base64').length))
  let left = 2
  const failure = await fetchMedia(
    urls,
    options(() => left-- > 0),
    dependencies,
  ).catch((error: unknown) => error)
  expect((failure as Failure).info).toMatchObject({ code: 'service_unavailable' })
  expect(left).toBe(-1)
})
