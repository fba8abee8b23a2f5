// Rate-limit errors that a caller can act on: whose limit, which, what it is, and when to retry.
import type { ReachedLimit } from '@trivium/protocol/canonical/error.ts'
import type { Limited, VerbRejection } from '../money/ledger.ts'
import { limitedResource, type RateLimitCache, type RateLimitRejection } from '../overload/rate-limit-cache.ts'
import { Failure } from '../request/failure.ts'
import type { Caller } from '../storage/storage.ts'

export type LimitedCaller = Pick<Caller, 'limits' | 'accountLimits'>

const LIMITED: ReadonlySet<string> = new Set<Limited>([
  ...(['key_concurrent', 'key_requests', 'key_tokens'] as const),
  ...(['account_concurrent', 'account_requests', 'account_tokens'] as const),
])

export const isLimited = (verdict: VerbRejection | 'store_down'): verdict is Limited => LIMITED.has(verdict)

/** The caller's tightest limit of tokens per minute; undefined: none, so tokens need not be counted. */
export function tokenLimitOf({ limits, accountLimits }: LimitedCaller): number | undefined {
  const own = limits.tokensPerMinute
  const shared = accountLimits.tokensPerMinute
  return own === undefined || shared === undefined ? (own ?? shared) : Math.min(own, shared)
}

/** For a limit of concurrent requests: when one of them ends is not known. */
const RETRY_MS = 1_000
const LONGEST_WAIT_S = 60

/** `needed`: the least tokens that the request needs, where that is known. `now`: milliseconds since 1970. */
export function rateLimitError(
  caller: LimitedCaller,
  rejection: RateLimitRejection,
  needed: number,
  now: number,
): Failure {
  const used = limitedResource(rejection.verdict)
  const isKeys = rejection.verdict.startsWith('key_')
  const { requestsPerMinute, tokensPerMinute, concurrent } = isKeys ? caller.limits : caller.accountLimits
  const limit = { requests: requestsPerMinute, tokens: tokensPerMinute, concurrent }[used]
  const owner = isKeys ? 'This key' : 'This account'
  // The limit was removed since the caller was looked up; the rejection stands all the same.
  if (limit === undefined) {
    const message = `${owner} has reached a limit.${roomIn(rejection.waitMs)}`
    return new Failure('rate_limit_exceeded', message, {
      retryAfter: Math.ceil((rejection.waitMs || RETRY_MS) / 1_000),
    })
  }
  const never = used === 'tokens' && needed > limit
  const reset = resetOf(used, rejection.waitMs, never, now)
  const message = never
    ? `This request needs at least ${needed} tokens, which is more than ${isKeys ? "this key's" : "this account's"} limit of ${limit} tokens per minute. Shorten the request, or ask the operator to raise the limit.`
    : `${messageOf(owner, used, limit)}${roomIn(rejection.waitMs)}`
  const seconds = never ? LONGEST_WAIT_S : Math.ceil((rejection.waitMs || RETRY_MS) / 1_000)
  return new Failure('rate_limit_exceeded', message, {
    retryAfter: seconds,
    limit: { of: used, limit, remaining: 0, reset },
  })
}

function resetOf(used: ReachedLimit['of'], waitMs: number, never: boolean, now: number): ReachedLimit['reset'] {
  if (never) return 'never'
  return used === 'concurrent' ? undefined : { afterMs: waitMs, at: now + waitMs }
}

function messageOf(owner: string, used: ReachedLimit['of'], limit: number): string {
  switch (used) {
    case 'requests':
      return `${owner} has reached its limit of ${limit} requests per minute.`
    case 'tokens':
      return `${owner} has too little left of its limit of ${limit} tokens per minute for this request.`
    case 'concurrent':
      return `${owner} has reached its limit of ${limit} concurrent requests. Retry when one of them has ended.`
  }
}

const roomIn = (waitMs: number): string => (waitMs > 0 ? ` Retry in ${Math.ceil(waitMs / 1_000)} s.` : '')

/** The rejection of a caller that a limit rejected a moment ago, and would again. `tokens`: the least that the request needs. */
export function recentRateLimit(
  caller: Caller,
  tokens: number | undefined,
  { rateLimitCache, clock }: { rateLimitCache: RateLimitCache; clock(): number },
): Failure | undefined {
  const rejection = rateLimitCache.find(caller, tokens)
  return rejection && rateLimitError(caller, rejection, tokens ?? 0, clock())
}
