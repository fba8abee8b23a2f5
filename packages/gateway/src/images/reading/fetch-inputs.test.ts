import { afterAll, expect, test } from 'bun:test'
import type { ImageInput, ImageRequest } from '@trivium/protocol/canonical/image.ts'
import { pngOf } from '../../../../../test/support/requests/images.ts'
import type { Failure } from '../../request/failure.ts'
import { fetchPublic } from '../../upstreams/public/fetch-public.ts'
import { withFetchedInputs } from './fetch-inputs.ts'

const PNG = await pngOf(3, 2)
const base64 = Buffer.from(PNG).toString('base64')
const server = Bun.serve({
  port: 0,
  routes: { '/a.png': () => new Response(PNG), '/a.mp3': () => new Response('ID3\u0003') },
  fetch: () => new Response('', { status: 404 }),
})
afterAll(() => server.stop(true))

/** The real thing, but for the one rule that would keep a test from serving itself. */
const deps = {
  fetchPublic: (url: string, options: Parameters<typeof fetchPublic>[1]) =>
    fetchPublic(url, { ...options, allowPrivate: true }),
}
const options = { signal: new AbortController().signal, grow: () => true }
const linked = (path: string, field: string): ImageInput => ({
  mediaType: '',
  bytes: 0,
  source: { kind: 'url', url: `${server.url.origin}${path}`, field },
})
const INLINE: ImageInput = { mediaType: 'image/png', bytes: PNG.length, source: { kind: 'inline', base64 } }
const REQUEST = { operation: 'edit', model: 'img', prompt: 'a hat', n: 1, stream: false, unknown: [] } as const
const fetched = (more: Pick<ImageRequest, 'images' | 'mask'>) =>
  withFetchedInputs({ ...REQUEST, ...more }, options, deps)

test('images and mask take the place of their URLs', async () => {
  const request = await fetched({
    images: [INLINE, linked('/a.png', 'images[1].image_url')],
    mask: linked('/a.png', 'mask.image_url'),
  })
  expect([...request.images, request.mask]).toEqual([INLINE, INLINE, INLINE])
})

test.each([
  ['/none.png', 'bad_request'],
  ['/a.mp3', 'unsupported_media_type'],
])('%s is an error that names the field', async (path, code) => {
  const failure = await fetched({ images: [linked(path, 'images[0].image_url')] }).catch((error: unknown) => error)
  expect((failure as Failure).info).toMatchObject({ code, param: 'images[0].image_url' })
})
