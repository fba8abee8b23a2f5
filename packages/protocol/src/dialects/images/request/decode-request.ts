// JSON bodies: those of POST /v1/images/generations, and of POST /v1/images/edits where it is no form.

import type { ImageRequest, UnknownField } from '../../../canonical/image.ts'
import { RequestError, wrong } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import type { JsonField } from '../../../framing/json/json-scan.ts'
import { attributionIn } from '../../shared/pass-through/attribution.ts'
import { knownNames, namesOf } from '../../shared/pass-through/known-names.ts'
import { scanBody } from '../../shared/pass-through/request.ts'
import { readImages, readMask } from './decode-images.ts'
import { FIELD_TYPES, isFieldName, readFields, SERIES_TYPES } from './fields.ts'

const IMAGES = { image: 1, images: 1, mask: 1 }
const REFERENCE = { own: namesOf({ image_url: 1, file_id: 1 }) }
const NAMES = knownNames(namesOf(FIELD_TYPES, SERIES_TYPES, IMAGES), {
  sequential_image_generation_options: { own: namesOf({ max_images: 1 }) },
  images: REFERENCE,
  mask: REFERENCE,
})

/** Only known fields are parsed; the bytes are kept for upstreams of the same dialect. Throws RequestError. */
export function decodeImageRequest(bytes: Uint8Array, codec: Codec): ImageRequest {
  const { values, ...rest } = readJson(bytes, codec)
  for (const name of ['images', 'mask'])
    if (isGiven(values[name]))
      throw wrong(name, `${name} is not a field of image generations. Send images to POST /v1/images/edits.`)
  const fields = readFields(values)
  // Some services edit images where they make others: then `image` names them.
  const images = readImages(values)
  return { operation: images.length === 0 ? 'generate' : 'edit', ...fields, ...rest, images }
}

/** An edit whose images are URLs or data URLs. Throws RequestError. */
export function decodeImageEdit(bytes: Uint8Array, codec: Codec): ImageRequest {
  const { values, json: _, ...rest } = readJson(bytes, codec)
  const fields = readFields(values)
  const images = readImages(values)
  if (images.length === 0) throw wrong('images', 'images is required: send at least one, such as {"image_url": "..."}')
  const mask = readMask(values)
  return { operation: 'edit', ...fields, ...rest, images, ...(mask === undefined ? {} : { mask }) }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

type ReadJson = Pick<ImageRequest, 'unknown' | 'attribution'> &
  Required<Pick<ImageRequest, 'json'>> & { values: Record<string, unknown> }

function readJson(bytes: Uint8Array, codec: Codec): ReadJson {
  const { fields, close } = scanBody(bytes, codec, NAMES)
  const attribution = attributionIn(bytes, fields, codec)
  const values: Record<string, unknown> = {}
  const unknown: UnknownField[] = []
  for (const field of fields) {
    const { name, start, end } = field
    const text = codec.decode(bytes, start, end)
    if (isFieldName(name) || Object.hasOwn(IMAGES, name)) values[name] = parsedField(field, text)
    else if (!attribution?.own.includes(name)) unknown.push({ name, text })
  }
  return { values, unknown, json: { bytes, fields, close }, ...(attribution ? { attribution } : {}) }
}

function parsedField({ name, start }: JsonField, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RequestError('bad_request', name, `The body has a mistake in ${name} (byte ${start})`)
  }
}
