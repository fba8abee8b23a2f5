// Pixels in memory, and what is drawn into them: rows, circles, panels and text.

import { ADVANCE, GLYPH_HEIGHT, GLYPH_WIDTH, glyphOf, LINE } from './font.ts'

/** One pixel is a number: 0xAABBGGRR, which is R, G, B, A in memory. */
export type Raster = { width: number; height: number; pixels: Uint32Array<ArrayBuffer> }
export type Box = { x: number; y: number; width: number; height: number }

export const emptyRaster = (width: number, height: number): Raster => ({
  width,
  height,
  pixels: new Uint32Array(width * height),
})

export const color = (red: number, green: number, blue: number, alpha = 255): number =>
  ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0

export const alphaOf = (pixel: number): number => pixel >>> 24

/** `over` on top of `under`, with this share of it (0 to 1). The result is as opaque as the more opaque of the two. */
function blended(under: number, over: number, share: number): number {
  const alpha = alphaOf(under)
  if (alpha === 0) return ((over & 0xffffff) | (Math.round(255 * share) << 24)) >>> 0
  const mix = (shift: number) => {
    const below = (under >>> shift) & 255
    return Math.round(below + (((over >>> shift) & 255) - below) * share)
  }
  return color(mix(0), mix(8), mix(16), alpha)
}

/** Colours as people choose them: hue in degrees, the others from 0 to 1. */
export function colorOfHue(hue: number, saturation: number, lightness: number): number {
  const chroma = saturation * Math.min(lightness, 1 - lightness)
  const channel = (offset: number) => {
    const place = (offset + hue / 30) % 12
    return Math.round(255 * (lightness - chroma * Math.max(-1, Math.min(place - 3, 9 - place, 1))))
  }
  return color(channel(0), channel(8), channel(4))
}

/** Rows of one colour each. */
export function fillGradient({ width, height, pixels }: Raster, top: number, bottom: number): void {
  for (let y = 0; y < height; y++)
    pixels.fill(blended(top, bottom, y / Math.max(1, height - 1)), y * width, (y + 1) * width)
}

/** Part of a row. Neighbours of one colour are blended once: most rows have few colours. */
function blendRow(raster: Raster, y: number, from: number, to: number, over: number, share: number): void {
  const { width } = raster
  // Signed: the runtime takes numbers above 2^31 for fractions.
  const pixels = new Int32Array(raster.pixels.buffer)
  const end = y * width + Math.min(width, to)
  let last = 0
  let result = blended(0, over, share)
  for (let at = y * width + Math.max(0, from); at < end; at++) {
    const under = pixels[at] ?? 0
    if (under !== last) {
      last = under
      result = blended(under >>> 0, over, share)
    }
    pixels[at] = result
  }
}

export function fillCircle(raster: Raster, x: number, y: number, radius: number, over: number, share: number): void {
  const last = Math.min(raster.height - 1, Math.floor(y + radius))
  for (let row = Math.max(0, Math.ceil(y - radius)); row <= last; row++) {
    const half = Math.sqrt(radius * radius - (row - y) * (row - y))
    blendRow(raster, row, Math.round(x - half), Math.round(x + half), over, share)
  }
}

/** A rectangle with round corners. */
export function fillPanel(raster: Raster, box: Box, radius: number, over: number, share: number): void {
  const last = Math.min(raster.height, box.y + box.height)
  for (let y = Math.max(0, box.y); y < last; y++) {
    const edge = Math.max(0, radius - (y - box.y), radius - (box.y + box.height - 1 - y))
    const inset = Math.round(radius - Math.sqrt(Math.max(0, radius * radius - edge * edge)))
    blendRow(raster, y, box.x + inset, box.x + box.width - inset, over, share)
  }
}

export function drawText(raster: Raster, text: string, x: number, y: number, scale: number, ink: number): void {
  let left = x
  for (const character of text) {
    const columns = glyphOf(character)
    for (let column = 0; column < GLYPH_WIDTH; column++) {
      for (let row = 0; row < GLYPH_HEIGHT; row++)
        if ((((columns[column] ?? 0) >> row) & 1) === 1)
          fillSquare(raster, left + column * scale, y + row * scale, scale, ink)
    }
    left += ADVANCE * scale
  }
}

function fillSquare({ width, height, pixels }: Raster, x: number, y: number, side: number, ink: number): void {
  const [left, right] = [Math.max(0, x), Math.min(width, x + side)]
  if (left >= right) return
  for (let row = Math.max(0, y); row < Math.min(height, y + side); row++)
    pixels.fill(ink, row * width + left, row * width + right)
}

export const textWidth = (characters: number, scale: number): number => Math.max(0, characters * ADVANCE - 1) * scale
export const textHeight = (lines: number, scale: number): number => Math.max(0, lines * LINE - 2) * scale

/** The same picture in squares of this many pixels, each of one colour: coarser, but recognizable. */
export function pixelated(raster: Raster, block: number): Raster {
  const { width, height, pixels } = raster
  const coarse = emptyRaster(width, height)
  for (let y = 0; y < height; y += block) {
    const row = coarse.pixels.subarray(y * width, (y + 1) * width)
    const source = Math.min(height - 1, y + (block >> 1)) * width
    for (let x = 0; x < width; x += block)
      row.fill(pixels[source + Math.min(width - 1, x + (block >> 1))] ?? 0, x, x + block)
    for (let next = y + 1; next < Math.min(height, y + block); next++) coarse.pixels.set(row, next * width)
  }
  return coarse
}

/** To another size, by the nearest pixel. */
export function resized({ width, height, pixels }: Raster, toWidth: number, toHeight: number): Raster {
  const result = emptyRaster(toWidth, toHeight)
  for (let y = 0; y < toHeight; y++) {
    const row = Math.floor((y * height) / toHeight) * width
    for (let x = 0; x < toWidth; x++)
      result.pixels[y * toWidth + x] = pixels[row + Math.floor((x * width) / toWidth)] ?? 0
  }
  return result
}
