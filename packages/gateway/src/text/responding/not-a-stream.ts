// A 200 whose body is not the stream that was asked for.

import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { Exchange } from '../../paid-call/exchange.ts'
import type { FailedAttempt } from '../routing/failed-attempt.ts'
import { missOfAbort, missOfError, missOfOther, readOrNothing } from './call.ts'

const MOST_BYTES = 1024 * 1024

export function isEventStream(reply: UpstreamResponse): boolean {
  return /^text\/event-stream\b/i.test(reply.header('content-type') ?? '')
}

/** An error in JSON, a proxy's page: none of it is an answer. */
export async function missOfNoStream(exchange: Exchange, reply: UpstreamResponse): Promise<FailedAttempt> {
  const bytes = await readOrNothing(reply, MOST_BYTES)
  const { reason } = exchange.watch
  if (reason) return missOfAbort(exchange, reason)
  const read = bytes ? exchange.answerer.readReply(bytes) : undefined
  return read && !read.ok
    ? missOfError(exchange, read.error)
    : missOfOther('The upstream did not answer with a stream.')
}
