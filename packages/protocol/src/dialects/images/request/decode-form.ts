// The parts of POST /v1/images/edits, a multipart form: text fields in any order, and files that the caller has spooled.

import type { ImageInput, ImageRequest, UnknownField } from '../../../canonical/image.ts'
import { parsedJson, RequestError, wrong } from '../../../canonical/reading.ts'
import { checkFormNames } from '../../shared/form-names.ts'
import { attributionOf } from '../../shared/pass-through/attribution.ts'
import { namesOf } from '../../shared/pass-through/known-names.ts'
import { IMAGE_TYPES, MAX_IMAGES } from './decode-images.ts'
import { FIELD_TYPES, isFieldName, readFields, SERIES_TYPES, typeOfField } from './fields.ts'

export type FormField = { name: string; value: string }
/** `mediaType` by content; undefined: none of PNG, JPEG and WebP. */
export type FormFile = Omit<ImageInput, 'mediaType'> & { name: string; mediaType: string | undefined }

const NAMES = namesOf(FIELD_TYPES, SERIES_TYPES, { image: 1, mask: 1 })
/** `image`, `image[]`, `image[0]`: in any mix. */
const IMAGE_NAME = /^image(?:\[\d{0,4}\])?$/

/** Whether a part with this name is read as a file. */
const isImagePart = (name: string): boolean => name === 'mask' || IMAGE_NAME.test(name)

/** Throws RequestError. */
export function decodeImageForm(fields: readonly FormField[], parts: readonly FormFile[]): ImageRequest {
  const files = parts.filter(isChosen)
  const rules = new FileRules()
  for (const file of files) rules.began(file)
  checkFormNames(
    [...fields, ...files].map(({ name }) => name),
    NAMES,
    (name) => name === 'image',
  )
  const values: Record<string, unknown> = {}
  const unknown: UnknownField[] = []
  for (const { name, value } of fields) {
    if (isImagePart(name)) throw wrong(baseName(name), `${name} must be a file: send it with a filename`)
    if (!isFieldName(name)) unknown.push({ name, text: value, isForm: true })
    else values[name] = typedValue(name, value)
  }
  const said = Object.fromEntries(
    fields.map(({ name, value }) => [name, name === 'metadata' ? parsedJson(value) : value]),
  )
  const attribution = attributionOf(said)
  const passed = unknown.filter(({ name }) => !attribution?.own.includes(name))
  const plain = { ...readFields(values), unknown: passed, ...(attribution ? { attribution } : {}) }
  const request = { operation: 'edit' as const, ...plain }
  const images = files.filter(({ name }) => IMAGE_NAME.test(name)).map(inputOf)
  if (images.length === 0) throw wrong('image', 'image is required: send at least one image file')
  const mask = files.find(({ name }) => name === 'mask')
  return { ...request, images, ...(mask === undefined ? {} : { mask: inputOf(mask) }) }
}

/** Browsers send an input for files that was left empty as an empty file without a name. */
const isChosen = ({ bytes, filename }: Pick<FormFile, 'bytes' | 'filename'>): boolean => bytes > 0 || filename !== ''

/** Rejects files as they come, before their content is read: more images or masks than an edit takes, and other files. */
export class FileRules {
  #images = 0
  #hasMask = false

  /** The first bytes of a file have come, or its end. Throws RequestError. */
  began({ name, filename, bytes }: Pick<FormFile, 'name' | 'filename' | 'bytes'>): void {
    if (!isChosen({ bytes, ...(filename === undefined ? {} : { filename }) })) return
    if (!isImagePart(name)) {
      checkFormNames([name], NAMES, (known) => known === 'image')
      throw wrong(name, `${name} must not be a file: files are sent as image or mask`)
    }
    if (name !== 'mask' && ++this.#images > MAX_IMAGES)
      throw wrong('image', `image must not be sent more than ${MAX_IMAGES} times`)
    if (name === 'mask' && this.#hasMask) throw wrong('mask', 'The form has the field mask twice')
    this.#hasMask ||= name === 'mask'
  }
}

const baseName = (name: string): string => (name === 'mask' ? 'mask' : 'image')

function inputOf({ name, mediaType, bytes, filename, source }: FormFile): ImageInput {
  const field = baseName(name)
  if (mediaType === undefined || !IMAGE_TYPES.includes(mediaType))
    throw new RequestError('unsupported_media_type', field, `${field} must be a PNG, JPEG or WebP image`)
  if (bytes === 0) throw wrong(field, `${field} must not be empty`)
  return { mediaType, bytes, source, ...(filename === undefined ? {} : { filename }) }
}

/** In any case: Python writes True. */
const FLAGS: Readonly<Record<string, boolean>> = { true: true, false: false, null: false }

/** An empty field is an absent one: some clients send all the fields of their form. */
function typedValue(name: string, value: string): unknown {
  const type = typeOfField(name)
  if (value === '' && name !== 'prompt') return undefined
  if (type === 'integer') return /^-?\d{1,9}$/.test(value.trim()) ? Number(value) : value
  if (type === 'flag') return FLAGS[value.toLowerCase()] ?? value
  if (type === 'json') return parsedJson(value) ?? value
  return value
}
