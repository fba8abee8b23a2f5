import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { inspectImage } from './inspect-image.ts'

const folder = mkdtempSync(join(tmpdir(), 'trivium-images-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function chunk(name: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** A header that may lie: the pixels are those of `real`. */
function png(width: number, height: number, real = { width, height }, extra: Uint8Array = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const rows = deflateSync(Buffer.alloc((real.width * 3 + 1) * real.height))
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), extra, chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))])
}

const source = png(300, 200)
const jpeg = Buffer.from(await new Bun.Image(source).jpeg({ quality: 80 }).bytes())
const webp = Buffer.from(await new Bun.Image(source).webp({ quality: 80 }).bytes())
const lossless = Buffer.from(await new Bun.Image(source).webp({ lossless: true }).bytes())

/** Application segments of 60 KiB each before the dimensions. */
function jpegWithSegments(count: number): Buffer {
  const data = Buffer.alloc(60 * 1024, 0x20)
  const segment = Buffer.concat([Buffer.from([0xff, 0xe5, (data.length + 2) >> 8, (data.length + 2) & 0xff]), data])
  return Buffer.concat([jpeg.subarray(0, 2), ...Array(count).fill(segment), jpeg.subarray(2)])
}

/** As bytes and as a file of a misleading name, which must be the same. */
async function inspectBoth(bytes: Uint8Array, mostPixels?: number) {
  const path = join(folder, 'upload.gif')
  writeFileSync(path, bytes)
  const found = await inspectImage(bytes, mostPixels)
  expect(await inspectImage(Bun.file(path), mostPixels)).toEqual(found)
  return found
}

describe('images', () => {
  test.each([
    ['PNG', source, 'image/png', 300, 200],
    ['JPEG', jpeg, 'image/jpeg', 300, 200],
    ['lossy WebP', webp, 'image/webp', 300, 200],
    ['lossless WebP', lossless, 'image/webp', 300, 200],
    ['a single pixel', png(1, 1), 'image/png', 1, 1],
    ['JPEG with 300 KiB before its dimensions', jpegWithSegments(5), 'image/jpeg', 300, 200],
    ['JPEG with 1.2 MiB before its dimensions', jpegWithSegments(20), 'image/jpeg', 300, 200],
    ['PNG with a text chunk', png(9, 8, undefined, chunk('tEXt', Buffer.from('a\0b'))), 'image/png', 9, 8],
    ['PNG followed by an archive', Buffer.concat([source, Buffer.from('PK\x03\x04...')]), 'image/png', 300, 200],
  ])('%s', async (_, bytes, type, width, height) => {
    expect(await inspectBoth(bytes)).toEqual({ type, width, height } as never)
  })

  test('at the limit of pixels, and one above', async () => {
    expect(await inspectBoth(source, 60_000)).toMatchObject({ width: 300 })
    for (const bytes of [source, jpeg, webp, lossless]) expect(await inspectBoth(bytes, 59_999)).toBe('too_many_pixels')
  })
})

describe('hostile files', () => {
  test.each([
    ['huge dimensions of few pixels', png(60_000, 60_000, { width: 1, height: 1 })],
    ['dimensions above any limit', png(2 ** 31 - 1, 2 ** 31 - 1, { width: 1, height: 1 })],
  ])('%s', async (_, bytes) => {
    expect(['too_many_pixels', undefined]).toContain((await inspectBoth(bytes)) as never)
  })

  test('an 8 GB bitmap in a small file is not decoded', async () => {
    const before = process.memoryUsage().rss
    expect(await inspectBoth(png(50_000, 50_000, { width: 10_000, height: 3_000 }))).toBe('too_many_pixels')
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
  })

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['one byte', SIGNATURE.subarray(0, 1)],
    ['a signature alone', SIGNATURE],
    ['PNG cut in its header', source.subarray(0, 20)],
    ['PNG of no width', png(0, 5, { width: 1, height: 1 })],
    ['JPEG cut before its dimensions', jpeg.subarray(0, 40)],
    ['JPEG without dimensions for 3 MiB', jpegWithSegments(52)],
    ['endless padding of a JPEG', Buffer.concat([jpeg.subarray(0, 2), Buffer.alloc(5 * 1024 * 1024, 0xff)])],
    ['WebP cut in its header', webp.subarray(0, 20)],
    ['RIFF that is no WebP', Buffer.from('RIFF\x24\0\0\0WAVEfmt ')],
    ['WebP of no chunk', Buffer.from('RIFF\x04\0\0\0WEBP')],
    ['GIF', Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['BMP', Buffer.concat([Buffer.from('BM'), Buffer.alloc(80)])],
    ['TIFF', Buffer.from([0x49, 0x49, 0x2a, 0x00, 8, 0, 0, 0])],
    ['HEIC', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1')],
    ['AVIF', Buffer.from('\0\0\0\x1cftypavif\0\0\0\0avifmif1', 'latin1')],
    ['HTML before a PNG', Buffer.concat([Buffer.from('<html>'), source])],
    ['GIF before a JPEG', Buffer.concat([Buffer.from('GIF89a'), jpeg])],
    ['text', Buffer.from('image/png')],
  ])('%s', async (_, bytes) => expect(await inspectBoth(bytes)).toBeUndefined())

  test('a file that does not exist', async () => {
    expect(await inspectImage(Bun.file(join(folder, 'gone')))).toBeUndefined()
  })
})
