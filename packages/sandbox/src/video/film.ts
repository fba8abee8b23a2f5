// The video of a prompt: the prompt on a panel, a ball that rolls below it, a bar and a clock that show the time.

import { createHash } from 'node:crypto'
import { nextTurn } from '../delivery/next-turn.ts'
import { drawCaption } from '../images/draw.ts'
import { encodePng } from '../images/png.ts'
import {
  color,
  colorOfHue,
  drawText,
  emptyRaster,
  fillCircle,
  fillGradient,
  fillPanel,
  type Raster,
  textWidth,
} from '../images/raster.ts'
import { BLOCK, encodeFrame, parameterSets } from './h264.ts'
import { encodeMp4 } from './mp4.ts'

export type Film = { prompt: string; width: number; height: number; seconds: number; seed: number }

export const FRAMES_PER_SECOND = 12
const LABEL = 'sandbox-video'
const [WHITE, DARK, PALE] = [color(255, 255, 255), color(16, 20, 32), color(226, 232, 240)]
/** Below the caption: the row of the ball, and the row of label, bar and clock. */
const STRIP = 3 * BLOCK
const RADIUS = 6

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
export function* framesOf(film: Film): Generator<Raster> {
  const { width, height, seconds } = film
  const base = drawBase(film)
  const count = Math.round(seconds * FRAMES_PER_SECOND)
  for (let index = 0; index < count; index++) {
    const frame = { width, height, pixels: base.pixels.slice() }
    const share = count === 1 ? 1 : index / (count - 1)
    const x = BLOCK + share * (width - 2 * BLOCK)
    fillCircle(frame, Math.round(x), height - STRIP + BLOCK / 2, RADIUS, WHITE, 1)
    const bar = { x: 0, y: height - 4, width: Math.round(share * width), height: 4 }
    fillPanel(frame, bar, 0, PALE, 1)
    const clock = `${((index + 1) / FRAMES_PER_SECOND).toFixed(1)}s`
    drawText(frame, clock, width - textWidth(clock.length, 1) - 4, height - 18, 1, PALE)
    yield frame
  }
}

function drawBase({ prompt, width, height, seconds, seed }: Film): Raster {
  const raster = emptyRaster(width, height)
  const digest = createHash('sha256').update(`${prompt}\0${seed}`).digest()
  const hue = digest.readUInt16LE(0) % 360
  fillGradient(raster, colorOfHue(hue, 0.55, 0.62), colorOfHue((hue + 50) % 360, 0.6, 0.32))
  drawCaption(raster, prompt, { x: 8, y: 8, width: width - 16, height: height - STRIP - 16 })
  fillPanel(raster, { x: 0, y: height - STRIP + BLOCK, width, height: STRIP - BLOCK }, 0, DARK, 1)
  drawText(raster, `${LABEL} ${Number(seconds.toFixed(1))}s`, 4, height - 18, 1, PALE)
  return raster
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
  return { mp4, lastFrame: await encodePng(before ?? emptyRaster(width, height)) }
}
