// An image request for a model of this dialect that makes images with its hosted tool. One call makes one image.

import type { ImageInput, ImageRequest } from '../../../canonical/image.ts'
import { withoutUndefined } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { jsonText } from '../../../framing/json/json-text.ts'
import type { EncodedImageRequest, ImageBodyPart, ImageTarget } from '../../image-service.ts'
import { warnOfDropped } from '../../shared/images/dropped-fields.ts'

export function encodeRequest(request: ImageRequest, target: ImageTarget, codec: Codec): EncodedImageRequest {
  warnOfDropped(request, target, ['style'])
  const body: ImageBodyPart[] = []
  let text = `{"model":${jsonText(target.model)},"input":[{"role":"user","content":[`
  const insert = (image: ImageInput) => {
    if (image.source.kind === 'url') {
      text += `"image_url":${jsonText(image.source.url)}}`
      return
    }
    text += `"image_url":"data:${image.mediaType};base64,`
    body.push(codec.encode(text), { image, as: 'base64' })
    text = '"}'
  }
  for (const image of request.images) {
    text += '{"type":"input_image","detail":"auto",'
    insert(image)
    text += ','
  }
  text += `{"type":"input_text","text":${JSON.stringify(request.prompt)}}]}],"tools":[`
  const tool = JSON.stringify(toolOf(request, target))
  if (request.mask === undefined) text += tool
  else {
    text += `${tool.slice(0, -1)},"input_image_mask":{`
    insert(request.mask)
    text += '}'
  }
  text += `],"tool_choice":{"type":"image_generation"},${JSON.stringify(settingsOf(request, target)).slice(1)}`
  body.push(codec.encode(text))
  return { contentType: 'application/json', body }
}

function toolOf(request: ImageRequest, { stream }: ImageTarget): Record<string, unknown> {
  return {
    type: 'image_generation',
    ...withoutUndefined<Record<string, unknown>>({
      action: request.operation === 'edit' ? 'edit' : undefined,
      size: request.size,
      quality: request.quality,
      background: request.background,
      output_format: request.outputFormat,
      output_compression: request.outputCompression,
      moderation: request.moderation,
      input_fidelity: request.inputFidelity,
      partial_images: stream ? request.partialImages : undefined,
    }),
  }
}

/** Nothing is kept at the vendor: the gateway answers for its callers' images. */
function settingsOf({ user }: ImageRequest, { stream, endUser }: ImageTarget): Record<string, unknown> {
  const named = endUser === undefined ? user : (endUser ?? undefined)
  return { store: false, ...(stream ? { stream: true } : {}), ...(named === undefined ? {} : { user: named }) }
}
