import { expect, test } from 'bun:test'
import { base64Bytes, base64Length } from './base64.ts'
import { readImageHead } from './image-size.ts'

/** Pixels of no pattern: a picture that every format keeps at its size. */
async function png(width: number, height: number): Promise<Uint8Array> {
  const one = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
    'base64',
  )
  return new Bun.Image(one).resize(width, height, { fit: 'fill' }).png().bytes()
}

test.each([
  [1, 1],
  [300, 200],
  [17, 2_049],
])('the type and size of images of %i x %i', async (width, height) => {
  const source = await png(width, height)
  const image = () => new Bun.Image(source)
  const files = [
    ['image/png', source],
    ['image/jpeg', await image().jpeg().bytes()],
    ['image/webp', await image().webp().bytes()],
    ['image/webp', await image().webp({ lossless: true }).bytes()],
  ] as const
  for (const [mediaType, bytes] of files) expect(readImageHead(bytes)).toEqual({ mediaType, width, height })
})

test('a WebP with features, and a JPEG with metadata before its frame', () => {
  const webp = Buffer.alloc(30)
  webp.write('RIFF\0\0\0\0WEBPVP8X', 'latin1')
  webp.set([0xff, 0x03, 0, 0xff, 0x01, 0], 24)
  expect(readImageHead(webp)).toEqual({ mediaType: 'image/webp', width: 1_024, height: 512 })
  const metadata = [0xff, 0xe1, 0x10, 0x00, ...Array.from({ length: 0x1000 - 2 }, () => 0xff)]
  const jpeg = Uint8Array.of(0xff, 0xd8, ...metadata, 0xff, 0xff, 0xc2, 0, 11, 8, 0, 64, 0, 96, 3)
  expect(readImageHead(jpeg)).toEqual({ mediaType: 'image/jpeg', width: 96, height: 64 })
})

test('what is none of them, or cut', async () => {
  const source = await png(30, 20)
  const jpeg = await new Bun.Image(source).jpeg().bytes()
  const others = [Buffer.from('GIF89a'.repeat(9)), new Uint8Array(0), source.subarray(0, 20), jpeg.subarray(0, 30)]
  for (const bytes of others) expect(readImageHead(bytes)).toBeUndefined()
})

test.each([0, 1, 2, 3, 4, 5, 1_000])('the base64 text of %i bytes', (length) => {
  const bytes = Buffer.from(Array.from({ length }, (_, index) => index * 7))
  const text = bytes.toString('base64')
  expect([base64Length(length), base64Bytes(text)]).toEqual([text.length, length])
})
