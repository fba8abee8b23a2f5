import { describe, expect, test } from 'bun:test'
import { crc32, deflateSync } from 'node:zlib'
import { drawPicture, wrapped } from './draw.ts'
import { decodeImage, decodePng, encodePng } from './png.ts'
import { color, emptyRaster, type Raster, resized } from './raster.ts'
import { coarser } from './render.ts'

const picture = (more: object = {}): Raster =>
  drawPicture({ prompt: 'A cat', width: 96, height: 64, index: 0, transparent: false, ...more })

/** A PNG by hand: `rows` with their filter bytes. */
function png(
  width: number,
  height: number,
  depth: number,
  type: number,
  rows: number[],
  extra: [string, number[]][] = [],
) {
  const chunk = (name: string, data: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(name), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, type], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...extra.map(([name, data]) => chunk(name, Uint8Array.from(data))),
    chunk('IDAT', deflateSync(Uint8Array.from(rows))),
    chunk('IEND', new Uint8Array(0)),
  ])
}

const [RED, GREEN, HALF] = [color(255, 0, 0), color(0, 255, 0), color(9, 8, 7, 128)]

describe('PNG files', () => {
  test('are read as they were written, opaque or not', async () => {
    for (const raster of [picture(), picture({ transparent: true })])
      expect(decodePng(await encodePng(raster))).toEqual(raster)
  })

  test('the runtime reads them, too', async () => {
    const image = await new Bun.Image(await encodePng(picture())).metadata()
    expect([image.width, image.height]).toEqual([96, 64])
  })

  test.each<[what: string, bytes: Uint8Array, pixels: number[]]>([
    ['RGB', png(2, 1, 8, 2, [0, 255, 0, 0, 0, 255, 0]), [RED, GREEN]],
    ['RGBA', png(1, 1, 8, 6, [0, 9, 8, 7, 128]), [HALF]],
    ['gray', png(2, 1, 8, 0, [0, 0, 200]), [color(0, 0, 0), color(200, 200, 200)]],
    ['gray of one bit', png(2, 1, 1, 0, [0, 0b01000000]), [color(0, 0, 0), color(255, 255, 255)]],
    ['16 bits', png(1, 1, 16, 2, [0, 255, 255, 0, 0, 0, 0]), [RED]],
    ['gray with alpha', png(1, 1, 8, 4, [0, 5, 6]), [color(5, 5, 5, 6)]],
    [
      'a palette',
      png(
        2,
        1,
        8,
        3,
        [0, 1, 0],
        [
          ['PLTE', [255, 0, 0, 0, 255, 0]],
          ['tRNS', [7]],
        ],
      ),
      [GREEN, color(255, 0, 0, 7)],
    ],
    [
      'a palette of two bits',
      png(3, 1, 2, 3, [0, 0b01_00_01_00], [['PLTE', [255, 0, 0, 0, 255, 0]]]),
      [GREEN, RED, GREEN],
    ],
    ['the filter Up', png(1, 2, 8, 2, [0, 250, 0, 0, 2, 5, 0, 0]), [color(250, 0, 0), RED]],
    ['the filter Average', png(2, 1, 8, 2, [3, 255, 0, 0, 128, 255, 0]), [RED, color(255, 255, 0)]],
    ['the filter Paeth', png(1, 2, 8, 2, [4, 200, 0, 0, 4, 55, 0, 0]), [color(200, 0, 0), RED]],
  ])('%s', async (_, bytes, pixels) => {
    expect([...(await decodeImage(Uint8Array.from(bytes))).pixels]).toEqual(pixels)
  })

  test.each<[what: string, bytes: Uint8Array]>([
    ['something else', Buffer.from('GIF89a')],
    ['too few rows', png(1, 2, 8, 2, [0, 1, 2, 3])],
    [
      'more rows than its header says',
      png(
        1,
        1,
        8,
        2,
        Array.from({ length: 999 }, () => 0),
      ),
    ],
    ['more pixels than there may be', png(100_000, 100_000, 8, 2, [0])],
    ['a cut file', png(1, 1, 8, 2, [0, 1, 2, 3]).subarray(0, 50)],
  ])('%s is rejected', async (_, bytes) => {
    await expect(decodeImage(Uint8Array.from(bytes))).rejects.toThrow()
  })
})

describe('pictures', () => {
  test('depend on prompt, size and index alone', () => {
    expect(picture()).toEqual(picture())
    for (const more of [{ prompt: 'A dog' }, { width: 97 }, { index: 1 }, { transparent: true }])
      expect(picture(more).pixels).not.toEqual(picture().pixels)
  })

  test.each([
    [64, 64],
    [64, 2_048],
    [2_048, 64],
    [300, 200],
  ])('%i x %i has the prompt in white, and the label', (width, height) => {
    for (const prompt of ['A cat', 'x'.repeat(300), 'many words '.repeat(400), '北京 🙂']) {
      const raster = drawPicture({ prompt, width, height, index: 0, transparent: false })
      expect(raster.pixels.filter((pixel) => pixel === color(255, 255, 255)).length).toBeGreaterThan(20)
      expect(raster.pixels.filter((pixel) => pixel === color(226, 232, 240)).length).toBeGreaterThan(100)
    }
  })

  test('coarser versions have fewer colours next to each other', () => {
    const changes = ({ width, pixels }: Raster) =>
      pixels.filter((pixel, at) => at % width > 0 && pixel !== pixels[at - 1]).length
    const raster = picture({ width: 256, height: 256 })
    const counts = [32, 16, 8].map((block) => changes(coarser(raster, block)))
    expect([...counts, changes(raster)]).toEqual([...counts, changes(raster)].sort((one, other) => one - other))
    expect(counts[0]).toBeGreaterThan(0)
  })

  test('another size shows the same', () => {
    const raster = emptyRaster(2, 1)
    raster.pixels.set([RED, GREEN])
    expect([...resized(raster, 4, 2).pixels]).toEqual([RED, RED, GREEN, GREEN, RED, RED, GREEN, GREEN])
  })
})

test.each<[text: string, most: number, maxLines: number, lines: string[]]>([
  ['one two three', 7, 5, ['one two', 'three']],
  ['abcdefghij', 4, 5, ['abcd', 'efgh', 'ij']],
  ['a\nb', 9, 5, ['a', 'b']],
  ['one two three four', 5, 2, ['one', 'tw...']],
  ['  ', 5, 2, []],
])('%j in lines of %i', (text, most, maxLines, lines) => {
  expect(wrapped(text, most, maxLines)).toEqual(lines)
})
