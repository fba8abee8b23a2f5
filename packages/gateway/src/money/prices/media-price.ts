// What images and videos cost, and the most that they can cost. Pure. Every quantity that multiplies a price is limited
// here again, whatever has been checked before: undefined means "reject", never "free".
import { ceilDiv, type Nanos } from '../amount.ts'
import type { Price } from './price.ts'
import { atMostBookable } from './token-price.ts'

/** `variants`: by `size/quality`, or by one of them; what none of them names costs `perImage`. Nano-USD. */
export type ImagePrice = { type: 'image'; perImage: Nanos; variants: ReadonlyMap<string, Nanos> }

export type VideoUnit = 'second' | 'video' | 'million_tokens'
/** `variants`: by resolution; what none of them names costs `price`. Nano-USD per unit. */
export type VideoPrice = { type: 'video'; per: VideoUnit; price: Nanos; variants: ReadonlyMap<string, Nanos> }

export type MediaPrice = ImagePrice | VideoPrice

/** undefined: not known yet, or chosen by the vendor (`auto`). */
export type Images = { count: number; size: string | undefined; quality: string | undefined }
export type Video = {
  resolution: string | undefined
  seconds: number | undefined
  tokens: number | undefined
}

export const MOST_IMAGES = 128
export const LONGEST_SIDE = 16_384
export const LONGEST_VIDEO_SECONDS = 3_600
export const MOST_VIDEO_TOKENS = 1e9

const MILLION = 1_000_000n
const SIZE = /^(\d{1,5})x(\d{1,5})$/
const WORD = /^[a-z0-9][a-z0-9_.:-]{0,31}$/

/** Such as `1024x1024`, within limits. */
export function isSize(text: string): boolean {
  const sides = SIZE.exec(text)?.slice(1).map(Number) ?? []
  return sides.length === 2 && sides.every((side) => side >= 1 && side <= LONGEST_SIDE)
}

/** `1080p`, `4k`, `1280x720`; also a quality, `high`. */
export const isWord = (text: string): boolean => WORD.test(text) && (!SIZE.test(text) || isSize(text))

const plain = (text: string | undefined): string | undefined => {
  const word = text?.trim().toLowerCase()
  return word === 'auto' || word === '' ? undefined : word
}

const isCount = (count: number, most: number): boolean => Number.isInteger(count) && count >= 1 && count <= most

/** The first name that has a price: size and quality together, then the size, then the quality. */
function imageVariant({ perImage, variants }: ImagePrice, size: string | undefined, quality: string | undefined) {
  const both = size !== undefined && quality !== undefined ? variants.get(`${size}/${quality}`) : undefined
  return both ?? variants.get(size ?? '') ?? variants.get(quality ?? '') ?? perImage
}

export const imageRate = (price: ImagePrice, multiplierMillionths: bigint): Price<Images, Images> => ({
  multiplierMillionths,
  bound: (images) => imageBound(images, price, multiplierMillionths),
  cost(images) {
    const cost = imageCost(images, price, multiplierMillionths)
    if (cost === undefined) return undefined
    return { cost, units: `"images":${images.count}`, figures: `"per_image":"${imageFigure(images, price)}"` }
  },
})

/** Of the images that were made, as the response describes them. */
export function imageCost(images: Images, price: ImagePrice, multiplierMillionths: bigint): Nanos | undefined {
  const figure = imageFigure(images, price)
  return figure === undefined ? undefined : total(BigInt(images.count) * figure, MILLION, multiplierMillionths)
}

function imageFigure(images: Images, price: ImagePrice): Nanos | undefined {
  const known = readImages(images)
  return known && imageVariant(price, known.size, known.quality)
}

/** The most that it can cost: size and quality that the request leaves open are the most expensive. */
export function imageBound(images: Images, price: ImagePrice, multiplierMillionths: bigint): Nanos | undefined {
  const known = readImages(images)
  if (!known) return undefined
  const { size, quality } = known
  let highest = imageVariant(price, size, quality)
  if (size === undefined || quality === undefined) {
    if (price.perImage > highest) highest = price.perImage
    for (const [name, figure] of price.variants) {
      if (figure > highest && mayBe(name, size, quality)) highest = figure
    }
  }
  return total(BigInt(images.count) * highest, MILLION, multiplierMillionths)
}

