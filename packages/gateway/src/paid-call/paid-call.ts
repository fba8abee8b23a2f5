// A call whose cost is held: what every kind of call shares from the hold to the settlement. What is counted (tokens, images,
// seconds) is known to the price and to the kind of call alone.

import type { Client } from '@trivium/http/request.ts'
import type { ResponseHeaders } from '@trivium/http/response.ts'
import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import type { Candidate, Offer } from '../catalogue/catalogue.ts'
import type { RequestRecord } from '../observe/request-record.ts'
import type { AttemptFacts } from '../observe/upstream-attempt.ts'
import type { Slot } from '../overload/admission.ts'
import type { Identity } from '../storage/node/node.ts'
import type { OpenRequest } from '../storage/node/settler.ts'
import type { Caller } from '../storage/storage.ts'
import type { Attempt } from '../upstreams/health/key-health.ts'
import type { UpstreamCall } from '../upstreams/upstream-call.ts'
import type { KeyClaim } from './claim.ts'

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

export type PaidCall<A extends CallAttempt = CallAttempt> = {
  readonly id: bigint
  readonly caller: Caller
  /** Extended, settled and voided through this. */
  readonly hold: OpenRequest
  /** The node that placed the hold. */
  readonly owner: Identity
  /** Time limits and cancellation, over all attempts. */
  readonly upstreamCall: UpstreamCall
  readonly client: Client
  /** Headers that every response to this request carries, an error too. */
  readonly headers: ResponseHeaders
  readonly record: RequestRecord
  readonly startedAt: number
  /** Released by a stream at its end, by everything else when it is answered. */
  readonly slot: Slot
  /** Only requests with an idempotency key have one. */
  readonly claim: KeyClaim | undefined
  /** The response is streamed, and settled at the end of the stream. */
  readonly isStream: boolean
  /** Warnings whichever candidate answers. */
  readonly ownWarnings: readonly string[]
  attempt: A
  /** undefined: the first candidate of the requested model answers. */
  failedAttempts: readonly AttemptEntry[] | undefined
  firstOutputAt: number | undefined
  /** Set by `settle`. */
  isSettled: boolean
}

/** What attempts need of a call, whatever becomes of its hold. */
export type AttemptedCall = Pick<
  PaidCall,
  'id' | 'upstreamCall' | 'client' | 'owner' | 'attempt' | 'failedAttempts' | 'record'
>
