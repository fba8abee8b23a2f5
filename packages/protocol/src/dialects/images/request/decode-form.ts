// The parts of POST /v1/images/edits, a multipart form: text fields in any order, and files that the caller has spooled.

import type { ImageInput, ImageRequest, UnknownField } from '../../../canonical/image.ts'
import { RequestError, wrong } from '../../../canonical/reading.ts'
import { FIELD_TYPES, type FieldName, isFieldName, readFields } from './fields.ts'

export type FormField = { name: string; value: string }
/** `mediaType` by content; undefined: none of PNG, JPEG and WebP. */
export type FormFile = Omit<ImageInput, 'mediaType'> & { name: string; mediaType: string | undefined }

export const MAX_IMAGES = 16
const TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/webp']
/** `image`, `image[]`, `image[0]`: in any mix. */
const IMAGE_NAME = /^image(?:\[\d{0,4}\])?$/

/** Whether a part with this name is read as a file. */
const isImagePart = (name: string): boolean => name === 'mask' || IMAGE_NAME.test(name)

/** Throws RequestError. */
export function decodeImageForm(fields: readonly FormField[], parts: readonly FormFile[]): ImageRequest {
  const files = parts.filter(isChosen)
  const values: Record<string, unknown> = {}
  const unknown: UnknownField[] = []
  for (const { name, value } of fields) {
    if (isImagePart(name)) throw wrong(baseName(name), `${name} must be a file: send it with a filename`)
    if (!isFieldName(name)) unknown.push({ name, text: value })
    else if (Object.hasOwn(values, name)) throw wrong(name, `The form has the field ${name} twice`)
    else values[name] = typedValue(name, value)
  }
  const request = { operation: 'edit' as const, ...readFields(values), unknown }
  const images = files.filter(({ name }) => IMAGE_NAME.test(name)).map(inputOf)
  if (images.length === 0) throw wrong('image', 'image is required: send at least one image file')
  if (images.length > MAX_IMAGES) throw wrong('image', `image must not be sent more than ${MAX_IMAGES} times`)
  const masks = files.filter(({ name }) => name === 'mask')
  if (masks.length > 1) throw wrong('mask', 'The form has the field mask twice')
  const stray = files.find(({ name }) => !isImagePart(name))
  if (stray !== undefined) throw wrong(stray.name, `${stray.name} must not be a file: files are sent as image or mask`)
  const [mask] = masks
  return { ...request, images, ...(mask === undefined ? {} : { mask: inputOf(mask) }) }
}

/** Browsers send an input for files that was left empty as an empty file without a name. */
const isChosen = ({ bytes, filename }: FormFile): boolean => bytes > 0 || filename !== ''

const baseName = (name: string): string => (name === 'mask' ? 'mask' : 'image')

function inputOf({ name, mediaType, bytes, filename, source }: FormFile): ImageInput {
  const field = baseName(name)
  if (mediaType === undefined || !TYPES.includes(mediaType))
    throw new RequestError('unsupported_media_type', field, `${field} must be a PNG, JPEG or WebP image`)
  if (bytes === 0) throw wrong(field, `${field} must not be empty`)
  return { mediaType, bytes, source, ...(filename === undefined ? {} : { filename }) }
}

/** In any case: Python writes True. */
const FLAGS: Readonly<Record<string, boolean>> = { true: true, false: false, null: false }

/** An empty field is an absent one: some clients send all the fields of their form. */
function typedValue(name: FieldName, value: string): unknown {
  const type = FIELD_TYPES[name]
  if (value === '' && name !== 'prompt') return undefined
  if (type === 'integer') return /^-?\d{1,9}$/.test(value.trim()) ? Number(value) : value
  if (type === 'flag') return FLAGS[value.toLowerCase()] ?? value
  return value
}
