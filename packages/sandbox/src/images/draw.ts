// The picture of a prompt, its text on a background: the same for the same prompt, size and index, and different from those of
// other prompts.

import { createHash } from 'node:crypto'
import { type Box, color, colorOfHue, emptyRaster, fill, type Raster } from './raster.ts'

export const WHITE = color(255, 255, 255)
export const PALE = color(226, 232, 240)
const DARK = color(16, 20, 32)

export type Picture = { prompt: string; width: number; height: number; index: number; transparent: boolean }

export function drawPicture({ prompt, width, height, index, transparent }: Picture): Raster {
  const size = `${width}x${height}`
  const raster = transparent ? emptyRaster(width, height) : background(width, height, `${prompt}\0${size}\0${index}`)
  const footer = Math.max(22, Math.round(Math.min(width, height) * 0.09))
  drawText(raster, prompt, { x: 0, y: 0, width, height: height - footer }, WHITE)
  drawText(raster, `sandbox-image #${index + 1} ${size}`, { x: 0, y: height - footer, width, height: footer }, PALE)
  return raster
}

/** Rows of one colour each, of a hue that depends on the seed. */
export function background(width: number, height: number, seed: string): Raster {
  const raster = emptyRaster(width, height)
  const hue = createHash('sha256').update(seed).digest().readUInt32LE(0) % 360
  for (let y = 0; y < height; y++) {
    const share = y / height
    fill(raster, { x: 0, y, width, height: 1 }, colorOfHue(hue + 50 * share, 0.6, 0.7 - 0.3 * share))
  }
  return raster
}

/** From one character to the next, and from one line to the next, in units of the font. */
const [ADVANCE, LINE] = [6, 10]

/** The text in the middle of a box, on a dark panel, as large as it fits. */
export function drawText(raster: Raster, text: string, box: Box, ink: number): void {
  const { lines, scale } = layoutOf(text.slice(0, 4_000), box)
  let y = box.y + ((box.height - lines.length * LINE * scale) >> 1)
  for (const line of lines) {
    const width = [...line].length * ADVANCE * scale
    let x = box.x + ((box.width - width) >> 1)
    fill(raster, { x: x - scale, y, width: width + scale, height: LINE * scale }, DARK)
    for (const character of line) {
      for (const [column, bits] of glyphOf(character).entries())
        for (let row = 0; row < 8; row++)
          if (((bits >> row) & 1) === 1) {
            const pixel = { x: x + column * scale, y: y + (row + 1) * scale, width: scale, height: scale }
            fill(raster, pixel, ink)
          }
      x += ADVANCE * scale
    }
    y += LINE * scale
  }
}

/** The largest text that fits without splitting a word; of what does not fit in the smallest only the beginning. */
function layoutOf(text: string, { width, height }: Box): { lines: string[]; scale: number } {
  const longest = Math.max(0, ...text.split(/\s+/).map((word) => [...word].length))
  for (let scale = Math.max(1, Math.floor(Math.min(width, height) / 40)); ; scale--) {
    const most = Math.max(1, Math.floor(width / scale / ADVANCE))
    const maxLines = Math.max(1, Math.floor(height / scale / LINE))
    if (scale === 1) return { lines: wrapped(text, most, maxLines), scale }
    const lines = wrapped(text, most)
    if (longest <= most && lines.length <= maxLines) return { lines, scale }
  }
}

/** Lines of at most `most` characters, broken between words where that is possible. Ends in `...` if there are too many. */
export function wrapped(text: string, most: number, maxLines = Number.POSITIVE_INFINITY): string[] {
  const lines = text.match(new RegExp(`\\S.{0,${most - 1}}(?=\\s|$)|\\S{${most}}`, 'gu')) ?? []
  if (lines.length <= maxLines) return lines
  const last = [...(lines[maxLines - 1] ?? '')].slice(0, Math.max(0, most - 3)).join('')
  return [...lines.slice(0, maxLines - 1), `${last}...`]
}

// A bitmap font for printable ASCII: 5 columns of 8 pixels for each character, the lowest bit at the top.
const FONT = [
  '0000000000 00005f0000 0007000700 147f147f14 242a7f2a12 2313086462 3649562050 0000070000', // ! " # $ % & '
  '001c224100 0041221c00 2a1c7f1c2a 08083e0808 0080603000 0808080808 0000606000 2010080402', // ( ) * + , - . /
  '3e5149453e 00427f4000 6251494946 2241494936 1814127f10 2745454539 3c4a494931 0101710907', // 0 1 2 3 4 5 6 7
  '3649494936 464949291e 0000360000 0080760000 0008142241 1414141414 0041221408 0201590906', // 8 9 : ; < = > ?
  '3e415d594e 7c1211127c 7f49494936 3e41414122 7f41413e00 7f49494941 7f09090901 3e41495132', // @ A B C D E F G
  '7f0808087f 00417f4100 2040413f01 7f08142241 7f40404040 7f020c027f 7f0408107f 3e4141413e', // H I J K L M N O
  '7f09090906 3e4151215e 7f09192946 2649494932 01017f0101 3f4040403f 1f2040201f 3f4038403f', // P Q R S T U V W
  '6314081463 0304780403 6151494543 007f414100 0204081020 0041417f00 0402010204 8080808080', // X Y Z [ \ ] ^ _
  '0001020400 2054545478 7f44444438 3844444428 384444447f 3854545418 00087e0902 18a4a4a47c', // ` a b c d e f g
  '7f08040478 00447d4000 4080847d00 7f10284400 00417f4000 7c04780478 7c08040478 3844444438', // h i j k l m n o
  'fc24242418 18242424fc 7c08040408 4854545424 043f442400 3c4040207c 1c2040201c 3c4030403c', // p q r s t u v w
  '4428102844 1ca0a0a07c 4464544c44 0008364100 0000770000 0041360800 0201020402', // x y z { | } ~
]
const COLUMNS = Buffer.from(FONT.join('').replaceAll(' ', ''), 'hex')
/** For characters that the font does not have. */
const BOX = Buffer.from('7f4141417f', 'hex')

function glyphOf(character: string): Uint8Array {
  const at = ((character.codePointAt(0) ?? 0) - 0x20) * 5
  return at >= 0 && at < COLUMNS.length ? COLUMNS.subarray(at, at + 5) : BOX
}
