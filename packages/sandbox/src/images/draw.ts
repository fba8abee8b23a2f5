// The picture of a prompt: the same for the same prompt, size and index, and different from those of other prompts.

import { createHash } from 'node:crypto'
import { ADVANCE, LINE, wrapped } from './font.ts'
import {
  type Box,
  color,
  colorOfHue,
  drawText,
  emptyRaster,
  fillCircle,
  fillGradient,
  fillPanel,
  type Raster,
  textHeight,
  textWidth,
} from './raster.ts'

export const LABEL = 'sandbox-image'
const WHITE = color(255, 255, 255)
const DARK = color(16, 20, 32)
const PALE = color(226, 232, 240)

export type Picture = { prompt: string; width: number; height: number; index: number; transparent: boolean }

export function drawPicture({ prompt, width, height, index, transparent }: Picture): Raster {
  const raster = emptyRaster(width, height)
  const number = numbersOf(`${prompt}\0${width}x${height}\0${index}`)
  const hue = number() * 360
  if (!transparent) {
    fillGradient(raster, colorOfHue(hue, 0.55, 0.72), colorOfHue((hue + 50) % 360, 0.6, 0.42))
    drawScene(raster, number, hue)
  }
  const unit = Math.min(width, height)
  const margin = Math.max(2, Math.round(unit * 0.06))
  const footer = Math.max(unit < 128 ? 20 : 10, Math.round(unit * 0.09))
  const panel = { x: margin, y: margin, width: width - 2 * margin, height: height - 2 * margin - footer }
  drawCaption(raster, prompt, panel)
  drawFooter(raster, `#${index + 1} ${width}x${height}`, margin, footer)
  return raster
}

/** A sun, and hills in front of each other. */
function drawScene(raster: Raster, number: () => number, hue: number): void {
  const { width, height } = raster
  const unit = Math.min(width, height)
  const [sunX, sunY] = [width * (0.15 + 0.7 * number()), height * (0.1 + 0.25 * number())]
  for (const [grow, share] of [
    [1.7, 0.12],
    [1.35, 0.18],
    [1, 0.75],
  ] as const)
    fillCircle(raster, sunX, sunY, unit * 0.13 * grow, colorOfHue((hue + 180) % 360, 0.9, 0.86), share)
  for (let hill = 0; hill < 4; hill++) {
    const radius = unit * (0.55 + 0.5 * number())
    const x = width * (hill / 3 + 0.3 * (number() - 0.5))
    const y = height + radius * (0.55 - hill * 0.06) - unit * 0.12 * number()
    fillCircle(raster, x, y, radius, colorOfHue((hue + 60 + hill * 14) % 360, 0.5, 0.36 - hill * 0.05), 0.8)
  }
}

/** The text in the middle of a dark panel, as large as it fits. */
export function drawCaption(raster: Raster, prompt: string, box: Box): void {
  const text = prompt.slice(0, 4_000)
  const layout = layoutOf(text, box.width - Math.round(box.width * 0.1), box.height - Math.round(box.height * 0.1))
  const { lines, scale } = layout
  const longest = Math.max(0, ...lines.map((line) => [...line].length))
  const padding = scale * 5
  const [textWide, textHigh] = [textWidth(longest, scale), textHeight(lines.length, scale)]
  const panel = {
    width: Math.min(box.width, textWide + 2 * padding),
    height: Math.min(box.height, textHigh + 2 * padding),
  }
  const x = box.x + Math.round((box.width - panel.width) / 2)
  const y = box.y + Math.round((box.height - panel.height) / 2)
  fillPanel(raster, { x, y, ...panel }, Math.min(scale * 4, panel.height >> 1, panel.width >> 1), DARK, 0.72)
  const top = box.y + Math.round((box.height - textHigh) / 2)
  for (const [row, line] of lines.entries()) {
    const left = box.x + Math.round((box.width - textWidth([...line].length, scale)) / 2)
    drawText(raster, line, left, top + row * LINE * scale, scale, WHITE)
  }
}

/** The largest text that fits; of what does not fit in the smallest only the beginning. */
function layoutOf(text: string, width: number, height: number): { lines: string[]; scale: number } {
  for (let scale = Math.max(1, Math.floor(Math.min(width, height) / 90)); ; scale--) {
    const most = Math.max(1, Math.floor((width / scale + 1) / ADVANCE))
    const maxLines = Math.max(1, Math.floor((height / scale + 2) / LINE))
    const lines = wrapped(text, most, maxLines)
    const isWhole = lines.join('').replaceAll(' ', '').length >= text.replaceAll(/\s/g, '').length
    const splitsWords = text.split(/\s+/).some((word) => [...word].length > most)
    if (scale === 1 || (isWhole && !splitsWords)) return { lines, scale }
  }
}

/** The label at the left and the details at the right; where there is no room, only the label, in two lines if need be. */
function drawFooter(raster: Raster, details: string, margin: number, footer: number): void {
  const { width, height } = raster
  const room = width - 2 * margin
  const both = LABEL.length + details.length + 4
  const scale = Math.max(1, Math.min(Math.floor(footer / 16), Math.floor(room / (both * ADVANCE))))
  const fits = textWidth(both, scale) <= room
  const lines = textWidth(LABEL.length, scale) <= width ? [LABEL] : LABEL.split(/(?<=-)/)
  const top = height - Math.round(margin / 2) - Math.round((footer + textHeight(lines.length, scale)) / 2)
  const shadowed = (text: string, x: number, y: number) => {
    const offset = Math.max(1, scale >> 1)
    drawText(raster, text, x + offset, y + offset, scale, DARK)
    drawText(raster, text, x, y, scale, PALE)
  }
  for (const [row, line] of lines.entries()) {
    const x = fits ? margin : Math.round((width - textWidth(line.length, scale)) / 2)
    shadowed(line, x, top + row * LINE * scale)
  }
  if (fits) shadowed(details, width - margin - textWidth(details.length, scale), top)
}

/** Numbers from 0 to 1 that depend on the text alone. */
function numbersOf(text: string): () => number {
  let state = createHash('sha256').update(text).digest().readUInt32LE(0) || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state / 0x1_0000_0000
  }
}
