// What differs between services whose request and response are JSON, and whose greatest cost is known before the call: journey.ts
// takes the steps for all of them. A new one is a value of `JsonService`; rerank.ts and moderations.ts are such values.

import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import type { BodyAttribution } from '@trivium/protocol/canonical/request.ts'
import type { Codec } from '@trivium/protocol/framing/codec.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import type { NamedUrl } from '../access/urls/url-policy.ts'
import type { Candidate, Catalogue, Offer } from '../catalogue/catalogue.ts'
import type { AnyPrice, Charge } from '../money/prices/price.ts'
import type { Bound } from '../paid-call/paid-request.ts'
import type { CandidateCall, CandidateRequest } from '../routing/call-candidates.ts'
import type { Caller } from '../storage/storage.ts'

/** The types of one service: `Read` is what a response tells. */
export type ServiceKind = {
  endpoint: unknown
  /** As it was decoded. `values`: how many JSON values it has. `urls`: what the upstream would fetch. */
  request: { model: string; values: number; urls?: readonly NamedUrl[]; attribution?: BodyAttribution }
  price: AnyPrice
  model: { id: string }
  dialect: 'chat' | 'generate-content'
  read: unknown
}

export type ServiceOffer<K extends ServiceKind> = Offer<K['price'], K['model']>
export type ServiceCall<K extends ServiceKind> = CandidateCall<K['price'], K['model'], K['dialect']>

export type JsonService<K extends ServiceKind> = {
  dialectOf(endpoint: K['endpoint']): K['dialect']
  /** What tells its requests from those of other endpoints with the same idempotency key. */
  nameOf(endpoint: K['endpoint']): string
  /** `values`: so many JSON values may be parsed. Throws RequestError. */
  decode(body: Uint8Array, endpoint: K['endpoint'], values: number, codec: Codec): K['request']
  /** Throws Failure, also where the request goes beyond the limits of the model. */
  authorize(caller: Caller, request: K['request'], catalogue: Catalogue): ServiceOffer<K>
  /** Whether every model that the caller may use is free of charge: absent where none is. Decided before anything is read. */
  isFree?(caller: Caller, catalogue: Catalogue): boolean
  /** Throws RequestError for what the upstream cannot express. */
  requestFor(
    request: K['request'],
    candidate: Candidate<K['price']>,
    endpoint: K['endpoint'],
  ): Pick<CandidateRequest<K['dialect']>, 'dialect' | 'path' | 'warnings'> & {
    /** Encoded when it is sent, and not while the request is prepared. */
    body(): Pieces
  }
  boundOf(request: K['request'], offer: ServiceOffer<K>): Bound
  /** The most bytes of a response: so much memory is taken before the call, and no more is read. */
  replyBytes(request: K['request']): number
  /** undefined: it is no response of such a service. */
  readReply(bytes: Uint8Array, request: K['request']): ServiceReply<K> | { error: ErrorInfo } | undefined
  /** What the client gets. */
  encodeReply(
    read: K['read'],
    bytes: Uint8Array,
    request: K['request'],
    call: ServiceCall<K>,
    endpoint: K['endpoint'],
  ): Pieces
  /** undefined: the response lacks what the price counts, and so does the request. */
  costOf(rate: K['price'], read: K['read'], request: K['request']): Charge | undefined
  /** Whether the units of such a charge were counted here, since the upstream reported none. */
  isCounted(rate: K['price'], read: K['read']): boolean
}

/** `model`: as the upstream names it, if it does. `tokens`: for limits per minute. */
export type ServiceReply<K extends ServiceKind> = { read: K['read']; model: string | undefined; tokens: number }
