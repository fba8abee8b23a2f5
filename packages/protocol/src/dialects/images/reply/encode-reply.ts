// The reply to a client of the images dialect, as pieces: the base64 text of an image is sent as it was received.

import type { ImageDetails, ImageReply, ReplyImage } from '../../../canonical/image.ts'
import type { Codec } from '../../../framing/codec.ts'
import { jsonText } from '../../../framing/json/json-text.ts'
import type { Pieces } from '../../../framing/splice.ts'
import { writeBase64, writeUnknown } from '../../shared/images/image-pieces.ts'
import { type JsonPieces, openJsonPieces } from '../../shared/images/json-pieces.ts'
import { encodeUsage } from '../../shared/images/usage.ts'

/** `created` in seconds since 1970, for a reply that tells none. */
export function encodeReply(reply: ImageReply, created: number, codec: Codec): Pieces {
  const writer = openJsonPieces(codec)
  writer.text(`{"created":${reply.created ?? created}`)
  writeDetails(writer, reply.details)
  writeUnknown(writer, reply.unknown)
  writer.text(',"data":[')
  for (const [index, image] of reply.images.entries()) {
    writer.text(index === 0 ? '{' : ',{')
    writeImage(writer, image)
    writer.text('}')
  }
  writer.text(']')
  if (reply.usageJson !== undefined) {
    writer.text(',"usage":')
    writer.raw(reply.usageJson)
  } else if (reply.usage !== undefined) writer.text(`,"usage":${JSON.stringify(encodeUsage(reply.usage))}`)
  writer.text('}')
  return writer.pieces()
}

function writeImage(writer: JsonPieces, { base64, url, revisedPrompt, unknown }: ReplyImage): void {
  let comma = ''
  if (base64 !== undefined) {
    writeBase64(writer, base64)
    comma = ','
  }
  if (url !== undefined) {
    writer.text(`${comma}"url":${jsonText(url)}`)
    comma = ','
  }
  if (revisedPrompt !== undefined) writer.text(`${comma}"revised_prompt":${JSON.stringify(revisedPrompt)}`)
  writeUnknown(writer, unknown)
}

export function writeDetails(writer: JsonPieces, { size, quality, background, outputFormat }: ImageDetails): void {
  if (background !== undefined) writer.text(`,"background":${jsonText(background)}`)
  if (outputFormat !== undefined) writer.text(`,"output_format":${jsonText(outputFormat)}`)
  if (quality !== undefined) writer.text(`,"quality":${jsonText(quality)}`)
  if (size !== undefined) writer.text(`,"size":${jsonText(size)}`)
}
