// What calls of upstreams depend on: the choice of a candidate, its queue and the next attempt.
import type { PaidCallDependencies } from '../paid-call/paid-request.ts'
import type { RetryBudget } from '../upstreams/health/retry-budget.ts'
import type { Send } from '../upstreams/send.ts'
import type { UpstreamCalls } from '../upstreams/upstream-call.ts'
import type { UpstreamQueue } from '../upstreams/upstream-queue.ts'

export type RoutingDependencies = PaidCallDependencies & {
  upstreamCalls: UpstreamCalls
  upstreamQueue: UpstreamQueue
  retryBudget: RetryBudget
  send: Send
  random(): number
}
