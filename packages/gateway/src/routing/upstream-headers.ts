// The vendor's rate limits, as its response tells them: for callers who may know which upstream answered them.

import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { ResponseHeaders } from '@trivium/http/response.ts'
import type { RoutingDependencies } from './dependencies.ts'

const PREFIX = 'x-trivium-upstream-'
const RATE_LIMITS = /^(?:(?:x-|anthropic-)?rate-?limit(?:-[a-z0-9-]{1,60})?|retry-after(?:-ms)?)$/
const MOST_HEADERS = 32
const SAFE_VALUE = /^[\x20-\x7e]{1,128}$/

/** `headers`: of the response to the client. Those of an earlier attempt are replaced. */
export function showRateLimits(
  reply: Pick<UpstreamResponse, 'header' | 'headerNames'>,
  headers: ResponseHeaders,
  { catalogue }: RoutingDependencies,
): void {
  if (!catalogue().config.server.showUpstreams) return
  headers.removeAll(PREFIX)
  const names = new Set((reply.headerNames?.() ?? []).filter((name) => RATE_LIMITS.test(name)))
  for (const name of [...names].slice(0, MOST_HEADERS)) {
    const value = reply.header(name)
    if (value !== null && SAFE_VALUE.test(value)) headers.set(PREFIX + name, value)
  }
}
