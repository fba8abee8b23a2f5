// A request that costs money, from its arrival to its settlement: one object, which each step fills in further. What is counted
// (tokens, images, seconds) is known to the price and to the kind of request alone.

import type { Client } from '@trivium/http/request.ts'
import type { ResponseHeaders } from '@trivium/http/response.ts'
import type { Ticker } from '@trivium/http/ticker.ts'
import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import type { Pseudonyms } from '../access/attribution/attribution.ts'
import type { Callers } from '../access/authenticate.ts'
import type { Candidate, Catalogue, Offer } from '../catalogue/catalogue.ts'
import type { Nanos } from '../money/amount.ts'
import type { RequestRecord } from '../observe/request-record.ts'
import type { AttemptFacts } from '../observe/upstream-attempt.ts'
import type { Admission, Slot } from '../overload/admission.ts'
import type { FreeCallLimit } from '../overload/free-call-limit.ts'
import type { UnsentResponses } from '../overload/unsent-responses.ts'
import type { ApiRequest } from '../request/api-request.ts'
import type { Failure } from '../request/failure.ts'
import type { ReadDependencies } from '../request/read-json.ts'
import type { Identity, Node } from '../storage/node/node.ts'
import type { HeldFunds, Settler } from '../storage/node/settler.ts'
import type { Budget, Caller } from '../storage/storage.ts'
import type { Attempt } from '../upstreams/health/key-health.ts'
import type { RetryBudget } from '../upstreams/health/retry-budget.ts'
import type { NameChecks } from '../upstreams/public/name-checks.ts'
import type { UpstreamCall } from '../upstreams/upstream-call.ts'
import type { BudgetLists } from './budgets/budget-lists.ts'
import type { ClaimDependencies, KeyClaim } from './claim.ts'
import type { FreeAborts } from './free-aborts.ts'
import type { HoldErrorDependencies } from './hold-errors.ts'
import type { StreamTiming } from './writing/stream-timing.ts'

/** What paid calls of every kind depend on. */
export type PaidCallDependencies = ClaimDependencies &
  Pseudonyms &
  HoldErrorDependencies &
  ReadDependencies & {
    /** The configuration in force. A request takes it once and keeps it. */
    catalogue(): Catalogue
    callers: Callers
    budgets: BudgetLists
    admission: Admission
    nameChecks: NameChecks
    /** Requests at price 0. */
    freeRequests: FreeCallLimit
    freeAborts: FreeAborts
    retryBudget: Pick<RetryBudget, 'addRequest'>
    node: Pick<Node, 'mayDispatch'>
    settler: Pick<Settler, 'open'>
    streamTiming: StreamTiming
    unsentResponses: UnsentResponses
    ticker: Ticker
  }

/** The candidate that is called first, with a slot at its upstream and at the upstream's key. */
export type Routed<O extends Offer = Offer, C extends Candidate = Candidate> = {
  /** The offer of the model that the caller named, with the candidates that may get the request. */
  wanted: O
  /** The offer of the model that is called: the same, or a fallback. */
  offer: O
  candidate: C
  upstreamCall: UpstreamCall
  health: Attempt
}

/** What a call can come to. */
export type Bound = {
  /** What it can cost at most, and the least that is worth a call. */
  amount: Nanos
  minimum: Nanos
  /** The same for limits of tokens per minute. */
  tokens: number
  minimumTokens: number
}

/** One attempt at one candidate. The next attempt replaces it as a whole. */
export type CallAttempt = {
  readonly offer: Offer
  readonly candidate: Candidate
  /** The dialect that the upstream answers in. */
  readonly dialect: DialectId
  /** What the upstream's health learns from it. */
  readonly health: Attempt
  /** For the client and the receipt. Grows until the response has ended. */
  readonly warnings: string[]
}

/** What an attempt without a result says on the receipt. All but the first three are for the operator. Old tasks have no more. */
export type AttemptEntry = AttemptFacts & {
  upstream: string
  model: string
  outcome: string
  upstream_model?: string
  /** The code of the error, and its message as a client would get it. */
  error?: string
  message?: string
}

