// The fields of an image request: their names, types and bounds, the same for JSON bodies and forms.

import type { ImageRequest } from '../../../canonical/image.ts'
import {
  type Json,
  readFlag,
  readInteger,
  readName,
  readString,
  readWord,
  withoutUndefined,
  wrong,
} from '../../../canonical/reading.ts'

export const FORMATS = ['png', 'jpeg', 'webp'] as const
const SIZE = /^(auto|\d{2,5}x\d{2,5})$/
const MAX_PROMPT = 32_000
const MAX_N = 10
const MAX_PARTIAL_IMAGES = 3

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
} as const satisfies Record<string, 'text' | 'integer' | 'flag'>

export type FieldName = keyof typeof FIELD_TYPES
export const isFieldName = (name: string): name is FieldName => Object.hasOwn(FIELD_TYPES, name)

export type PlainFields = Omit<ImageRequest, 'operation' | 'images' | 'mask' | 'unknown' | 'json'>

/** Everything but images and unknown fields. Absent and null are the same. Throws RequestError. */
export function readFields(values: Json): PlainFields {
  const fields = withoutUndefined<PlainFields>({
    model: readModel(values),
    prompt: readPrompt(values),
    n: readInteger(values, 'n', 1, MAX_N) ?? 1,
    stream: readFlag(values, 'stream') ?? false,
    size: readSize(values),
    quality: readName(values, 'quality', '', 64),
    background: readWord(values, 'background', ['transparent', 'opaque', 'auto']),
    outputFormat: readWord(values, 'output_format', FORMATS),
    outputCompression: readInteger(values, 'output_compression', 0, 100),
    moderation: readWord(values, 'moderation', ['low', 'auto']),
    style: readName(values, 'style', '', 64),
    inputFidelity: readWord(values, 'input_fidelity', ['high', 'low']),
    responseFormat: readWord(values, 'response_format', ['url', 'b64_json']),
    user: readName(values, 'user', '', 512),
    partialImages: readInteger(values, 'partial_images', 0, MAX_PARTIAL_IMAGES),
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
  if (size === undefined || SIZE.test(size)) return size
  throw wrong('size', "size must be 'auto' or <width>x<height> in pixels, such as 1024x1024")
}

function checkTogether({ outputFormat, outputCompression, background }: PlainFields): void {
  if (outputCompression !== undefined && outputFormat !== 'jpeg' && outputFormat !== 'webp')
    throw wrong('output_compression', 'output_compression needs output_format jpeg or webp')
  if (background === 'transparent' && outputFormat === 'jpeg')
    throw wrong('background', 'background transparent needs output_format png or webp')
}
