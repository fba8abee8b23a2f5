// Images that a JSON body names: `image` of generations, `images` and `mask` of edits. Each is a URL or a data URL.

import type { ImageInput } from '../../../canonical/image.ts'
import { asArray, asObject, asString, type Json, RequestError, unsupported, wrong } from '../../../canonical/reading.ts'
import { base64Bytes } from '../../../image-data/base64.ts'

export const MAX_IMAGES = 16
export const IMAGE_TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/webp']
const LONGEST_URL = 8_192

/** `image` (a text, or a list of them) and `images` (a list of objects with `image_url`). Throws RequestError. */
export function readImages({ image, images }: Json): readonly ImageInput[] {
  const isGiven = (value: unknown) => value !== undefined && value !== null
  if (isGiven(image) && isGiven(images)) throw wrong('images', 'image and images cannot both be sent')
  if (isGiven(images)) {
    const list = asArray(images, 'images').map((item, index) => readReference(item, `images[${index}]`))
    return atMost('images', list)
  }
  if (!isGiven(image)) return []
  if (typeof image === 'string') return [inputOf(image, 'image')]
  const list = asArray(image, 'image').map((item, index) => {
    const at = `image[${index}]`
    return inputOf(asString(item, at), at)
  })
  return atMost('image', list)
}

/** Throws RequestError. */
export function readMask({ mask }: Json): ImageInput | undefined {
  return mask === undefined || mask === null ? undefined : readReference(mask, 'mask')
}

function atMost(field: string, images: readonly ImageInput[]): readonly ImageInput[] {
  if (images.length > MAX_IMAGES) throw wrong(field, `${field} must not have more than ${MAX_IMAGES} images`)
  return images
}

const REFERENCE: readonly string[] = ['image_url', 'file_id']

/** An object with `image_url`. `at`: where it stands, for errors. Throws RequestError. */
export function readReference(value: unknown, at: string): ImageInput {
  const reference = asObject(value, at)
  const other = Object.keys(reference).find((name) => !REFERENCE.includes(name))
  if (other !== undefined) throw wrong(`${at}.${other}`, `${at} has no ${other}. Send image_url.`)
  if (reference.file_id !== undefined && reference.file_id !== null)
    throw unsupported(
      `${at}.file_id`,
      'Files are not served here. Send the image in image_url, as a URL or a data URL.',
    )
  return inputOf(asString(reference.image_url, `${at}.image_url`), `${at}.image_url`)
}

const DATA_URL = /^data:([a-z0-9.+/-]*);base64,/i
const BASE64 = /^[a-z0-9+/]*={0,2}$/i

function inputOf(text: string, field: string): ImageInput {
  const head = DATA_URL.exec(text.slice(0, 128))
  if (!head) {
    const isUrl = /^https?:\/\//i.test(text) && text.length <= LONGEST_URL
    if (isUrl) return { mediaType: '', bytes: 0, source: { kind: 'url', url: text, field } }
    throw wrong(field, `${field} must be an https URL, or a data URL such as data:image/png;base64,...`)
  }
  return inlineImage(head[1] ?? '', text.slice(head[0].length), field)
}

/** Throws RequestError unless it is of a type that can be edited, in standard base64. */
export function inlineImage(type: string, base64: string, field: string): ImageInput {
  const mediaType = type.toLowerCase().replace('image/jpg', 'image/jpeg')
  if (!IMAGE_TYPES.includes(mediaType))
    throw new RequestError('unsupported_media_type', field, `${field} must be a PNG, JPEG or WebP image`)
  if (base64.length % 4 !== 0 || !BASE64.test(base64))
    throw wrong(field, `${field} must have valid base64 with padding`)
  if (base64 === '') throw wrong(field, `${field} must not be empty`)
  return { mediaType, bytes: base64Bytes(base64), source: { kind: 'inline', base64 } }
}
