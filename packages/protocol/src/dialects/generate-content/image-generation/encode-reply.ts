// Images for a client of this dialect: inline data in one candidate for each image.

import type { ImageReply, ReplyImage } from '../../../canonical/image.ts'
import type { Codec } from '../../../framing/codec.ts'
import type { Pieces } from '../../../framing/splice.ts'
import { sniffBase64 } from '../../shared/images/base64.ts'
import { type JsonPieces, openJsonPieces } from '../../shared/images/json-pieces.ts'
import { encodeUsage } from '../reply/usage.ts'

export type ImageReplyContext = {
  /** Letters and digits, unique to this request. */
  id: string
  /** The model's name as the client knows it. */
  model: string
  /** `event`: one data line of a stream. `element`: of a JSON array that the caller opens and closes. */
  framing: 'reply' | 'event' | 'element'
  /** The index of the first image, if others were sent before. */
  from?: number
}

const FRAMES = { reply: ['', ''], event: ['data: ', '\n\n'], element: ['', ''] } as const

/** A whole reply, or one chunk of a stream: each image is whole in its chunk. */
export function encodeImageReply(reply: ImageReply, context: ImageReplyContext, codec: Codec): Pieces {
  const [before, after] = FRAMES[context.framing]
  const { from = 0 } = context
  const writer = openJsonPieces(codec, context.framing === 'event' ? 'one-line' : 'any')
  writer.text(`${before}{"candidates":[`)
  for (const [index, image] of reply.images.entries()) {
    writer.text(`${index === 0 ? '' : ','}{"content":{"role":"model","parts":[`)
    writePart(writer, image, typeOf(image, reply, codec))
    writer.text(`]},"finishReason":"STOP","index":${from + index}}`)
  }
  const usageMetadata = encodeUsage(reply.usage, () => ({ input: 0, output: 0 }))
  const rest = JSON.stringify({ usageMetadata, modelVersion: context.model, responseId: context.id })
  writer.text(`],${rest.slice(1)}${after}`)
  return writer.pieces()
}

/** What the bytes say is right even where the upstream is wrong. */
function typeOf({ base64, mediaType }: ReplyImage, { details }: ImageReply, codec: Codec): string {
  const sniffed = base64 && sniffBase64(base64, codec)
  return JSON.stringify(sniffed ?? mediaType ?? `image/${details.outputFormat ?? 'png'}`)
}

function writePart(writer: JsonPieces, { base64, url }: ReplyImage, type: string): void {
  if (base64 === undefined) {
    writer.text(`{"fileData":{"mimeType":${type},"fileUri":${JSON.stringify(url ?? '')}}}`)
    return
  }
  writer.text(`{"inlineData":{"mimeType":${type},"data":"`)
  writer.raw(base64.pieces)
  writer.text('"}}')
}
