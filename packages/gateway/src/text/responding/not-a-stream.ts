// A 200 whose body is not the stream that was requested.

import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { RoutingDependencies } from '../../routing/dependencies.ts'
import type { FailedAttempt } from '../../routing/failed-attempt.ts'
import { failedByAbort, failedByError, failedByOther, readOrNothing } from '../../routing/upstream-errors.ts'
import type { TextCall } from '../text-call.ts'

const MOST_BYTES = 1024 * 1024

export function isEventStream(reply: UpstreamResponse): boolean {
  return /^text\/event-stream\b/i.test(reply.header('content-type') ?? '')
}

/** An error in JSON, or a proxy's page. */
export async function failedByBody(
  call: TextCall,
  reply: UpstreamResponse,
  deps: RoutingDependencies,
): Promise<FailedAttempt> {
  const bytes = await readOrNothing(reply, MOST_BYTES)
  const { reason } = call.upstreamCall
  if (reason) return failedByAbort(call, reason)
  const read = bytes ? call.attempt.answerer.readReply(bytes) : undefined
  return read && !read.ok
    ? failedByError(call, read.error, deps)
    : failedByOther('The upstream did not answer with a stream.')
}
