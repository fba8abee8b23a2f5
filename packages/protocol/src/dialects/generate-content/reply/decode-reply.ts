// An upstream's unstreamed response in canonical terms.

import type { StreamEvent } from '../../../canonical/event.ts'
import { fold } from '../../../canonical/reply.ts'
import type { DecodedReply } from '../../text-dialect.ts'
import { openChunkDecoder } from './decode-chunk.ts'

/** Through the same reader as a stream, so that the two can never tell different stories. */
export function decodeReply(body: unknown): DecodedReply {
  const events: StreamEvent[] = []
  const reader = openChunkDecoder((event) => events.push(event))
  // Without `alt=sse` some services answer in one array whatever they were asked for.
  for (const chunk of Array.isArray(body) ? body : [body]) reader.take(chunk)
  reader.end(true)
  const last = events.at(-1)
  return last?.type === 'error' ? { ok: false, error: last.error } : { ok: true, reply: fold(events) }
}
