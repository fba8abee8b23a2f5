// What a kind of call does in its own way, from the arrival of a request to its response: the steps that open.ts takes.

import type { HttpResponse } from '@trivium/http/response.ts'
import type { Ticker } from '@trivium/http/ticker.ts'
import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import type { AuthenticateDependencies } from '../access/authenticate.ts'
import type { Candidate, Catalogue, Offer } from '../catalogue/catalogue.ts'
import type { Slot } from '../overload/admission.ts'
import type { FreeCallLimit } from '../overload/free-call-limit.ts'
import type { ApiRequest } from '../request/api-request.ts'
import type { OpenRequest, RejectedHold } from '../storage/node/settler.ts'
import type { Caller } from '../storage/storage.ts'
import type { Attempt } from '../upstreams/health/key-health.ts'
import type { RetryBudget } from '../upstreams/health/retry-budget.ts'
import type { UpstreamCall } from '../upstreams/upstream-call.ts'
import type { AdmitDependencies } from './admit.ts'
import type { ClaimDependencies, KeyClaim } from './claim.ts'
import type { Bound, HoldDependencies, HoldRequest } from './hold.ts'
import type { HoldErrorDependencies } from './hold-errors.ts'
import type { PaidCall } from './paid-call.ts'

export type OpenDependencies = {
  /** The configuration in force. A request takes it once and keeps it. */
  catalogue(): Catalogue
  retryBudget: Pick<RetryBudget, 'addRequest'>
  ticker: Pick<Ticker, 'now'>
  /** Requests at price 0. */
  freeRequests: FreeCallLimit
} & AuthenticateDependencies &
  AdmitDependencies &
  ClaimDependencies &
  HoldDependencies &
  HoldErrorDependencies

/** A request that has arrived, and whose caller is known. */
export type Arrived<E> = {
  readonly incoming: ApiRequest
  readonly endpoint: E
  readonly catalogue: Catalogue
  /** Looked up again if the key changes before the hold. */
  caller: Caller
  /** null: the request is not repeatable. */
  readonly idempotencyKey: string | null
  /** Warnings whichever candidate answers. */
  readonly warnings: string[]
}

/** A request that has a slot, and of which nothing has been read. */
export type Admitted<E> = Arrived<E> & { readonly slot: Slot }

/** A request that has been read, for a model that its caller may use. */
export type Opening<E, Q, O extends Offer> = Admitted<E> & {
  request: Q
  /** The offer of the model that the caller named. */
  offer: O
  readonly claim: KeyClaim | undefined
  /** Ids of fallback models that the caller cannot pay for. */
  readonly tooExpensive: string[]
}

/** The candidate that is called first, with a slot at its upstream and at the upstream's key. */
export type Routed<O extends Offer = Offer, C extends Candidate = Candidate> = {
  /** Of the model that the caller named, with the candidates that may get the request. */
  wanted: O
  /** The offer of the model that is called: the same, or a fallback. */
  offer: O
  candidate: C
  upstreamCall: UpstreamCall
  health: Attempt
}

/** A call whose hold is granted, without what only its kind has. */
export type HeldCall<H = OpenRequest> = Omit<PaidCall, 'attempt' | 'isStream' | 'hold'> & { readonly hold: H }

/** The types of one kind of call. */
export type Kind = {
  endpoint: unknown
  request: unknown
  offer: Offer
  routed: Routed
  /** `isExtensible`: its hold grows with its output. */
  prepared: { bound: Bound; isExtensible: boolean }
  hold: Pick<OpenRequest, 'void'>
  call: Pick<PaidCall, 'attempt' | 'headers' | 'isStream' | 'upstreamCall'>
  deps: OpenDependencies
}

/** One of this kind that is being opened. */
export type OpeningOf<K extends Kind> = Opening<K['endpoint'], K['request'], K['offer']>

/** The steps. Each may throw what the client gets as an error. Those that return a promise only if they have to wait are not awaited else. */
export type Journey<K extends Kind> = {
  dialectOf(endpoint: K['endpoint']): DialectId
  /** Before the request is admitted. */
  check?(arrived: Arrived<K['endpoint']>, deps: K['deps']): void
  read(admitted: Admitted<K['endpoint']>, deps: K['deps']): K['request'] | Promise<K['request']>
  authorize(caller: Caller, request: K['request'], catalogue: Catalogue): K['offer']
  /** What makes two requests with an idempotency key the same. */
  fingerprint(request: K['request'], endpoint: K['endpoint']): { endpoint: string; body: Uint8Array }
  /** The response to a repeated request where it outlives the process of the first: see `KeyedRequest`. */
  resume?(first: bigint, caller: Caller, deps: K['deps']): Promise<Uint8Array | undefined>
  /** Takes slots; throws without any. What it adds to `opening.request` stays there if it is called again. */
  route(opening: OpeningOf<K>, deps: K['deps']): K['routed'] | Promise<K['routed']>
  /** The request as the candidate gets it, and the most that it can cost there. */
  prepare(routed: K['routed'], opening: OpeningOf<K>, deps: K['deps']): K['prepared'] | Promise<K['prepared']>
  hold(
    request: HoldRequest,
    deps: K['deps'],
    routed: K['routed'],
    prepared: K['prepared'],
    opening: OpeningOf<K>,
  ): Promise<{ verdict: 'open'; request: K['hold'] } | RejectedHold>
  callOf(held: HeldCall<K['hold']>, routed: K['routed'], prepared: K['prepared'], opening: OpeningOf<K>): K['call']
  /** Deletes what was read, such as uploaded files: once the response, or its stream, has ended. */
  close?(request: K['request']): Promise<void>
  /** Sends the request, responds and settles. A stream releases its slot itself, at its end. */
  respond(call: K['call'], opening: OpeningOf<K>, deps: K['deps']): Promise<HttpResponse>
}
