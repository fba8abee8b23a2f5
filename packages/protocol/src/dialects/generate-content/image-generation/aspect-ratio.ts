// Sizes in pixels, as the images dialect has them, and the aspect ratios and size classes of this one.

import type { ImageLimits, SizeRange } from '../../../canonical/image.ts'
import { type Sides, sidesOf } from '../../shared/images/sides.ts'

const RATIOS = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'] as const
/** The nearest of these may be asked for: every image model of the vendor has them. */
const COMMON = ['1:1', '2:3', '3:2', '3:4', '4:3', '9:16', '16:9', '21:9'] as const
const CLASSES: readonly [name: string, pixels: number][] = [
  ['1K', 1_024],
  ['2K', 2_048],
  ['4K', 4_096],
]

const quotient = (ratio: string): number => {
  const [width = 1, height = 1] = ratio.split(':').map(Number)
  return width / height
}

/** By the factor between the two, so that wide and high count alike. */
const distance = (one: number, other: number): number => Math.abs(Math.log(one / other))

function nearest<Item>(items: readonly Item[], far: (item: Item) => number): Item | undefined {
  let best: Item | undefined
  for (const item of items) if (best === undefined || far(item) < far(best)) best = item
  return best
}

export function aspectRatioOf({ width, height }: Sides): string {
  return nearest(COMMON, (ratio) => distance(quotient(ratio), width / height)) ?? '1:1'
}

/** The class whose pixels are nearest to the long side, the smaller one of two. */
export function sizeClassOf({ width, height }: Sides): string {
  const long = Math.max(width, height)
  return nearest(CLASSES, ([, pixels]) => Math.abs(pixels - long))?.[0] ?? '1K'
}

/** The size that this dialect makes of a ratio and a class is exactly this one. */
export const isExact = ({ width, height }: Sides): boolean =>
  width === height && CLASSES.some(([, pixels]) => pixels === width)

/** Sides are whole numbers, of which some models only take multiples: what differs by less is the same to the eye. */
const SAME_RATIO = 0.03

export const isOfRatio = ({ width, height }: Sides, ratio: string): boolean =>
  distance(width / height, quotient(ratio)) <= SAME_RATIO

export const isAspectRatio = (ratio: string): boolean => RATIOS.some((known) => known === ratio)
export const ASPECT_RATIOS: readonly string[] = RATIOS
export const isSizeClass = (name: string): boolean => CLASSES.some(([known]) => known === name)
export const SIZE_CLASSES: readonly string[] = CLASSES.map(([name]) => name)

/** The size in pixels of a ratio and a class: the nearest that the model allows. */
export function sizeOf(ratio: string, sizeClass: string, { sizes = [], sizeRange }: ImageLimits): string {
  const pixels = CLASSES.find(([name]) => name === sizeClass)?.[1] ?? 1_024
  const wanted = quotient(ratio)
  const allowed = sizes.flatMap((size) => sidesOf(size) ?? [])
  const best = nearest(
    allowed,
    ({ width, height }) => distance(width / height, wanted) * 10 + distance(Math.max(width, height), pixels),
  )
  const { width, height } = best ?? sidesIn(wanted, pixels, sizeRange)
  return `${width}x${height}`
}

/** Larger or smaller than was wanted where the range demands it, in the same ratio. */
function sidesIn(wanted: number, pixels: number, range: SizeRange = { least: 1, most: pixels }): Sides {
  const { least, most, multipleOf: step = 16, minPixels = 1, maxPixels = Number.POSITIVE_INFINITY } = range
  const shape = Math.min(Math.max(wanted, 1 / wanted), range.maxRatio ?? Number.POSITIVE_INFINITY)
  const fewest = Math.max(least * shape, Math.sqrt(minPixels * shape))
  const longest = Math.min(most, Math.sqrt(maxPixels * shape))
  const long = Math.min(Math.max(pixels, fewest), longest)
  const round = long === pixels ? Math.round : long === longest ? Math.floor : Math.ceil
  const whole = (side: number): number => Math.max(step, round(side / step) * step)
  const sides = [whole(long), whole(long / shape)] as const
  return wanted >= 1 ? { width: sides[0], height: sides[1] } : { width: sides[1], height: sides[0] }
}
