// How many tokens an image takes where a vendor bills images by the token. Vendors report the count with the image; these
// figures are for the hold, and for images whose count is missing. Pure.
//
// Known are three ways of counting:
// - gpt-image-1 and its successors 1.5 and mini, as documented: 272, 1056 and 4160 tokens for 1024x1024, and half as many
//   again for 1024x1536. No other sizes exist; they would grow with the number of pixels.
// - gpt-image-2 and later, by the vendor's calculator: 1024x1024 of high quality takes 7,024 tokens, and a longer shape of
//   the same area takes fewer.
// - Gemini, by resolution alone: 1120 tokens up to 1K, 1680 up to 2K, 2520 up to 4K. It has no qualities.
import type { Dimensions } from '../../../modalities/media-quantities.ts'

type Counting = (size: Dimensions, quality: Quality) => number

const QUALITIES = ['low', 'medium', 'high'] as const
type Quality = (typeof QUALITIES)[number]

/** Sizes that vendors choose by themselves if the request leaves the size open. */
const USUAL_SIZES: readonly Dimensions[] = [
  { width: 1024, height: 1024 },
  { width: 1024, height: 1536 },
  { width: 1536, height: 1024 },
]

const MEGAPIXEL = 1024 * 1024

const FIRST_GENERATION: Readonly<Record<Quality, readonly [square: number, portrait: number, landscape: number]>> = {
  low: [272, 408, 400],
  medium: [1056, 1584, 1568],
  high: [4160, 6240, 6208],
}
const firstGeneration: Counting = ({ width, height }, quality) => {
  const index = USUAL_SIZES.findIndex((each) => each.width === width && each.height === height)
  const square = FIRST_GENERATION[quality][0]
  return FIRST_GENERATION[quality][index] ?? Math.ceil((square * width * height) / MEGAPIXEL)
}

/** Tokens along the longer side. */
const GRID: Readonly<Record<Quality, number>> = { low: 16, medium: 48, high: 96 }
const secondGeneration: Counting = ({ width, height }, quality) => {
  const long = GRID[quality]
  const short = Math.round((long * Math.min(width, height)) / Math.max(width, height))
  return Math.ceil((long * short * (2_000_000 + width * height)) / 4_000_000)
}

const byResolution: Counting = ({ width, height }) => {
  const pixels = width * height
  if (pixels <= 1.1 * MEGAPIXEL) return 1120
  return pixels <= 4.4 * MEGAPIXEL ? 1680 : Math.ceil(2520 * Math.max(1, pixels / (16 * MEGAPIXEL)))
}

const ALL: readonly Counting[] = [firstGeneration, secondGeneration, byResolution]

/** A partial image that is streamed, besides the image itself. */
const TOKENS_PER_PARTIAL_IMAGE = 100

/** No documented model counts more for an input image: gpt-image-1 at high fidelity, 65 + 129 per tile + 6144. */
export const MOST_TOKENS_PER_INPUT_IMAGE = 8_192

/** Whichever model it is. undefined: the vendor chooses, so the most expensive of its choices. Unknown qualities are `high`. */
export function mostTokensOfImage(size: Dimensions | undefined, quality: string | undefined, partialImages: number) {
  const known = QUALITIES.find((each) => each === quality) ?? 'high'
  const counts = (size ? [size] : USUAL_SIZES).flatMap((each) => ALL.map((count) => count(each, known)))
  return Math.max(...counts) + partialImages * TOKENS_PER_PARTIAL_IMAGE
}

export function fewestTokensOfImage(size: Dimensions | undefined, quality: string | undefined): number {
  const known = QUALITIES.find((each) => each === quality) ?? 'low'
  const counts = (size ? [size] : USUAL_SIZES).flatMap((each) => ALL.map((count) => count(each, known)))
  return Math.min(...counts)
}