/** What differs between the kinds of requests. */
export type Kind = {
  /** What the path says. */
  endpoint: unknown
  /** The request as it was read. */
  request: unknown
  offer: Offer
  routed: Routed
  /** `isExtensible`: its hold grows with its output. */
  prepared: { bound: Bound; isExtensible: boolean }
  hold: Pick<HeldFunds, 'void' | 'budgetsLeft'>
  attempt: CallAttempt
  /** What only this kind needs from the hold to the settlement. */
  own: unknown
}

const NONE: readonly never[] = []

type AnyKind = Kind & { hold: HeldFunds }

/** The fields stand in the order in which they are filled. Data alone: a step of a larger request is a copy with other fields. */
export class PaidRequest<K extends Kind = AnyKind> {
  readonly incoming: ApiRequest
  readonly endpoint: K['endpoint']
  readonly id: bigint
  readonly client: Client
  /** Headers that every response to this request carries, an error too. */
  readonly headers: ResponseHeaders
  readonly record: RequestRecord
  readonly startedAt: number
  /** null: the request is not repeatable. */
  readonly idempotencyKey: string | null
  /** Warnings whichever candidate answers. */
  readonly ownWarnings: string[] = []
  /** Set when a limit rejected the caller a moment ago: then only a stored response is served. */
  rateLimited: Failure | undefined
  /** Looked up again if the key changes before the hold. */
  caller!: Caller
  catalogue!: Catalogue
  /** Released by a stream at its end, by everything else when it is answered. */
  slot!: Slot

  request!: K['request']
  /** The offer of the model that the caller named. */
  offer!: K['offer']
  /** Those that it counts against, at most MOST_BUDGETS; undefined: none. */
  budgets: readonly Budget[] | undefined
  /** Only requests with an idempotency key have one. */
  claim: KeyClaim | undefined
  /** Ids of fallback models that the caller cannot pay for. */
  readonly tooExpensive: string[] = []

  routed!: K['routed']
  /** Time limits and cancellation, over all attempts. */
  upstreamCall!: UpstreamCall
  prepared!: K['prepared']
  /** The node that placed the hold. */
  owner!: Pick<Identity, 'nodeId' | 'epoch'>
  /** Extended, settled and voided through this. */
  hold!: K['hold']
  /** What the receipt says of its budgets: a member in JSON. undefined: nothing. */
  budgetsText: string | undefined

  attempt!: K['attempt']
  /** Candidates that were chosen for earlier attempts. */
  tried: readonly Candidate[] = NONE
  own!: K['own']
  /** The response is streamed, and settled at the end of the stream. */
  isStream = false
  /** undefined: the first candidate of the requested model answers. */
  failedAttempts: readonly AttemptEntry[] | undefined
  firstOutputAt: number | undefined
  /** It is settled by what responds to it; if that fails before, its hold is voided. */
  isRunning = false
  /** Set by `settle`. */
  isSettled = false

  constructor(incoming: ApiRequest, endpoint: K['endpoint'], idempotencyKey: string | null) {
    this.incoming = incoming
    this.endpoint = endpoint
    this.id = incoming.id
    this.client = incoming.http
    this.headers = incoming.responseHeaders
    this.record = incoming.record
    this.startedAt = incoming.record.startedAt
    this.idempotencyKey = idempotencyKey
  }
}

const FORGOTTEN = { bound: { amount: 0n, minimum: 0n, tokens: 0, minimumTokens: 0 }, isExtensible: false }

/** What was read is not kept in memory while the response streams. */
export function forget(request: PaidRequest<Kind>): void {
  request.request = undefined
  request.prepared = FORGOTTEN
}

/** What attempts need of a request, whatever becomes of its hold. */
export type AttemptedCall = Pick<
  PaidRequest,
  'id' | 'upstreamCall' | 'client' | 'owner' | 'attempt' | 'failedAttempts' | 'tried' | 'record'
>
