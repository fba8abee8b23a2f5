// Base64 text of images: its length, and how it is decoded without being joined.

import type { Base64 } from '../canonical/image.ts'

/** Bytes that padded base64 text stands for. */
export function base64Bytes(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return (base64.length / 4) * 3 - padding
}

/** Characters of padded base64 text for so many bytes. */
export const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4

/** Parts of so many characters are decoded at once. A multiple of 4. */
const LARGEST_PART = 1024 * 1024

/**
 * The same base64 text in parts that can be decoded one by one: all but the last have a multiple of 4 characters. Only
 * the seams between pieces are copied.
 */
export function* decodableParts({ pieces }: Base64): Generator<Uint8Array> {
  let seam: number[] = []
  for (const piece of pieces) {
    let at = 0
    if (seam.length > 0) {
      while (seam.length < 4 && at < piece.length) seam.push(piece[at++] ?? 0)
      if (seam.length < 4) continue
      yield Uint8Array.from(seam)
    }
    const end = piece.length - ((piece.length - at) % 4)
    for (; at < end; at += LARGEST_PART) yield piece.subarray(at, Math.min(end, at + LARGEST_PART))
    seam = [...piece.subarray(end)]
  }
  if (seam.length > 0) yield Uint8Array.from(seam)
}
