// Sizes, qualities and counts of images and videos, as prices read them. Pure. Every quantity that multiplies a price is
// limited here again, whatever has been checked before: a price of something out of these limits is "reject", never "free".
import { ceilDiv, type Nanos } from '../money/amount.ts'
import { atMostBookable } from '../money/prices/token-price.ts'

export const LONGEST_SIDE = 16_384
export const MILLION = 1_000_000n

const SIZE = /^(\d{1,5})x(\d{1,5})$/
const WORD = /^[a-z0-9][a-z0-9_.:-]{0,31}$/

export type Dimensions = { width: number; height: number }

/** `1024x1536` -> 1024 and 1536; undefined if it is no size, or beyond the limits. */
export function dimensionsOf(size: string): Dimensions | undefined {
  const [width = 0, height = 0] = SIZE.exec(size)?.slice(1).map(Number) ?? []
  const isSide = (side: number) => side >= 1 && side <= LONGEST_SIDE
  return isSide(width) && isSide(height) ? { width, height } : undefined
}

/** `2k`: about as many pixels as a square of 2048, in any shape. */
const RESOLUTION = /^[1-9]k$/

export const isResolution = (text: string): boolean => RESOLUTION.test(text)

/** A side that differs by less from a multiple of 1024 is meant to be that multiple. */
const NEAR = 0.15

/** The resolutions that an image of these dimensions may be sold as: one, or the two that it lies between. */
export function resolutionsOf({ width, height }: Dimensions): string[] {
  const thousands = Math.sqrt(width * height) / 1024
  const nearest = Math.round(thousands)
  const both = Math.abs(thousands - nearest) <= NEAR ? [nearest] : [Math.floor(thousands), Math.ceil(thousands)]
  return [...new Set(both.map((each) => `${Math.min(9, Math.max(1, each))}k`))]
}

/** Such as `1024x1024`, within limits, or `2k`. */
export const isSize = (text: string): boolean => isResolution(text) || dimensionsOf(text) !== undefined

/** `1080p`, `4k`, `1280x720`; also a quality, `high`. */
export const isWord = (text: string): boolean => WORD.test(text) && (!SIZE.test(text) || isSize(text))

/** Digits around an `x`, or before a `k`, are always read as a size, even an invalid one. */
export const isQuality = (text: string): boolean => WORD.test(text) && !/^(?:\d+x\d+|\d+k|adaptive)$/.test(text)

/** In lowercase; undefined where the vendor chooses. */
export function chosenWord(text: string | undefined): string | undefined {
  const word = text?.trim().toLowerCase()
  return word === 'auto' || word === 'adaptive' || word === '' ? undefined : word
}

export const isCount = (count: number, most: number): boolean => Number.isInteger(count) && count >= 1 && count <= most

/** Rounded up once. `sum` is in nano-USD times `scale`. */
export const mediaTotal = (sum: bigint, scale: bigint, multiplierMillionths: bigint): Nanos =>
  atMostBookable(ceilDiv(sum * multiplierMillionths, scale * MILLION))

/** A length of audio, exact to the millisecond, rounded up. Receipts call them `audio_seconds`, which cost `per_minute`. */
export const audioMilliseconds = (seconds: number): number => Math.ceil(Number((seconds * 1_000).toFixed(3)))

/** What so much audio costs at a price by the minute. */
export const minutesTotal = (seconds: number, perMinute: Nanos, multiplierMillionths: bigint): Nanos =>
  mediaTotal(BigInt(audioMilliseconds(seconds)) * perMinute, 60_000n, multiplierMillionths)
