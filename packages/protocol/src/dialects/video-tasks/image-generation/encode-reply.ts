// Images for the SDKs of the video-tasks dialect, which have an images API beside the tasks: one JSON object, or a stream in
// which each image is an event of its own and the usage comes last.

import type { ImageEvent, ImageReply, ReplyImage } from '../../../canonical/image.ts'
import type { Codec } from '../../../framing/codec.ts'
import { jsonText } from '../../../framing/json/json-text.ts'
import type { Pieces } from '../../../framing/splice.ts'
import { writeBase64, writeUnknown } from '../../shared/images/image-pieces.ts'
import { type JsonPieces, openJsonPieces } from '../../shared/images/json-pieces.ts'

type Usage = ImageReply['usage']

export type ImageReplyContext = {
  /** As the client calls it. */
  model: string
  /** Seconds since 1970, for a reply that tells none. */
  created: number
}

export function encodeImageReply(reply: ImageReply, { model, created }: ImageReplyContext, codec: Codec): Pieces {
  const writer = openJsonPieces(codec)
  writer.text(`{"model":${jsonText(model)},"created":${reply.created ?? created},"data":[`)
  for (const [index, image] of reply.images.entries()) {
    writer.text(index === 0 ? '{' : ',{')
    writeImage(writer, image, reply.details.size)
    writer.text('}')
  }
  writer.text(`],"usage":${usageText(reply.usage, reply.images.length)}}`)
  return writer.pieces()
}

type Completed = Extract<ImageEvent, { type: 'completed' }>

/** `index`: counts the images of the response from 0. */
export function encodeImageEvent(
  { image, details, created }: Completed,
  index: number,
  context: ImageReplyContext,
  codec: Codec,
): Pieces {
  const writer = openJsonPieces(codec, 'one-line')
  openEvent(writer, 'image_generation.partial_succeeded', { ...context, created: created ?? context.created })
  writer.text(`,"image_index":${index},`)
  writeImage(writer, image, details.size)
  writer.text('}\n\n')
  return writer.pieces()
}

/** The last event, and the mark behind it. */
export function encodeImageStreamEnd(usage: Usage, images: number, context: ImageReplyContext, codec: Codec): Pieces {
  const writer = openJsonPieces(codec, 'one-line')
  openEvent(writer, 'image_generation.completed', context)
  writer.text(`,"usage":${usageText(usage, images)}}\n\ndata: [DONE]\n\n`)
  return writer.pieces()
}

function openEvent(writer: JsonPieces, type: string, { model, created }: ImageReplyContext): void {
  writer.text(`event: ${type}\ndata: {"type":"${type}","model":${jsonText(model)},"created":${created}`)
}

function writeImage(writer: JsonPieces, { base64, url, unknown }: ReplyImage, size: string | undefined): void {
  if (base64 !== undefined) writeBase64(writer, base64)
  else writer.text(`"url":${jsonText(url ?? '')}`)
  // An upstream of the same vendor tells the size beside the image.
  if (size !== undefined && unknown.every(({ name }) => name !== 'size')) writer.text(`,"size":${jsonText(size)}`)
  writeUnknown(writer, unknown)
}

function usageText(usage: Usage, images: number): string {
  const output = usage?.output ?? 0
  return JSON.stringify({ generated_images: images, output_tokens: output, total_tokens: (usage?.input ?? 0) + output })
}
