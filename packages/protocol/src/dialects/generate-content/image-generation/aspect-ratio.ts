// Sizes in pixels, as the images dialect has them, and the aspect ratios and size classes of this one.

import type { ImageLimits } from '../../../canonical/image.ts'
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

export const isAspectRatio = (ratio: string): boolean => RATIOS.some((known) => known === ratio)
export const ASPECT_RATIOS: readonly string[] = RATIOS
export const isSizeClass = (name: string): boolean => CLASSES.some(([known]) => known === name)
export const SIZE_CLASSES: readonly string[] = CLASSES.map(([name]) => name)

/** The size in pixels of a ratio and a class: the nearest that the model allows, where its sizes are listed. */
export function sizeOf(ratio: string, sizeClass: string, { sizes = [], sizeRange }: ImageLimits): string {
  const pixels = CLASSES.find(([name]) => name === sizeClass)?.[1] ?? 1_024
  const wanted = quotient(ratio)
  const allowed = sizes.flatMap((size) => sidesOf(size) ?? [])
  const best = nearest(
    allowed,
    ({ width, height }) => distance(width / height, wanted) * 10 + distance(Math.max(width, height), pixels),
  )
  if (best !== undefined) return `${best.width}x${best.height}`
  const long = Math.min(pixels, sizeRange?.most ?? pixels)
  const step = sizeRange?.multipleOf ?? 16
  const whole = (side: number) => Math.max(step, Math.round(side / step) * step)
  return wanted >= 1 ? `${whole(long)}x${whole(long / wanted)}` : `${whole(long * wanted)}x${whole(long)}`
}
