// A responses request, reply and stream whose bytes pass through, since client and upstream both speak this dialect.

import { readPassingReply } from '../passing-reply.ts'
import type { Passing } from '../text-dialect.ts'
import { readRequest } from './parts/passing-request.ts'
import { openMeter } from './parts/passing-stream.ts'
import { decodeReply } from './reply.ts'
import { decodeRequest } from './request.ts'

export { vendorObjects } from './parts/passing-tenants.ts'

export const passing: Passing = {
  readRequest: (bytes, codec, addressed, maxValues) => readRequest(bytes, codec, addressed, decodeRequest, maxValues),
  readReply: (bytes, codec, renameTo, echo) =>
    readPassingReply(bytes, codec, { decodeReply, modelField: 'model' }, renameTo, echo),
  openMeter,
}
