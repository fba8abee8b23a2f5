// An H.264 baseline encoder that needs no transform: changed macroblocks are sent as raw samples (I_PCM), all others are
// skipped, which repeats them from the frame before.

import type { Raster } from '../images/raster.ts'

/** The side of a macroblock. */
export const BLOCK = 16
const SAMPLES = 384
const I_PCM = 25
/** Types of intra macroblocks follow the five inter types in P slices. */
const I_PCM_IN_P = 5 + I_PCM
const FRAME_NUMBER_BITS = 16

const [SPS, PPS, IDR, NON_IDR] = [0x67, 0x68, 0x65, 0x41]
/** Constrained baseline, level 3.0. */
export const PROFILE = [66, 0xc0, 30] as const

/** Binary digits, or whole bytes behind a byte boundary. */
type Piece = string | Uint8Array

const bits = (value: number, count: number): string => value.toString(2).padStart(count, '0')

/** Unsigned Exp-Golomb. */
function ue(...values: readonly number[]): string {
  const codes = values.map((value) => (value + 1).toString(2))
  return codes.map((code) => code.padStart(code.length * 2 - 1, '0')).join('')
}

/** With zeros up to the next byte. */
const bytesOf = (digits: string): Uint8Array =>
  Uint8Array.from(digits.match(/.{1,8}/g) ?? [], (byte) => Number.parseInt(byte.padEnd(8, '0'), 2))

/** `header`: importance and type. A stop bit ends every unit. */
function nalUnit(header: number, pieces: readonly Piece[]): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.of(header)]
  let open = ''
  for (const piece of pieces) {
    if (typeof piece === 'string') open += piece
    else {
      parts.push(bytesOf(open), piece)
      open = ''
    }
  }
  const unit = Buffer.concat([...parts, bytesOf(`${open}1`)]).toString('latin1')
  // Two zeros before a byte up to 3 would look like a start code: a 3 stands between.
  return Buffer.from(unit.replace(/\0\0(?=[\0-\x03])/g, '\0\0\x03'), 'latin1')
}

/** Sides are multiples of 16. */
export function parameterSets(width: number, height: number): { sps: Uint8Array; pps: Uint8Array } {
  const profile = PROFILE.map((byte) => bits(byte, 8)).join('')
  // Id; bits of the frame number; output order is decoding order; one reference frame; no gaps in frame numbers; size; frames
  // only; 8x8 inference; no cropping; no further information.
  const sps = `${profile}${ue(0, FRAME_NUMBER_BITS - 4, 2, 1)}0${ue(width / BLOCK - 1, height / BLOCK - 1)}1100`
  // Ids; CAVLC; no field order; one slice group; one reference each; no weighted prediction; three quantizers, not used;
  // deblocking is controlled by slices; no constrained intra; no redundant pictures.
  const pps = `${ue(0, 0)}00${ue(0, 0, 0)}000${ue(0, 0, 0)}100`
  return { sps: nalUnit(SPS, [sps]), pps: nalUnit(PPS, [pps]) }
}

/** A frame as one NAL unit. `before`: the frame before it; undefined for the first, which is sent whole. */
export function encodeFrame(raster: Raster, before: Raster | undefined, index: number): Uint8Array {
  const isKey = before === undefined
  // A key frame has an id and no marking; another has no override of references, no reordering, no marking. Then the quantizer
  // of the PPS, and no deblocking, which would blur the raw samples.
  const slice = ue(0, isKey ? 7 : 5, 0) + bits(index, FRAME_NUMBER_BITS) + (isKey ? `${ue(0)}00` : '000') + ue(0, 1)
  const pieces: Piece[] = [slice]
  let skipped = 0
  for (let y = 0; y < raster.height; y += BLOCK)
    for (let x = 0; x < raster.width; x += BLOCK)
      if (isKey) pieces.push(ue(I_PCM), samplesOf(raster, x, y))
      else if (isSame(raster, before, x, y)) skipped++
      else {
        pieces.push(ue(skipped, I_PCM_IN_P), samplesOf(raster, x, y))
        skipped = 0
      }
  if (skipped > 0) pieces.push(ue(skipped))
  return nalUnit(isKey ? IDR : NON_IDR, pieces)
}

function isSame({ width, pixels }: Raster, before: Raster, x: number, y: number): boolean {
  for (let row = y; row < y + BLOCK; row++)
    for (let at = row * width + x; at < row * width + x + BLOCK; at++)
      if (pixels[at] !== before.pixels[at]) return false
  return true
}

/** 256 samples of luma, and 64 of each colour difference: BT.601 in the limited range. */
export function samplesOf({ width, pixels }: Raster, x: number, y: number): Uint8Array {
  const samples = new Uint8Array(SAMPLES)
  for (let row = 0; row < BLOCK; row++) {
    for (let column = 0; column < BLOCK; column++) {
      const pixel = pixels[(y + row) * width + x + column] ?? 0
      const [red, green, blue] = [pixel & 255, (pixel >>> 8) & 255, (pixel >>> 16) & 255]
      samples[row * BLOCK + column] = 16 + ((66 * red + 129 * green + 25 * blue + 128) >> 8)
      if (row % 2 === 1 || column % 2 === 1) continue
      const at = 256 + (row / 2) * 8 + column / 2
      samples[at] = 128 + ((-38 * red - 74 * green + 112 * blue + 128) >> 8)
      samples[at + 64] = 128 + ((112 * red - 94 * green - 18 * blue + 128) >> 8)
    }
  }
  return samples
}
