// PNG files: written as 8-bit RGB or RGBA; read in every colour type of 8 bits, and palettes of fewer.

import { promisify } from 'node:util'
import { crc32, deflate, inflateSync } from 'node:zlib'
import { nextTurn } from '../delivery/next-turn.ts'
import { color, emptyRaster, type Raster } from './raster.ts'

const deflated = promisify(deflate)
const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
/** As many pixels as the largest image that is made here. */
const MOST_PIXELS = 4_096 * 4_096

export class NotPng extends Error {}

/** Signed numbers: the runtime takes those above 2^31, which all opaque pixels are, for fractions. */
const signed = ({ pixels }: Raster): Int32Array => new Int32Array(pixels.buffer, pixels.byteOffset, pixels.length)

/** Other requests are served between so many pixels. */
const PIXELS_IN_A_ROW = 256 * 1_024

function isOpaque(pixels: Int32Array): boolean {
  for (let at = 0; at < pixels.length; at++) if ((pixels[at] ?? 0) >>> 24 !== 255) return false
  return true
}

/** The filter `Sub` turns runs of one colour, which is most of these pictures, into zeros. */
export async function encodePng(raster: Raster): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height } = raster
  const pixels = signed(raster)
  const channels = isOpaque(pixels) ? 3 : 4
  const rows = new Uint8Array(height * (1 + width * channels))
  const together = Math.max(1, Math.floor(PIXELS_IN_A_ROW / width))
  for (let y = 0; y < height; y += together) {
    if (y > 0) await nextTurn()
    filterRows(pixels, width, y, Math.min(height, y + together), channels, rows)
  }
  const header = new Uint8Array(13)
  const view = new DataView(header.buffer)
  view.setUint32(0, width)
  view.setUint32(4, height)
  header.set([8, channels === 3 ? 2 : 6, 0, 0, 0], 8)
  const text = new TextEncoder().encode('Software\0trivium sandbox-image')
  const chunks = [
    Uint8Array.from(SIGNATURE),
    chunk('IHDR', header),
    chunk('tEXt', text),
    chunk('IDAT', await deflated(rows, { level: 4 })),
    chunk('IEND', new Uint8Array(0)),
  ]
  return joined(chunks)
}

function filterRows(
  pixels: Int32Array,
  width: number,
  y: number,
  end: number,
  channels: number,
  rows: Uint8Array,
): void {
  let at = y * (1 + width * channels)
  for (; y < end; y++) {
    rows[at++] = 1
    let before = 0
    for (let x = y * width; x < (y + 1) * width; x++) {
      const pixel = pixels[x] ?? 0
      // The array is full of zeros already.
      if (pixel !== before) {
        rows[at] = (pixel & 255) - (before & 255)
        rows[at + 1] = ((pixel >> 8) & 255) - ((before >> 8) & 255)
        rows[at + 2] = ((pixel >> 16) & 255) - ((before >> 16) & 255)
        if (channels === 4) rows[at + 3] = (pixel >>> 24) - (before >>> 24)
        before = pixel
      }
      at += channels
    }
  }
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + data.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, data.length)
  bytes.set(new TextEncoder().encode(type), 4)
  bytes.set(data, 8)
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)))
  return bytes
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

export const isPng = (bytes: Uint8Array): boolean => SIGNATURE.every((byte, index) => bytes[index] === byte)

type Header = { width: number; height: number; depth: number; type: number }
type Found = { header: Header; palette: Uint8Array; transparency: Uint8Array; data: Uint8Array }

/** Throws NotPng for what is damaged, interlaced, or has 16 bits for a channel. */
export function decodePng(bytes: Uint8Array): Raster {
  const { header, palette, transparency, data } = chunksOf(bytes)
  const { width, height, depth, type } = header
  const channels = CHANNELS[type]
  if (channels === undefined || depth > 8 || (depth < 8 && type !== 3 && type !== 0))
    throw new NotPng(`a PNG of colour type ${type} with ${depth} bits is not supported`)
  const stride = Math.ceil((width * channels * depth) / 8)
  const rows = unfiltered(data, stride, height, Math.max(1, (channels * depth) >> 3))
  const raster = emptyRaster(width, height)
  if (type === 2 || type === 6) return fromSamples(raster, rows, channels)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const sample = (channel: number) => sampleOf(rows, y * stride, x * channels + channel, depth)
      raster.pixels[y * width + x] = pixelOf(type, depth, sample, palette, transparency)
    }
  return raster
}