/** Whether an image with this size and quality can turn out to be of that variant. */
function mayBe(variant: string, size: string | undefined, quality: string | undefined): boolean {
  const [first = '', second] = variant.split('/')
  const [ofSize, ofQuality] = isSize(first) ? [first, second] : [undefined, first]
  const fits = (requested: string | undefined, priced: string | undefined) =>
    requested === undefined || priced === undefined || requested === priced
  return fits(size, ofSize) && fits(quality, ofQuality)
}

function readImages({ count, size, quality }: Images) {
  const known = { size: plain(size), quality: plain(quality) }
  if (!isCount(count, MOST_IMAGES)) return undefined
  if (known.size !== undefined && !isSize(known.size)) return undefined
  if (known.quality !== undefined && !WORD.test(known.quality)) return undefined
  return known
}

export const videoRate = (price: VideoPrice, multiplierMillionths: bigint): Price<Video, Video> => ({
  multiplierMillionths,
  bound: (video) => videoBound(video, price, multiplierMillionths),
  cost(video) {
    const cost = videoCost(video, price, multiplierMillionths)
    if (cost === undefined) return undefined
    return { cost, units: videoUnits(video, price.per), figures: `"per_${price.per}":"${videoFigure(video, price)}"` }
  },
})

function videoUnits({ seconds = 0, tokens = 0 }: Video, per: VideoUnit): string {
  if (per === 'video') return '"videos":1'
  return per === 'second' ? `"seconds":${milliseconds(seconds) / 1_000}` : `"video_tokens":${tokens}`
}

/** Of one video, as the response describes it; undefined when that lacks what the price counts. */
export function videoCost(video: Video, price: VideoPrice, multiplierMillionths: bigint): Nanos | undefined {
  const figure = videoFigure(video, price)
  return figure === undefined ? undefined : videoTotal(video, price.per, figure, multiplierMillionths)
}

function videoFigure({ resolution: said }: Video, { price, variants }: VideoPrice): Nanos | undefined {
  const resolution = plain(said)
  if (resolution !== undefined && !isWord(resolution)) return undefined
  return variants.get(resolution ?? '') ?? price
}

/** The most that it can cost: `seconds` and `tokens` are bounds; a resolution that is left open is the most expensive. */
export function videoBound(video: Video, price: VideoPrice, multiplierMillionths: bigint): Nanos | undefined {
  const resolution = plain(video.resolution)
  if (resolution !== undefined) return videoCost(video, price, multiplierMillionths)
  let highest = price.price
  for (const figure of price.variants.values()) if (figure > highest) highest = figure
  return videoTotal(video, price.per, highest, multiplierMillionths)
}

function videoTotal({ seconds, tokens }: Video, per: VideoUnit, figure: Nanos, multiplier: bigint): Nanos | undefined {
  if (per === 'video') return total(figure, MILLION, multiplier)
  if (per === 'million_tokens') {
    const isKnown = tokens !== undefined && (tokens === 0 || isCount(tokens, MOST_VIDEO_TOKENS))
    return isKnown ? total(BigInt(tokens) * figure, MILLION * MILLION, multiplier) : undefined
  }
  if (seconds === undefined || !(seconds > 0 && seconds <= LONGEST_VIDEO_SECONDS)) return undefined
  return total(BigInt(milliseconds(seconds)) * figure, MILLION * 1_000n, multiplier)
}

/** Vendors count in seconds, some with a fraction: exact to the millisecond, rounded up. */
const milliseconds = (seconds: number): number => Math.ceil(seconds * 1_000)

const total = (sum: bigint, scale: bigint, multiplierMillionths: bigint): Nanos =>
  atMostBookable(ceilDiv(sum * multiplierMillionths, scale))
