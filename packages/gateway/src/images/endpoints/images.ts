// POST /v1/images/generations and POST /v1/images/edits.

import type { ImageRequest } from '@trivium/protocol/canonical/image.ts'
import { encodeStreamError } from '@trivium/protocol/dialects/images/error.ts'
import { encodeReply } from '@trivium/protocol/dialects/images/reply/encode-reply.ts'
import { assumedDetails, encodeEvent, heartbeat } from '@trivium/protocol/dialects/images/reply/encode-stream.ts'
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

function encodingOf(
  { request, id }: Parameters<ImageEndpoint['encoding']>[0],
  operation: ImageRequest['operation'],
  created: () => number,
): ImageEncoding {
  const encode = (event: PartialImage | CompletedImage) =>
    encodeEvent(event, { operation, created: created(), details: assumedDetails(request) }, codec)
  return {
    reply: (reply) => encodeReply(reply, created(), codec),
    streamType: 'text/event-stream; charset=utf-8',
    heartbeat: codec.encode(heartbeat),
    partial: encode,
    completed: encode,
    end: () => [],
    error: ({ info }) => codec.encode(encodeStreamError(info, formatRequestId(id))),
  }
}
