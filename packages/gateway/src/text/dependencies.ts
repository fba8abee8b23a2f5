// What a journey is given: wired once in main.ts, never looked up anywhere else.

import type { Ticker } from '@trivium/http/ticker.ts'
import type { AccountSecrets } from '../access/account-secrets.ts'
import type { Callers } from '../access/authenticate.ts'
import type { Catalogue } from '../access/catalogue.ts'
import type { Ids } from '../access/ids.ts'
import type { Log } from '../observe/log.ts'
import type { RequestLog } from '../observe/request-log.ts'
import type { Admission } from '../overload/admission.ts'
import type { RateLimitCache } from '../overload/rate-limit-cache.ts'
import type { UpstreamSlots } from '../overload/upstream-slots.ts'
import type { FreeAborts } from '../paid-call/free-aborts.ts'
import type { UpstreamCalls } from '../paid-call/upstream-call.ts'
import type { Node } from '../storage/node.ts'
import type { Settler } from '../storage/settle.ts'
import type { Storage } from '../storage/storage.ts'
import type { fetchPublic } from '../upstreams/fetch-public.ts'
import type { RetryBudget } from '../upstreams/health/retry-budget.ts'
import type { Send } from '../upstreams/send.ts'
import type { StatisticsByModel } from './billing/model-statistics.ts'
import type { StreamTiming } from './responding/respond-stream.ts'
import type { Seals } from './translation/seals.ts'
import type { UnsupportedFields } from './translation/unsupported-fields.ts'

export type Dependencies = {
  /** The configuration in force now; a request takes it once and keeps it. */
  catalogue(): Catalogue
  settler: Settler
  store: Pick<Storage, 'contents' | 'ledger' | 'keys'>
  node: Node
  callers: Callers
  rateLimitCache: RateLimitCache
  /** Milliseconds since 1970. */
  clock(): number
  ids: Ids
  statistics: StatisticsByModel
  freeAborts: FreeAborts
  admission: Admission
  ticker: Ticker
  upstreamCalls: UpstreamCalls
  /** For those who wait until an upstream can take one more. */
  upstreamSlots: UpstreamSlots
  retryBudget: RetryBudget
  send: Send
  fetchPublic: typeof fetchPublic
  seals: Seals
  accountKeys: AccountSecrets
  unsupportedFields: UnsupportedFields
  log: Log
  /** One line per request. */
  requestLog: RequestLog
  random(): number
  /** How long the sender of a body may be silent; absent: half a minute. */
  bodyIdleMs?: number
  /** When a stream shows signs of life; absent: as the answer itself has it. */
  streamTiming?: StreamTiming
}
