import { expect, test } from 'bun:test'
import { decodeVideo } from '../../test-support/mp4.ts'
import { decodePng } from '../images/png.ts'
import type { Raster } from '../images/raster.ts'
import { type Film, FRAMES_PER_SECOND, framesOf, renderFilm, sizeOf } from './film.ts'
import { samplesOf } from './h264.ts'

const FILM: Film = { prompt: 'A cat on a roof', width: 320, height: 192, seconds: 3, seed: 1 }

/** Luma of a whole frame, from the raster. */
function lumaOf(raster: Raster): Uint8Array {
  const { width, height } = raster
  const luma = new Uint8Array(width * height)
  for (let y = 0; y < height; y += 16)
    for (let x = 0; x < width; x += 16) {
      const samples = samplesOf(raster, x, y)
      for (let row = 0; row < 16; row++) luma.set(samples.subarray(row * 16, row * 16 + 16), (y + row) * width + x)
    }
  return luma
}

test('a strict decoder gets every frame back, and they move', async () => {
  const { mp4, lastFrame } = await renderFilm(FILM)
  const video = decodeVideo(mp4)
  expect([video.width, video.height, video.seconds, video.frames.length]).toEqual([320, 192, 3, 3 * FRAMES_PER_SECOND])
  expect(mp4.length).toBeGreaterThan(92_160)
  expect(mp4.length).toBeLessThan(400_000)
  const rasters = [...framesOf(FILM)]
  for (const [index, raster] of rasters.entries())
    expect(Buffer.compare(lumaOf(raster), video.frames[index]?.subarray(0, 320 * 192) ?? new Uint8Array(0))).toBe(0)
  for (const [index, frame] of video.frames.entries())
    if (index > 0) expect(Buffer.compare(frame, video.frames[index - 1] ?? frame)).not.toBe(0)
  expect(decodePng(lastFrame)).toEqual(rasters.at(-1) as Raster)
})

test('the same film has the same bytes, and another prompt or seed others', async () => {
  const bytes = async (more: Partial<Film>) => Buffer.from((await renderFilm({ ...FILM, seconds: 1, ...more })).mp4)
  const first = await bytes({})
  expect(first.equals(await bytes({}))).toBe(true)
  for (const more of [{ prompt: 'A dog' }, { seed: 2 }, { seconds: 2 }])
    expect(first.equals(await bytes(more))).toBe(false)
})

test.each([
  ['480p', '16:9', 320, 192],
  ['480p', '9:16', 192, 320],
  ['480p', '1:1', 240, 240],
  ['720p', '16:9', 384, 224],
  ['1080p', '21:9', 560, 240],
  ['other', 'adaptive', 320, 192],
])('%s at %s is %i x %i', async (resolution, ratio, width, height) => {
  const size = sizeOf(resolution, ratio)
  expect(size).toEqual({ width, height })
  const { frames } = decodeVideo((await renderFilm({ ...FILM, ...size, seconds: 1 })).mp4)
  expect(frames.length).toBe(FRAMES_PER_SECOND)
})
