// An image request for a model of this dialect that answers with inline images. One call makes one image.

import type { ImageRequest } from '../../../canonical/image.ts'
import { unsupported } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import type { EncodedImageRequest, ImageBodyPart, ImageTarget } from '../../image-service.ts'
import { warnOfDropped } from '../../shared/images/dropped-fields.ts'
import { sidesOf } from '../../shared/images/sides.ts'
import { aspectRatioOf, isExact, isSizeClass, sizeClassOf } from './aspect-ratio.ts'

/** The first generations of image models know no classes of size. */
const WITHOUT_SIZE_CLASS = /gemini-2\./

export function encodeRequest(request: ImageRequest, target: ImageTarget, codec: Codec): EncodedImageRequest {
  if (request.mask !== undefined)
    throw unsupported('mask', "The upstream of this model takes no mask. Describe in 'prompt' what is to be changed.")
  warnOfDropped(request, target, [
    ...(['quality', 'background', 'outputFormat', 'outputCompression', 'moderation', 'style'] as const),
    ...(['inputFidelity', 'partialImages', 'user'] as const),
  ])
  const body: ImageBodyPart[] = []
  let text = '{"contents":[{"role":"user","parts":['
  for (const image of request.images) {
    text += `{"inlineData":{"mimeType":${JSON.stringify(image.mediaType)},"data":"`
    body.push(codec.encode(text), { image, as: 'base64' })
    text = '"}},'
  }
  text += `{"text":${JSON.stringify(request.prompt)}}]}],"generationConfig":${JSON.stringify(configOf(request, target))}}`
  body.push(codec.encode(text))
  return { contentType: 'application/json', body }
}

function configOf({ size }: ImageRequest, { model, warn }: ImageTarget): Record<string, unknown> {
  // Some models fail when they are asked for images alone.
  const responseModalities = ['TEXT', 'IMAGE']
  const sides = sidesOf(size)
  if (sides === undefined) return { responseModalities, ...configOfClass(size, model, warn) }
  const imageSize = WITHOUT_SIZE_CLASS.test(model) ? '1K' : sizeClassOf(sides)
  if (!isExact(sides) || imageSize !== sizeClassOf(sides)) warn('size', 'changed')
  const imageConfig = { aspectRatio: aspectRatioOf(sides), ...(imageSize === '1K' ? {} : { imageSize }) }
  return { responseModalities, imageConfig }
}

/** A resolution without a shape, such as `2K`, has its own field here. */
function configOfClass(size: string | undefined, model: string, warn: ImageTarget['warn']): Record<string, unknown> {
  const name = size?.toUpperCase() ?? 'AUTO'
  if (name === 'AUTO' || name === '1K') return {}
  const isKnown = isSizeClass(name) && !WITHOUT_SIZE_CLASS.test(model)
  if (!isKnown) warn('size', 'dropped')
  return isKnown ? { imageConfig: { imageSize: name } } : {}
}
