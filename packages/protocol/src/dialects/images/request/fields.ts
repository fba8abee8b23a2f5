// The fields of an image request: their names, types and bounds, the same for JSON bodies and forms.

import type { ImageRequest } from '../../../canonical/image.ts'
import {
  type Json,
  readFlag,
  readInteger,
  readName,
  readObject,
  readString,
  readWord,
  withoutUndefined,
  wrong,
} from '../../../canonical/reading.ts'

export const FORMATS = ['png', 'jpeg', 'webp'] as const
/** Without leading zeros: prices and limits know each size by one name. */
const SIZE = /^(?:auto|adaptive|[1-9][Kk]|([1-9]\d{1,4})x([1-9]\d{1,4}))$/
const LONGEST_SIDE = 16_384
/** An empty word would be priced as if the vendor had chosen; digits around an `x` are a size. */
const QUALITY = /^(?!\d+x\d+$|\d+k$|adaptive$)[a-z0-9][a-z0-9_.:-]{0,31}$/i
export const MAX_PROMPT = 32_000
export const MAX_N = 10
const MAX_PARTIAL_IMAGES = 3
/** Also what the vendor makes at most where a request does not say it. */
export const MAX_SERIES = 15

/** How form fields, which are all text, are to be read. */
export const FIELD_TYPES = {
  model: 'text',
  prompt: 'text',
  n: 'integer',
  size: 'text',
  quality: 'text',
  background: 'text',
  output_format: 'text',
  output_compression: 'integer',
  moderation: 'text',
  style: 'text',
  input_fidelity: 'text',
  response_format: 'text',
  user: 'text',
  partial_images: 'integer',
  stream: 'flag',
} as const satisfies FieldTypes
/** Fields of a service that makes series of images, beside the vendor's own. */
export const SERIES_TYPES = {
  sequential_image_generation: 'text',
  sequential_image_generation_options: 'json',
} as const satisfies FieldTypes

type FieldTypes = Readonly<Record<string, 'text' | 'integer' | 'flag' | 'json'>>
export type FieldName = keyof typeof FIELD_TYPES
const TYPES: FieldTypes = { ...FIELD_TYPES, ...SERIES_TYPES }
export const isFieldName = (name: string): boolean => Object.hasOwn(TYPES, name)
export const typeOfField = (name: string): FieldTypes[string] | undefined => TYPES[name]

export type PlainFields = Omit<ImageRequest, 'operation' | 'images' | 'mask' | 'unknown' | 'json' | 'attribution'>

/** Everything but images and unknown fields. Absent and null are the same. Throws RequestError. */
export function readFields(values: Json): PlainFields {
  const fields = withoutUndefined<PlainFields>({
    model: readModel(values),
    prompt: readPrompt(values),
    n: readInteger(values, 'n', 1, MAX_N) ?? 1,
    stream: readFlag(values, 'stream') ?? false,
    size: readSize(values),
    quality: readQuality(values),
    background: readWord(values, 'background', ['transparent', 'opaque', 'auto']),
    outputFormat: readWord(values, 'output_format', FORMATS),
    outputCompression: readInteger(values, 'output_compression', 0, 100),
    moderation: readWord(values, 'moderation', ['low', 'auto']),
    style: readName(values, 'style', '', 64),
    inputFidelity: readWord(values, 'input_fidelity', ['high', 'low']),
    responseFormat: readWord(values, 'response_format', ['url', 'b64_json']),
    user: readName(values, 'user', '', 512),
    partialImages: readInteger(values, 'partial_images', 0, MAX_PARTIAL_IMAGES),
    series: readSeries(values),
  })
  checkTogether(fields)
  return fields
}

function readModel(values: Json): string {
  const model = readName(values, 'model')
  if (model === undefined || model === '') throw wrong('model', 'model is required')
  return model
}

function readPrompt(values: Json): string {
  const prompt = readString(values, 'prompt')
  if (prompt === undefined) throw wrong('prompt', 'prompt is required')
  if (prompt.trim() === '') throw wrong('prompt', 'prompt must not be empty')
  if (prompt.length > MAX_PROMPT) throw wrong('prompt', `prompt must not be longer than ${MAX_PROMPT} characters`)
  return prompt
}

function readSize(values: Json): string | undefined {
  const size = readString(values, 'size')
  if (size === undefined) return undefined
  const sides = SIZE.exec(size)?.slice(1)
  if (!sides)
    throw wrong(
      'size',
      "size must be 'auto', <width>x<height> in pixels such as 1024x1024, a resolution such as 2K, or 'adaptive'",
    )
  if (sides.some((side) => side !== undefined && Number(side) > LONGEST_SIDE))
    throw wrong('size', `size must have sides of at most ${LONGEST_SIDE} pixels`)
  return size
}

function readQuality(values: Json): string | undefined {
  const quality = readString(values, 'quality')
  if (quality === undefined || QUALITY.test(quality)) return quality
  throw wrong('quality', 'quality must be a word, such as auto or high')
}

/** A series of related images. Its options have an effect only where it is asked for. */
function readSeries(values: Json): PlainFields['series'] {
  const name = 'sequential_image_generation_options'
  const mode = readWord(values, 'sequential_image_generation', ['auto', 'disabled'])
  const options = readObject(values, name) ?? {}
  const other = Object.keys(options).find((option) => option !== 'max_images')
  if (other !== undefined) throw wrong(`${name}.${other}`, `${name} has no ${other}. Send max_images.`)
  const most = readInteger(options, 'max_images', 1, MAX_SERIES, name)
  return mode === 'auto' ? { most: most ?? MAX_SERIES, isChosen: most !== undefined } : undefined
}

function checkTogether({ outputFormat, outputCompression, background, n, series }: PlainFields): void {
  // 100 is the vendor's default, which clients send with every format.
  const isCompressed = outputCompression !== undefined && outputCompression < 100
  if (isCompressed && outputFormat !== 'jpeg' && outputFormat !== 'webp')
    throw wrong('output_compression', 'output_compression below 100 needs output_format jpeg or webp')
  if (series !== undefined && n > 1) {
    const message = 'n must be 1 with sequential_image_generation auto, where max_images is the number of images'
    throw wrong('n', message)
  }
  if (background === 'transparent' && outputFormat === 'jpeg')
    throw wrong('background', 'background transparent needs output_format png or webp')
}
