// POST /api/v3/images/generations, for the SDKs whose videos are tasks.

import { encodeStreamError } from '@trivium/protocol/dialects/video-tasks/error.ts'
import {
  encodeImageEvent,
  encodeImageReply,
  encodeImageStreamEnd,
} from '@trivium/protocol/dialects/video-tasks/image-generation/encode-reply.ts'
import { codec } from '../../bytes/codec.ts'
import { formatRequestId } from '../../request/ids.ts'
import { readGeneration } from '../reading/read.ts'
import type { ImageEncoding, ImageEndpoint } from './endpoint.ts'

export const TASK_IMAGES: ImageEndpoint = {
  dialect: 'video-tasks',
  name: 'video-tasks.images',
  async read(incoming, context, deps) {
    const read = await readGeneration(incoming, context, deps)
    // Its clients expect URLs unless they ask for something else.
    return { ...read, request: { ...read.request, responseFormat: read.request.responseFormat ?? 'url' } }
  },
  encoding({ request: { model }, id }, now): ImageEncoding {
    const context = () => ({ model, created: now() })
    let sent = 0
    let last: Parameters<typeof encodeImageStreamEnd>[0]
    return {
      reply: (reply) => encodeImageReply(reply, context(), codec),
      streamType: 'text/event-stream; charset=utf-8',
      heartbeat: codec.encode(': keep-alive\n\n'),
      partial: () => [],
      completed(event, usage) {
        last = usage
        return encodeImageEvent(event, sent++, context(), codec)
      },
      end: () => encodeImageStreamEnd(last, sent, context(), codec),
      error: ({ info }) => codec.encode(encodeStreamError(info, formatRequestId(id))),
    }
  },
}
