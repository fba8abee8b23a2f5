// Prices of image models in the file: by the image, or by the token.

import { isQuality, isSize } from '../../../modalities/media-quantities.ts'
import { readVariants } from '../../../modalities/read-variants.ts'
import type { Nanos } from '../../../money/amount.ts'
import { addMistake, type YamlValue } from '../../../yaml/document.ts'
import { type Fields, fieldsOf } from '../../../yaml/fields.ts'
import { readUsd } from '../../../yaml/scalars.ts'
import type { ImagePrice } from './price.ts'

const perVideo = 'is for video models; an image model has per_image, in USD'
const FIELDS = {
  per_image: true,
  variants: true,
  input: true,
  image_input: true,
  image_output: true,
  cached_input: true,
  output: true,
  per_second: perVideo,
  per_video: perVideo,
  per_million_tokens: perVideo,
} as const
const TOKEN_FIELDS = ['input', 'image_input', 'image_output', 'cached_input', 'output'] as const

const EXAMPLE = 'price: { per_image: 0.04, variants: { "1024x1024/high": 0.17 } }'
const TOKENS = 'USD per million tokens; a price by the token has input, image_input and image_output'

export function readImagePrice(value: YamlValue): ImagePrice | undefined {
  const fields = fieldsOf(value, FIELDS, EXAMPLE)
  if (!fields) return undefined
  const perImage = fields.get('per_image') ?? fields.get('variants')
  const token = TOKEN_FIELDS.find((name) => fields.get(name))
  if (perImage && token !== undefined) {
    const other = fields.get('per_image') ? 'per_image' : 'variants'
    addMistake(value, `${other} and ${token} cannot both be the price; an image is billed by the image or by the token`)
    return undefined
  }
  return token === undefined ? readPerImage(fields) : readTokens(fields)
}

function readPerImage(fields: Fields): ImagePrice | undefined {
  const help =
    'USD; it is the price of an image that no variant names. A price by the token has input, image_input and image_output'
  const perImage = fields.required('per_image', readUsd, help)
  const isVariant = (name: string) => {
    const [first = '', second, ...rest] = name.split('/')
    return second === undefined ? isSize(first) || isQuality(first) : isSize(first) && isQuality(second) && !rest.length
  }
  const variants = readVariants(fields.get('variants'), isVariant, '"1024x1024/high", "1024x1024" or "high"')
  return perImage === undefined ? undefined : { perImage, variants }
}

function readTokens(fields: Fields): ImagePrice | undefined {
  const input = fields.required('input', readUsd, TOKENS)
  const imageInput = fields.required('image_input', readUsd, TOKENS)
  const imageOutput = fields.required('image_output', readUsd, TOKENS)
  const cachedInput = fields.optional<Nanos | undefined>('cached_input', readUsd, undefined)
  const output = fields.optional<Nanos | undefined>('output', readUsd, undefined)
  if (input === undefined || imageInput === undefined || imageOutput === undefined) return undefined
  const others = { ...(cachedInput === undefined ? {} : { cachedInput }), ...(output === undefined ? {} : { output }) }
  return { tokens: { input, imageInput, imageOutput, ...others } }
}
