import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import type { UpstreamWords } from '@trivium/protocol/dialects/shared/errors/upstream-error.ts'
import type { RouteId } from '@trivium/protocol/routes.ts'
import type { Attribution } from '../money/budgets/attribution.ts'
import type { Trace } from './traces/context.ts'

/** What is known about a request so far: the steps that handle it fill the record. Contents are never part of it. Times are in milliseconds. */
export class RequestRecord {
  readonly method: string
  readonly path: string
  readonly id: string
  readonly startedAt: number
  /** Absent if the path is not served, or not with this method. */
  route: RouteId | undefined
  /** The client's address, as far as `server.log_addresses` lets it be shown. */
  client: string | undefined
  userAgent: string | undefined
  /** The caller's own id of the request, from its header `x-client-request-id`. */
  clientRequestId: string | undefined
  /** Absent: tracing is off, and the caller sent no context to pass on. */
  trace: Trace | undefined
  /** Calls of upstreams, in order. */
  readonly attempts: UpstreamAttempt[] = []
  /** The code of the error that ended the last attempt. */
  attemptError: string | undefined
  /** The message of that error, as the client gets it. */
  attemptMessage: string | undefined
  account: bigint | undefined
  key: bigint | undefined
  /** Whom and what it is for, as it is kept; absent: nobody has said. */
  attribution: Attribution | undefined
  /** As requested; after a fallback, the model that answered. */
  model: string | undefined
  upstream: string | undefined
  /** The outcome as on the receipt; absent if there is no receipt. */
  outcome: string | undefined
  /** The code of the error, if the request was rejected or failed. */
  error: string | undefined
  /** The message of that error. */
  reason: string | undefined
  tokens: Tokens | undefined
  /** What its trace says of the generated answer. Absent: it is not traced, or generates nothing. */
  generation: Generation | undefined
  /** In nano-USD; absent if there is no receipt. */
  charged: bigint | undefined
  /** Time in queues: before the request was read, for a slot, and for an upstream slot. */
  queuedMs: number
  firstTokenMs: number | undefined
  /** From the arrival to the last byte of the response. */
  totalMs = 0
  status = 0
  /** Rejected for want of a slot: observers get the number of such requests, not their records. */
  isShed = false
  /** Answered by another endpoint of the gateway on its behalf, whose record the observers get. */
  isForwarded = false

  constructor(method: string, path: string, id: string, startedAt: number, queuedMs = 0, route?: RouteId) {
    this.method = method
    this.path = path
    this.id = id
    this.startedAt = startedAt
    this.queuedMs = queuedMs
    this.route = route
  }
}

/** `input` includes tokens that were read from a cache or written to one, `output` includes reasoning tokens. */
export type Tokens = {
  input: number
  cached: number
  cacheWrite?: number
  output: number
  reasoning: number | undefined
}

/** How a text was requested, and how it ended. */
export type Generation = {
  readonly stream: boolean
  readonly maxTokens: number | undefined
  readonly temperature: number | undefined
  /** The id of the response that it continues. */
  readonly previousResponse: string | undefined
  /** The upstream's id of the answer, and its name of the model that gave it. */
  responseId: string | undefined
  responseModel: string | undefined
  /** Why it ended, in the upstream's word. */
  finish: string | undefined
}

/** Calls for a task that was submitted before. */
export type TaskOperation = 'get_task' | 'list_tasks' | 'cancel_task'

/** A call of an upstream. `model`: as the upstream names it. `key`: the place of its key in the upstream's list. */
export type Called = {
  upstream: { id: string; kind: string; baseUrl: string; keys?: readonly string[] }
  key?: number
  model: string
  dialect: DialectId
  /** Absent: what the dialect is for. */
  operation?: 'count_tokens' | TaskOperation
}

/** Times are those of `performance.now()`. */
export type UpstreamAttempt = Called & {
  startedAt: number
  endedAt: number | undefined
  status: number | undefined
  /** The vendor's id of the request. */
  requestId: string | undefined
  /** The code of its error. */
  error: string | undefined
  /** What the upstream said of that error. */
  words?: UpstreamWords
  /** Where tracing is on. */
  spanId: string | undefined
}
