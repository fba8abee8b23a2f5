// Images that came in a body: what they are, by their content.

import type { ImageInput, ImageRequest } from '@trivium/protocol/canonical/image.ts'
import { Failure } from '../../request/failure.ts'
import { inspectImage, MOST_PIXELS } from '../inspect-image.ts'

/** Base64 characters of the beginning of an image, which tells its type and its dimensions. */
const BEGINNING = 4 * 1024 * 1024

/** Throws Failure for what is no image. URLs are left to who fetches them. */
export async function inspectedInputs(request: ImageRequest): Promise<ImageRequest> {
  const { images, mask } = request
  if (images.length === 0 && !mask) return request
  const inspected: ImageInput[] = []
  // One after the other: the beginning of each is decoded in memory.
  for (const [index, image] of images.entries()) inspected.push(await inspectedInput(image, `image[${index}]`))
  return { ...request, images: inspected, ...(mask ? { mask: await inspectedInput(mask, 'mask') } : {}) }
}

/** `field`: for errors. */
export async function inspectedInput(image: ImageInput, field: string): Promise<ImageInput> {
  const { source } = image
  if (source.kind !== 'inline') return image
  const found = await inspectImage(Buffer.from(source.base64.slice(0, BEGINNING), 'base64'))
  if (typeof found === 'object') return { ...image, mediaType: found.type }
  const fault = found ? `have no more than ${MOST_PIXELS} pixels` : 'be a PNG, JPEG or WebP image'
  throw new Failure(found ? 'bad_request' : 'unsupported_media_type', `${field} must ${fault}.`, { param: field })
}
