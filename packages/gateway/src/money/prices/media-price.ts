// What images and videos cost, and the most that they can cost. Pure. Every quantity that multiplies a price has a
// bound here too, whoever else has checked it: undefined is "refuse", never "free".
import { ceilDiv, type Nanos } from '../amount.ts'
import { atMostBookable } from './token-price.ts'

/** `variants`: by `size/quality`, or by one of them; what none of them names costs `perImage`. Nano-USD. */
export type ImagePrice = { type: 'image'; perImage: Nanos; variants: ReadonlyMap<string, Nanos> }

export type VideoUnit = 'second' | 'video' | 'million_tokens'
/** `variants`: by resolution; what none of them names costs `price`. Nano-USD per unit. */
export type VideoPrice = { type: 'video'; per: VideoUnit; price: Nanos; variants: ReadonlyMap<string, Nanos> }

export type MediaPrice = ImagePrice | VideoPrice

/** What is not known yet, or is the vendor's to choose (`auto`), is undefined. */
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

/** A size that is one: `1024x1024`, within bounds. */
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

/** What was made, by what the answer says of it. */
export function imageCost(images: Images, price: ImagePrice, multiplierMillionths: bigint): Nanos | undefined {
  const known = readImages(images)
  if (!known) return undefined
  return total(BigInt(images.count) * imageVariant(price, known.size, known.quality), MILLION, multiplierMillionths)
}

/** The most that it can cost: what is not said may turn out to be anything. */
export function imageBound(images: Images, price: ImagePrice, multiplierMillionths: bigint): Nanos | undefined {
  const known = readImages(images)
  if (!known) return undefined
  const { size, quality } = known
  let dearest = imageVariant(price, size, quality)
  if (size === undefined || quality === undefined) {
    if (price.perImage > dearest) dearest = price.perImage
    for (const [name, figure] of price.variants) {
      if (figure > dearest && mayBe(name, size, quality)) dearest = figure
    }
  }
  return total(BigInt(images.count) * dearest, MILLION, multiplierMillionths)
}

/** Whether an image of which this is known can turn out to be of that variant. */
function mayBe(variant: string, size: string | undefined, quality: string | undefined): boolean {
  const [first = '', second] = variant.split('/')
  const [ofSize, ofQuality] = isSize(first) ? [first, second] : [undefined, first]
  const fits = (asked: string | undefined, priced: string | undefined) =>
    asked === undefined || priced === undefined || asked === priced
  return fits(size, ofSize) && fits(quality, ofQuality)
}

function readImages({ count, size, quality }: Images) {
  const known = { size: plain(size), quality: plain(quality) }
  if (!isCount(count, MOST_IMAGES)) return undefined
  if (known.size !== undefined && !isSize(known.size)) return undefined
  if (known.quality !== undefined && !WORD.test(known.quality)) return undefined
  return known
}

/** One video, by what the answer says of it; undefined when it does not say what the price asks for. */
export function videoCost(video: Video, price: VideoPrice, multiplierMillionths: bigint): Nanos | undefined {
  const resolution = plain(video.resolution)
  if (resolution !== undefined && !isWord(resolution)) return undefined
  const figure = price.variants.get(resolution ?? '') ?? price.price
  return videoTotal(video, price.per, figure, multiplierMillionths)
}

/** The most that it can cost: `seconds` and `tokens` are bounds; a resolution that is not said is the dearest. */
export function videoBound(video: Video, price: VideoPrice, multiplierMillionths: bigint): Nanos | undefined {
  const resolution = plain(video.resolution)
  if (resolution !== undefined) return videoCost(video, price, multiplierMillionths)
  let dearest = price.price
  for (const figure of price.variants.values()) if (figure > dearest) dearest = figure
  return videoTotal(video, price.per, dearest, multiplierMillionths)
}

function videoTotal({ seconds, tokens }: Video, per: VideoUnit, figure: Nanos, multiplier: bigint): Nanos | undefined {
  if (per === 'video') return total(figure, MILLION, multiplier)
  if (per === 'million_tokens') {
    const isKnown = tokens !== undefined && (tokens === 0 || isCount(tokens, MOST_VIDEO_TOKENS))
    return isKnown ? total(BigInt(tokens) * figure, MILLION * MILLION, multiplier) : undefined
  }
  if (seconds === undefined || !(seconds > 0 && seconds <= LONGEST_VIDEO_SECONDS)) return undefined
  // Vendors count in seconds, some with a fraction: exact to the millisecond, and up.
  return total(BigInt(Math.ceil(seconds * 1_000)) * figure, MILLION * 1_000n, multiplier)
}

const total = (sum: bigint, scale: bigint, multiplierMillionths: bigint): Nanos =>
  atMostBookable(ceilDiv(sum * multiplierMillionths, scale))
