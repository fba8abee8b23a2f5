// An H.264 baseline encoder that needs no transform: changed macroblocks are sent as raw samples (I_PCM), all others are
// skipped, which repeats them from the frame before.

import type { Raster } from '../images/raster.ts'
import { BitWriter, nalUnit } from './bits.ts'

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

/** Sides are multiples of 16. */
export function parameterSets(width: number, height: number): { sps: Uint8Array; pps: Uint8Array } {
  const sps = new BitWriter()
  for (const byte of PROFILE) sps.bits(byte, 8)
  // Id; bits of the frame number; output order is decoding order; one reference frame; no gaps in frame numbers.
  sps
    .ue(0)
    .ue(FRAME_NUMBER_BITS - 4)
    .ue(2)
    .ue(1)
    .bits(0, 1)
  // Size; frames only; 8x8 inference; no cropping; no further information.
  sps
    .ue(width / BLOCK - 1)
    .ue(height / BLOCK - 1)
    .bits(1, 1)
    .bits(1, 1)
    .bits(0, 1)
    .bits(0, 1)
  const pps = new BitWriter()
  // Ids; CAVLC; no field order; one slice group; one reference each; no weighted prediction.
  pps.ue(0).ue(0).bits(0, 1).bits(0, 1).ue(0).ue(0).ue(0).bits(0, 1).bits(0, 2)
  // Three quantizers, not used; deblocking is controlled by slices; no constrained intra; no redundant pictures.
  pps.ue(0).ue(0).ue(0).bits(1, 1).bits(0, 1).bits(0, 1)
  return { sps: nalUnit(SPS, sps.finish()), pps: nalUnit(PPS, pps.finish()) }
}

/** A frame as one NAL unit. `before`: the frame before it; undefined for the first, which is sent whole. */
export function encodeFrame(raster: Raster, before: Raster | undefined, index: number): Uint8Array<ArrayBuffer> {
  const writer = new BitWriter()
  if (before === undefined) writer.ue(0).ue(7).ue(0).bits(0, FRAME_NUMBER_BITS).ue(0).bits(0, 2)
  // No override of references, no reordering, no marking.
  else writer.ue(0).ue(5).ue(0).bits(index, FRAME_NUMBER_BITS).bits(0, 1).bits(0, 1).bits(0, 1)
  // Quantizer as in the PPS; no deblocking, which would blur the raw samples.
  writer.ue(0).ue(1)
  let skipped = 0
  for (let y = 0; y < raster.height; y += BLOCK) {
    for (let x = 0; x < raster.width; x += BLOCK) {
      if (before !== undefined && isSame(raster, before, x, y)) {
        skipped++
        continue
      }
      if (before !== undefined) writer.ue(skipped)
      skipped = 0
      writer.ue(before === undefined ? I_PCM : I_PCM_IN_P).align()
      writer.append(samplesOf(raster, x, y))
    }
  }
  if (skipped > 0) writer.ue(skipped)
  return nalUnit(before === undefined ? IDR : NON_IDR, writer.finish())
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
