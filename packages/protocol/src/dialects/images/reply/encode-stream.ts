// Events for a client of the images dialect. Each is one line of data, however long.

import type { ImageDetails, ImageEvent, ImageRequest } from '../../../canonical/image.ts'
import type { Codec } from '../../../framing/codec.ts'
import type { Pieces } from '../../../framing/splice.ts'
import { writeBase64, writeUnknown } from '../../shared/images/image-pieces.ts'
import { openJsonPieces } from '../../shared/images/json-pieces.ts'
import { encodeUsage } from '../../shared/images/usage.ts'
import { writeDetails } from './encode-reply.ts'

/** Keeps the connection alive while an upstream is at work; clients ignore it. */
export const heartbeat = ': keep-alive\n\n'

export type ImageEventContext = {
  operation: ImageRequest['operation']
  /** Seconds since 1970, for an event that tells none. */
  created: number
  /** What an event says where its upstream tells nothing: clients demand these fields. */
  details: Required<ImageDetails>
}

/** What the client of this request is told where the upstream tells nothing. */
export function assumedDetails({ size, quality, background, outputFormat }: ImageRequest): Required<ImageDetails> {
  return {
    size: size ?? 'auto',
    quality: quality ?? 'auto',
    background: background ?? 'auto',
    outputFormat: outputFormat ?? 'png',
  }
}

export function encodeEvent(
  event: Extract<ImageEvent, { type: 'partial' | 'completed' }>,
  context: ImageEventContext,
  codec: Codec,
): Pieces {
  const type = `image_${context.operation === 'edit' ? 'edit' : 'generation'}.${event.type === 'partial' ? 'partial_image' : 'completed'}`
  const writer = openJsonPieces(codec, 'one-line')
  writer.text(`event: ${type}\ndata: {"type":"${type}",`)
  const { base64, url } = event.image
  if (base64 !== undefined) writeBase64(writer, base64)
  else writer.text('"b64_json":""')
  if (url !== undefined) writer.text(`,"url":${JSON.stringify(url)}`)
  if (event.type === 'partial') writer.text(`,"partial_image_index":${event.index}`)
  writer.text(`,"created_at":${event.created ?? context.created}`)
  writeDetails(writer, { ...context.details, ...event.details })
  if (event.image.revisedPrompt !== undefined)
    writer.text(`,"revised_prompt":${JSON.stringify(event.image.revisedPrompt)}`)
  writeUnknown(writer, event.unknown)
  if (event.type === 'completed') {
    writer.text(',"usage":')
    if (event.usageJson !== undefined) writer.raw(event.usageJson)
    else writer.text(JSON.stringify(encodeUsage(event.usage)))
  }
  writer.text('}\n\n')
  return writer.pieces()
}
