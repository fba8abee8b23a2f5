// A generate-content request, reply and stream whose bytes pass through, since client and upstream both speak this
// dialect.

import type { PassThrough } from '../pass-through.ts'
import { readPassThroughReply } from '../shared/pass-through/reply.ts'
import { readRequest } from './pass-through/request.ts'
import { openMeter } from './pass-through/stream.ts'
import { decodeReply } from './reply/decode-reply.ts'

export { vendorObjects } from './pass-through/vendor-fields.ts'

export const passThrough: PassThrough = {
  readRequest,
  readReply: (bytes, codec, renameTo) =>
    readPassThroughReply(bytes, codec, { decodeReply, modelField: 'modelVersion' }, renameTo),
  openMeter,
}
