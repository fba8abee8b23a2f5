// The video of a prompt: the prompt on a background, and a bar that shows the time.

import { nextTurn } from '../delivery/next-turn.ts'
import { background, drawText, PALE, WHITE } from '../images/draw.ts'
import { encodePng } from '../images/png.ts'
import { fill, type Raster } from '../images/raster.ts'
import { BLOCK, encodeFrame, parameterSets } from './h264.ts'
import { encodeMp4 } from './mp4.ts'

export type Film = { prompt: string; width: number; height: number; seconds: number; seed: number }

export const FRAMES_PER_SECOND = 12

/** Pixels, not those that the name promises: raw samples are large. */
const AREAS: Readonly<Record<string, number>> = { '480p': 57_600, '720p': 82_944, '1080p': 129_600 }

/** Whole macroblocks; 320x192 for 480p at 16:9. */
export function sizeOf(resolution: string, ratio: string): { width: number; height: number } {
  const [across = 16, down = 9] = /^\d+:\d+$/.test(ratio) ? ratio.split(':').map(Number) : []
  const area = AREAS[resolution] ?? 57_600
  const quotient = Math.min(4, Math.max(0.25, across / down))
  const side = (pixels: number) => Math.max(8, Math.ceil(pixels / BLOCK - 0.01)) * BLOCK
  return { width: side(Math.sqrt(area * quotient)), height: side(Math.sqrt(area / quotient)) }
}

/** The frames in order. Each raster is a new one. */
export function* framesOf({ prompt, width, height, seconds, seed }: Film): Generator<Raster> {
  const base = background(width, height, `${prompt}\0${seed}`)
  const strip = 2 * BLOCK
  drawText(base, prompt, { x: 0, y: 0, width, height: height - strip }, WHITE)
  const label = { x: 0, y: height - strip, width, height: strip - BLOCK }
  drawText(base, `sandbox-video ${Number(seconds.toFixed(1))}s`, label, PALE)
  const count = Math.round(seconds * FRAMES_PER_SECOND)
  for (let index = 0; index < count; index++) {
    const frame = { width, height, pixels: base.pixels.slice() }
    fill(frame, { x: 0, y: height - 4, width: Math.round(((index + 1) / count) * width), height: 4 }, PALE)
    yield frame
  }
}

/** The same bytes for the same film. Other requests are served between the frames. */
export async function renderFilm(
  film: Film,
): Promise<{ mp4: Uint8Array<ArrayBuffer>; lastFrame: Uint8Array<ArrayBuffer> }> {
  const { width, height } = film
  const frames: Uint8Array[] = []
  let before: Raster | undefined
  for (const frame of framesOf(film)) {
    frames.push(encodeFrame(frame, before, frames.length))
    before = frame
    await nextTurn()
  }
  const mp4 = encodeMp4({ width, height, framesPerSecond: FRAMES_PER_SECOND, ...parameterSets(width, height), frames })
  return { mp4, lastFrame: await encodePng(before ?? background(width, height, '')) }
}
