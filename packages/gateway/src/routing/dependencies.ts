// What the choice of a candidate, its queue and the next attempt depend on.
import type { Ticker } from '@trivium/http/ticker.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Log } from '../observe/log.ts'
import type { Node } from '../storage/node/node.ts'
import type { RetryBudget } from '../upstreams/health/retry-budget.ts'
import type { UpstreamCalls } from '../upstreams/upstream-call.ts'
import type { UpstreamQueue } from '../upstreams/upstream-queue.ts'

export type RoutingDependencies = {
  catalogue(): Catalogue
  upstreamCalls: UpstreamCalls
  upstreamQueue: UpstreamQueue
  retryBudget: RetryBudget
  node: Pick<Node, 'identity' | 'mayDispatch'>
  ticker: Ticker
  /** Milliseconds since 1970. */
  clock(): number
  random(): number
  log: Log
}
