// PNG files of 8-bit RGBA, and what clients send: PNG of every kind, JPEG and WebP, which the runtime turns into that.

import { promisify } from 'node:util'
import { crc32, deflate, inflateSync } from 'node:zlib'
import { emptyRaster, type Raster } from './raster.ts'

const deflated = promisify(deflate)
const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
const [RGB, RGBA] = [2, 6]
/** As many pixels as the largest image that is made here. */
const MOST_PIXELS = 4_096 * 4_096

export async function encodePng({ width, height, pixels }: Raster): Promise<Uint8Array<ArrayBuffer>> {
  const stride = width * 4
  const samples = new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.byteLength)
  const rows = new Uint8Array(height * (stride + 1))
  for (let y = 0; y < height; y++) rows.set(samples.subarray(y * stride, (y + 1) * stride), y * (stride + 1) + 1)
  const header = new DataView(new ArrayBuffer(13))
  header.setUint32(0, width)
  header.setUint32(4, height)
  header.setUint16(8, (8 << 8) | RGBA)
  const chunks = [
    chunk('IHDR', new Uint8Array(header.buffer)),
    chunk('tEXt', Buffer.from('Software\0trivium sandbox-image')),
    chunk('IDAT', await deflated(rows, { level: 4 })),
    chunk('IEND', new Uint8Array(0)),
  ]
  return new Uint8Array(Buffer.concat([SIGNATURE, ...chunks]))
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(12 + data.length)
  bytes.writeUInt32BE(data.length)
  bytes.write(type, 4)
  bytes.set(data, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length)
  return bytes
}

/** Throws for what is damaged, too large, or no image. */
export async function decodeImage(bytes: Uint8Array<ArrayBuffer>): Promise<Raster> {
  const isOwnKind = SIGNATURE.every((byte, index) => bytes[index] === byte) && isPlain(bytes)
  return decodePng(isOwnKind ? bytes : await new Bun.Image(bytes, { maxPixels: MOST_PIXELS }).png().bytes())
}

/** 8 bits for each of three or four channels, not interlaced: bytes of the header, which is the first chunk. */
const isPlain = ({ 24: depth, 25: type, 28: interlaced }: Uint8Array): boolean =>
  depth === 8 && (type === RGB || type === RGBA) && interlaced === 0

export function decodePng(bytes: Uint8Array): Raster {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [width, height, step] = [view.getUint32(16), view.getUint32(20), bytes[25] === RGBA ? 4 : 3]
  if (!isPlain(bytes) || width * height > MOST_PIXELS) throw new Error('not a plain PNG')
  const data: Uint8Array[] = []
  for (let at = 8; at + 12 <= bytes.length; at += 12 + view.getUint32(at))
    if (view.getUint32(at + 4) === IDAT) data.push(bytes.subarray(at + 8, at + 8 + view.getUint32(at)))
  const stride = width * step
  const filtered = inflateSync(Buffer.concat(data), { maxOutputLength: height * (stride + 1) })
  if (filtered.length < height * (stride + 1)) throw new Error('the PNG is cut')
  const rows = unfiltered(filtered, stride, height, step)
  const raster = emptyRaster(width, height)
  const samples = new Uint8Array(raster.pixels.buffer)
  if (step === 4) samples.set(rows)
  else
    for (let at = 0, from = 0; from < rows.length; at += 4, from += 3) {
      samples.set(rows.subarray(from, from + 3), at)
      samples[at + 3] = 255
    }
  return raster
}

const IDAT = 0x49444154

/** Undoes the filter of each row. `step`: bytes from a pixel to the one before it. */
function unfiltered(data: Uint8Array, stride: number, height: number, step: number): Uint8Array {
  const rows = new Uint8Array(height * stride)
  for (let y = 0; y < height; y++) {
    const from = y * (stride + 1) + 1
    const row = y * stride
    const filter = data[from - 1] ?? 0
    if (filter === 0) rows.set(data.subarray(from, from + stride), row)
    else
      for (let x = 0; x < stride; x++) {
        const left = x >= step ? (rows[row + x - step] ?? 0) : 0
        const up = y > 0 ? (rows[row + x - stride] ?? 0) : 0
        const corner = x >= step && y > 0 ? (rows[row + x - stride - step] ?? 0) : 0
        rows[row + x] = (data[from + x] ?? 0) + predicted(filter, left, up, corner)
      }
  }
  return rows
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  const byLeft = Math.abs(up - corner)
  const byUp = Math.abs(left - corner)
  const byCorner = Math.abs(left + up - 2 * corner)
  return byLeft <= byUp && byLeft <= byCorner ? left : byUp <= byCorner ? up : corner
}
