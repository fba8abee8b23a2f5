// POST /v1/images/generations and POST /v1/images/edits.

import type { ImageRequest } from '@trivium/protocol/canonical/image.ts'
import { encodeStreamError } from '@trivium/protocol/dialects/images/error.ts'
import { encodeReply } from '@trivium/protocol/dialects/images/reply/encode-reply.ts'
import { assumedDetails, encodeEvent, heartbeat } from '@trivium/protocol/dialects/images/reply/encode-stream.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import { codec } from '../../bytes/codec.ts'
import { formatRequestId } from '../../request/ids.ts'
import type { CompletedImage, PartialImage } from '../generate.ts'
import { readEdit, readGeneration } from '../reading/read.ts'
import type { ImageEncoding, ImageEndpoint } from './endpoint.ts'

export const imagesEndpoint = (operation: ImageRequest['operation']): ImageEndpoint => ({
  dialect: 'images',
  name: `images.${operation}`,
  read: operation === 'edit' ? readEdit : readGeneration,
  encoding: (call, created) => encodingOf(call, operation, created),
})

const beginsWith = ([first]: Pieces, text: string): boolean =>
  first !== undefined && codec.hasAt(first, codec.encode(text), 0)

function encodingOf(
  { request, id }: Parameters<ImageEndpoint['encoding']>[0],
  operation: ImageRequest['operation'],
  created: () => number,
): ImageEncoding {
  const prefix = operation === 'edit' ? 'image_edit' : 'image_generation'
  const isRaw = request.responseFormat !== 'url'
  // A stream of generations may come from a request that was sent as an edit, and the other way around.
  const encode = (event: PartialImage | CompletedImage) =>
    isRaw && event.raw && beginsWith(event.raw, `event: ${prefix}.`)
      ? event.raw
      : encodeEvent(event, { operation, created: created(), details: assumedDetails(request) }, codec)
  return {
    reply: (reply) => reply.raw ?? encodeReply(reply, created(), codec),
    streamType: 'text/event-stream; charset=utf-8',
    heartbeat: codec.encode(heartbeat),
    partial: encode,
    completed: encode,
    end: () => [],
    error: ({ info }) => codec.encode(encodeStreamError(info, formatRequestId(id))),
  }
}
