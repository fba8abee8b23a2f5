// The end of an upstream's stream, behind its last event.

import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { UpstreamCall } from '../../paid-call/upstream-call.ts'

export type Body = Pick<UpstreamResponse, 'read' | 'cancel'>

const WITHIN_MS = 1_000

/** The connection ends by itself and can be used again; one that does not is closed. */
export function releaseUpstream(upstream: Body, watch: UpstreamCall): void {
  const more = lastRead(upstream)
  if (!(more instanceof Promise)) {
    if (more) watch.cancel()
    return
  }
  const timer = setTimeout(() => watch.cancel(), WITHIN_MS)
  const over = () => clearTimeout(timer)
  more.then((piece) => (piece ? watch.cancel() : over()), over)
}

/** A break there takes nothing from the answer. */
function lastRead(upstream: Body): ReturnType<Body['read']> {
  try {
    return upstream.read()
  } catch {
    return undefined
  }
}
