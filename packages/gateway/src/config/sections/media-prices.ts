// Prices of image and video models in the file.
import type { Nanos } from '../../money/amount.ts'
import { isSize, isWord, type MediaPrice, type VideoUnit } from '../../money/prices/media-price.ts'
import { canonicalJson } from '../hash.ts'
import { addMistake, type YamlValue } from '../yaml/document.ts'
import { entriesOf, fieldsOf, quote } from '../yaml/fields.ts'
import { readUsd } from '../yaml/scalars.ts'
import { versionOf } from './token-prices.ts'

const perToken = 'is for text models; an image model has per_image, in USD'
const perVideo = 'is for video models; an image model has per_image, in USD'
const IMAGE_FIELDS = {
  per_image: true,
  variants: true,
  ...{ input: perToken, output: perToken },
  ...{ per_second: perVideo, per_video: perVideo, per_million_tokens: perVideo },
} as const
const text = 'is for text models; a video model has per_second, per_video or per_million_tokens, in USD'
const VIDEO_FIELDS = {
  per_second: true,
  per_video: true,
  per_million_tokens: true,
  variants: true,
  ...{ input: text, output: text },
  per_image: 'is for image models; a video model has per_second, per_video or per_million_tokens, in USD',
} as const
const VIDEO_UNITS: Readonly<Record<string, VideoUnit>> = {
  per_second: 'second',
  per_video: 'video',
  per_million_tokens: 'million_tokens',
}

const IMAGE_EXAMPLE = 'price: { per_image: 0.04, variants: { "1024x1024/high": 0.17 } }'
const VIDEO_EXAMPLE = 'price: { per_second: 0.05, variants: { "1080p": 0.12 } }'
const MOST_VARIANTS = 256

export const readMediaPrice = (type: 'image' | 'video') => (type === 'image' ? readImagePrice : readVideoPrice)

function readImagePrice(value: YamlValue): MediaPrice | undefined {
  const fields = fieldsOf(value, IMAGE_FIELDS, IMAGE_EXAMPLE)
  if (!fields) return undefined
  const perImage = fields.required('per_image', readUsd, 'USD; it is the price of an image that no variant names')
  const isVariant = (name: string) => {
    const [first = '', second, ...rest] = name.split('/')
    return second === undefined ? isSize(first) || isQuality(first) : isSize(first) && isQuality(second) && !rest.length
  }
  const variants = readVariants(fields.get('variants'), isVariant, '"1024x1024/high", "1024x1024" or "high"')
  return perImage === undefined ? undefined : { type: 'image', perImage, variants }
}

/** Digits around an `x` are always read as a size, even an invalid one. */
const isQuality = (name: string): boolean => isWord(name) && !/^\d+x\d+$/.test(name)

function readVideoPrice(value: YamlValue): MediaPrice | undefined {
  const fields = fieldsOf(value, VIDEO_FIELDS, VIDEO_EXAMPLE)
  if (!fields) return undefined
  const written = Object.keys(VIDEO_UNITS).filter((name) => fields.get(name))
  const [name = 'per_second', other] = written
  if (written.length === 0) addMistake(value, 'per_second, per_video or per_million_tokens is missing; USD')
  if (other !== undefined) addMistake(value, `${name} and ${other} cannot both be the price; keep one of them`)
  const prices = written.map((each) => fields.optional<Nanos | undefined>(each, readUsd, undefined))
  const variants = readVariants(fields.get('variants'), isWord, '"1080p" or "1280x720"')
  const [price] = prices
  return price === undefined ? undefined : { type: 'video', per: VIDEO_UNITS[name] ?? 'second', price, variants }
}

function readVariants(value: YamlValue | undefined, isVariant: (name: string) => boolean, example: string) {
  const variants = new Map<string, Nanos>()
  if (!value) return variants
  const entries = entriesOf(value, `variants: { ${example}: 0.17 }`)
  if (entries.length > MOST_VARIANTS)
    addMistake(value, `has ${entries.length} entries; at most ${MOST_VARIANTS} are allowed`)
  for (const [name, field] of entries) {
    const word = name.toLowerCase()
    const price = readUsd(field)
    if (!isVariant(word)) addMistake(field, `${quote(name)} is not a variant; write ${example}`)
    else if (variants.has(word)) addMistake(field, 'duplicate variant')
    else if (price !== undefined) variants.set(word, price)
  }
  return variants
}

export const mediaPriceVersion = (price: MediaPrice): string => versionOf(`media ${canonicalJson(price)}`)