/** The two types that most files have: 8 bits for each of three or four channels, row after row. */
function fromSamples(raster: Raster, rows: Uint8Array, channels: number): Raster {
  const pixels = signed(raster)
  for (let at = 0, from = 0; at < pixels.length; at++, from += channels) {
    const alpha = channels === 4 ? (rows[from + 3] ?? 0) : 255
    pixels[at] = (alpha << 24) | ((rows[from + 2] ?? 0) << 16) | ((rows[from + 1] ?? 0) << 8) | (rows[from] ?? 0)
  }
  return raster
}

/** Samples of a pixel by colour type. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

function sampleOf(rows: Uint8Array, row: number, index: number, depth: number): number {
  if (depth === 8) return rows[row + index] ?? 0
  const bit = index * depth
  return ((rows[row + (bit >> 3)] ?? 0) >> (8 - depth - (bit & 7))) & ((1 << depth) - 1)
}

function pixelOf(
  type: number,
  depth: number,
  sample: (channel: number) => number,
  palette: Uint8Array,
  transparency: Uint8Array,
): number {
  if (type === 3) {
    const index = sample(0)
    const [red = 0, green = 0, blue = 0] = palette.subarray(index * 3, index * 3 + 3)
    return color(red, green, blue, transparency[index] ?? 255)
  }
  const gray = Math.round((sample(0) * 255) / ((1 << depth) - 1))
  return color(gray, gray, gray, type === 4 ? sample(1) : 255)
}

function chunksOf(bytes: Uint8Array): Found {
  if (!isPng(bytes)) throw new NotPng('the file is not a PNG')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found: Partial<Found> = {}
  const data: Uint8Array[] = []
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at)
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
    const content = bytes.subarray(at + 8, at + 8 + length)
    if (content.length < length) throw new NotPng('the PNG is cut')
    if (type === 'IHDR') found.header = headerOf(content)
    else if (type === 'PLTE') found.palette = content
    else if (type === 'tRNS') found.transparency = content
    else if (type === 'IDAT') data.push(content)
    else if (type === 'IEND') break
    at += 12 + length
  }
  const { header, palette = new Uint8Array(0), transparency = new Uint8Array(0) } = found
  if (header === undefined) throw new NotPng('the PNG has no header')
  return { header, palette, transparency, data: inflated(joined(data), header) }
}

function headerOf(content: Uint8Array): Header {
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength)
  if (content.length < 13) throw new NotPng('the PNG has no header')
  const [width, height, depth = 0, type = 0] = [view.getUint32(0), view.getUint32(4), content[8], content[9]]
  if (width === 0 || height === 0 || width * height > MOST_PIXELS) throw new NotPng('the PNG has too many pixels')
  if (content[12] !== 0) throw new NotPng('an interlaced PNG is not supported')
  return { width, height, depth, type }
}

function inflated(data: Uint8Array, { width, height, depth, type }: Header): Uint8Array {
  const most = height * (1 + Math.ceil((width * (CHANNELS[type] ?? 4) * depth) / 8))
  try {
    return inflateSync(data, { maxOutputLength: most })
  } catch {
    throw new NotPng('the data of the PNG is damaged')
  }
}

/** Undoes the filter of each row. `step`: bytes from a pixel to the one before it. */
function unfiltered(data: Uint8Array, stride: number, height: number, step: number): Uint8Array {
  if (data.length < height * (stride + 1)) throw new NotPng('the PNG is cut')
  const rows = new Uint8Array(height * stride)
  for (let y = 0; y < height; y++) {
    const filter = data[y * (stride + 1)] ?? 0
    const source = y * (stride + 1) + 1
    const row = y * stride
    if (filter === 0) rows.set(data.subarray(source, source + stride), row)
    else if (filter === 1) undoSub(data, source, rows, row, stride, step)
    else
      for (let x = 0; x < stride; x++) {
        const left = x >= step ? (rows[row + x - step] ?? 0) : 0
        const up = y > 0 ? (rows[row + x - stride] ?? 0) : 0
        const corner = x >= step && y > 0 ? (rows[row + x - stride - step] ?? 0) : 0
        rows[row + x] = (data[source + x] ?? 0) + predicted(filter, left, up, corner)
      }
  }
  return rows
}

function undoSub(data: Uint8Array, source: number, rows: Uint8Array, row: number, stride: number, step: number): void {
  for (let x = 0; x < stride; x++)
    rows[row + x] = (data[source + x] ?? 0) + (x >= step ? (rows[row + x - step] ?? 0) : 0)
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  const byLeft = Math.abs(up - corner)
  const byUp = Math.abs(left - corner)
  const byCorner = Math.abs(left + up - 2 * corner)
  return byLeft <= byUp && byLeft <= byCorner ? left : byUp <= byCorner ? up : corner
}
