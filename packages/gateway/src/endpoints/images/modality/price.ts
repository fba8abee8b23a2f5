// What images cost, and the most that they can cost: by the image, or by the token. Pure.
//
// What was requested is held: `count` images at the most expensive price that fits the request. What was delivered is
// charged: never more images than were requested, and what is not known of one by the cheapest price that fits it.
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import {
  chosenWord,
  dimensionsOf,
  isCount,
  isQuality,
  isResolution,
  isSize,
  mediaTotal,
  resolutionsOf,
} from '../../../modalities/media-quantities.ts'
import type { Nanos } from '../../../money/amount.ts'
import type { Charge, Price } from '../../../money/prices/price.ts'
import { type ImageTokenPrice, tokenBound, tokenCharge } from './token-price.ts'

/**
 * `variants`: by `size/quality`, or by one of them; what none of them names costs `perImage`. A size is one in pixels, or a
 * resolution such as `2k`, which sizes of about as many pixels belong to. Nano-USD.
 */
export type PerImagePrice = { perImage: Nanos; variants: ReadonlyMap<string, Nanos> }
export type ImagePrice = PerImagePrice | ImageTokenPrice

/** undefined or `auto`: the vendor chooses. Only prices by the token read more than the first three. */
export type RequestedImages = {
  count: number
  size: string | undefined
  quality: string | undefined
  /** UTF-8 bytes of the prompt. */
  promptBytes?: number
  /** Images to edit, and the mask. */
  inputImages?: number
  /** Partial images per image that are streamed before it. */
  partialImages?: number
  /** Calls that the images take, each of which bills prompt and input images. Absent: 1. */
  calls?: number
}

/** As the response reports it, else as the image itself shows it; undefined, or unreadable: not known. */
export type DeliveredImage = { size: string | undefined; quality: string | undefined }

export type DeliveredImages = {
  images: readonly DeliveredImage[]
  /** How many were requested: more than that are not charged. */
  requested: number
  /** Tokens as the upstream reported them. */
  usage?: Usage | undefined
}

export type ImageRate = Price<RequestedImages, DeliveredImages> & { price: ImagePrice }

export const MOST_IMAGES = 128

export const imageRate = (price: ImagePrice, multiplierMillionths: bigint): ImageRate => ({
  price,
  multiplierMillionths,
  bound(requested) {
    const known = readImages(requested)
    if (!known) return undefined
    if (!('perImage' in price)) return tokenBound(known, price, multiplierMillionths)
    return mediaTotal(BigInt(known.count) * highest(figuresFor(price, known)), 1n, multiplierMillionths)
  },
  cost({ images, requested, usage }) {
    if (!isCount(requested, MOST_IMAGES)) return undefined
    const charged = images
      .slice(0, requested)
      .map((image) => readImage(image) ?? { size: undefined, quality: undefined })
    // An answer of text alone has no image, but tokens.
    if (charged.length === 0 && ('perImage' in price || usage?.output === undefined)) return undefined
    if (!('perImage' in price)) return tokenCharge(charged, usage, price, multiplierMillionths)
    return imageCharge(charged, price, multiplierMillionths)
  },
})

/** The first name that has a price: size and quality together, then the size, then the quality. */
export function imageFigure(price: PerImagePrice, size: string | undefined, quality: string | undefined): Nanos {
  const { perImage, variants } = price
  const both = size !== undefined && quality !== undefined ? variants.get(`${size}/${quality}`) : undefined
  return both ?? variants.get(size ?? '') ?? variants.get(quality ?? '') ?? perImage
}

/** Every price that the image can have: what is not known of it may be anything that a variant names, or something else. */
function figuresFor(price: PerImagePrice, { size, quality }: DeliveredImage): Nanos[] {
  const names = namesIn(price)
  const sizes = size === undefined ? undefined : pricedAs(names, size)
  const qualities = quality === undefined ? [...names.filter((name) => !isSize(name)), undefined] : [quality]
  const known = sizes ?? [...names.filter(isSize), undefined]
  return known.flatMap((each) => qualities.map((other) => imageFigure(price, each, other)))
}

const namesIn = ({ variants }: PerImagePrice): string[] => [...variants.keys()].flatMap((name) => name.split('/'))

/** The names that a size may have in the variants. undefined: it may be any of them. */
function pricedAs(names: readonly string[], size: string): string[] | undefined {
  if (names.includes(size)) return [size]
  const dimensions = dimensionsOf(size)
  if (!dimensions) return undefined
  return names.some(isResolution) ? resolutionsOf(dimensions) : [size]
}

/** Whether the price says what an image of this size costs, whatever shape it has. */
export function isPricedSize(price: ImagePrice, size: string | undefined): boolean {
  const chosen = chosenWord(size)
  if (chosen === undefined) return false
  return 'perImage' in price ? pricedAs(namesIn(price), chosen) !== undefined : dimensionsOf(chosen) !== undefined
}

const highest = (figures: readonly Nanos[]): Nanos => figures.reduce((one, other) => (one > other ? one : other))
const lowest = (figures: readonly Nanos[]): Nanos => figures.reduce((one, other) => (one < other ? one : other))

/** Images of one price are one line of the receipt. Lines after the first are named by their number: `images_2`. */
function imageCharge(images: readonly DeliveredImage[], price: PerImagePrice, multiplierMillionths: bigint): Charge {
  const counts = new Map<Nanos, number>()
  for (const image of images) {
    const figure = lowest(figuresFor(price, image))
    counts.set(figure, (counts.get(figure) ?? 0) + 1)
  }
  let sum = 0n
  let units = ''
  let figures = ''
  let line = 0
  for (const [figure, count] of counts) {
    line++
    const [comma, suffix] = line === 1 ? ['', ''] : [',', `_${line}`]
    sum += BigInt(count) * figure
    units += `${comma}"images${suffix}":${count}`
    figures += `${comma}"per_image${suffix}":"${figure}"`
  }
  return { cost: mediaTotal(sum, 1n, multiplierMillionths), units, figures }
}

function readImage({ size, quality }: DeliveredImage): DeliveredImage | undefined {
  const known = { size: chosenWord(size), quality: chosenWord(quality) }
  if (known.size !== undefined && !isSize(known.size)) return undefined
  return known.quality !== undefined && !isQuality(known.quality) ? undefined : known
}

const MOST_INPUT_IMAGES = 64
const MOST_PROMPT_BYTES = 64 * 1024 * 1024

function readImages(requested: RequestedImages) {
  const image = readImage(requested)
  const { count, promptBytes = 0, inputImages = 0, partialImages = 0, calls = 1 } = requested
  const isWithin = (quantity: number, most: number) => quantity === 0 || isCount(quantity, most)
  const isSane =
    isCount(count, MOST_IMAGES) &&
    isCount(calls, MOST_IMAGES) &&
    isWithin(promptBytes, MOST_PROMPT_BYTES) &&
    isWithin(inputImages, MOST_INPUT_IMAGES) &&
    isWithin(partialImages, MOST_IMAGES)
  if (!image || !isSane) return undefined
  const dimensions = image.size === undefined ? undefined : dimensionsOf(image.size)
  return { ...image, dimensions, count, promptBytes, inputImages, partialImages, calls }
}
