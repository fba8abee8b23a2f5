// A responses request, reply and stream whose bytes pass through, since client and upstream both speak this dialect.

import type { Json } from '../../canonical/reading.ts'
import type { PassThrough } from '../pass-through.ts'
import { readPassThroughReply } from '../shared/pass-through/reply.ts'
import { CUT_OFF, cutOffResponse, isCutOff } from './pass-through/cut-off.ts'
import { readRequest } from './pass-through/request.ts'
import { openMeter } from './pass-through/stream.ts'
import { decodeReply } from './reply/decode-reply.ts'

export { vendorObjects } from './pass-through/vendor-fields.ts'

export const passThrough: PassThrough = {
  readRequest,
  readReply(bytes, codec, renameTo, echo, quirks) {
    const reply = readPassThroughReply(bytes, codec, { decodeReply, modelField: 'model' }, renameTo, echo)
    if (!reply.ok || !isCutOff(reply.finish, reply.usage, quirks)) return reply
    const response = JSON.parse(codec.decode(reply.body, 0, reply.body.length)) as Json
    return { ...reply, finish: CUT_OFF, body: codec.encode(JSON.stringify(cutOffResponse(response))) }
  },
  openMeter,
}
