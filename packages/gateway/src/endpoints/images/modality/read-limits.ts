// What requests to an image model may ask for: sizes as a list or a range, qualities, images per request.
import type { ImageLimits, SizeRange } from '@trivium/protocol/canonical/image.ts'
import { isQuality, isResolution, isSize, LONGEST_SIDE } from '../../../modalities/media-quantities.ts'
import { addMistake, type YamlValue } from '../../../yaml/document.ts'
import { fieldsOf, isList, listOf, quoteSource, scalarText } from '../../../yaml/fields.ts'
import { readInteger } from '../../../yaml/scalars.ts'

const tokens = 'counts tokens and applies to text models only; remove it'
const FIELDS = { sizes: true, qualities: true, n: true, context: tokens, max_output: tokens } as const
const RANGE_FIELDS = {
  min: true,
  max: true,
  multiple_of: true,
  max_ratio: true,
  min_pixels: true,
  max_pixels: true,
} as const
const EXAMPLE = 'limits: { sizes: ["1024x1024", "1536x1024"], qualities: [low, high], n: 10 }'
const SIZES = '["1024x1024", "1536x1024"], or { min: 64, max: 2048 } for the sides in pixels'

/** A series has no more; the field `n` of a request goes up to 10. */
const MOST_IMAGES_PER_REQUEST = 15

type Sizes = Pick<ImageLimits, 'sizes' | 'sizeRange'>

export function readImageLimits(value: YamlValue): ImageLimits | undefined {
  const fields = fieldsOf(value, FIELDS, EXAMPLE)
  if (!fields) return undefined
  const readQualities = listOf(readQuality, '[low, high]', 'remove it, or name the qualities')
  const qualities = fields.optional<readonly string[] | undefined>('qualities', readQualities, undefined)
  const readN = readInteger({ min: 1, max: MOST_IMAGES_PER_REQUEST })
  const n = fields.optional<number | undefined>('n', readN, undefined)
  return {
    ...fields.optional<Sizes>('sizes', readSizes, {}),
    ...(qualities ? { qualities } : {}),
    ...(n === undefined ? {} : { n }),
  }
}

function readSizes(value: YamlValue): Sizes | undefined {
  if (!isList(value)) return readRange(value)
  const sizes = listOf(readSize, SIZES, 'remove it, or name the sizes')(value)
  return sizes && { sizes }
}

function readRange(value: YamlValue): Sizes | undefined {
  const fields = fieldsOf(value, RANGE_FIELDS, SIZES)
  if (!fields) return undefined
  const side = readInteger({ min: 1, max: LONGEST_SIDE })
  const least = fields.required('min', side, 'the shortest side in pixels, such as 64')
  const most = fields.required('max', side, 'the longest side in pixels, such as 2048')
  const optional = (name: string, max: number) =>
    fields.optional<number | undefined>(name, readInteger({ min: 1, max }), undefined)
  const [multipleOf, maxRatio] = [optional('multiple_of', 1_024), optional('max_ratio', 100)]
  const [minPixels, maxPixels] = [optional('min_pixels', LONGEST_SIDE ** 2), optional('max_pixels', LONGEST_SIDE ** 2)]
  if (least === undefined || most === undefined) return undefined
  if (least > most) addMistake(value, 'min is larger than max')
  if (minPixels !== undefined && minPixels > (maxPixels ?? most ** 2))
    addMistake(value, 'min_pixels is more than the largest size has')
  const sizeRange: SizeRange = {
    least,
    most,
    ...(multipleOf === undefined ? {} : { multipleOf }),
    ...(maxRatio === undefined ? {} : { maxRatio }),
    ...(minPixels === undefined ? {} : { minPixels }),
    ...(maxPixels === undefined ? {} : { maxPixels }),
  }
  return { sizeRange }
}

/** `auto` is allowed everywhere, and not a size of the list. */
function readSize(value: YamlValue): string | undefined {
  const text = scalarText(value, 'a size such as 1024x1024')?.toLowerCase()
  if (text === undefined || text === 'adaptive') return text
  // As vendors write it.
  if (isResolution(text)) return text.toUpperCase()
  if (isSize(text)) return text
  const most = `sides of 1 to ${LONGEST_SIDE} pixels`
  addMistake(value, `expected a size such as 1024x1024, with ${most}, not ${quoteSource(value)}`)
  return undefined
}

function readQuality(value: YamlValue): string | undefined {
  const text = scalarText(value, 'a word such as high')?.toLowerCase()
  if (text === undefined || isQuality(text)) return text
  addMistake(value, `expected a word such as high, not ${quoteSource(value)}`)
  return undefined
}
