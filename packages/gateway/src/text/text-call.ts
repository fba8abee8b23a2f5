// A paid call of the text journey: what it adds to the core, from the hold to the settlement.

import type { HttpResponse } from '@trivium/http/response.ts'
import type { CandidateOf, Catalogue, OfferOf } from '../catalogue/catalogue.ts'
import type { PricedOptions } from '../money/prices/token-price.ts'
import type { HeldFor } from '../paid-call/hold.ts'
import { type CallAttempt, forget, type Kind, type PaidRequest, type Routed } from '../paid-call/paid-request.ts'
import type { HeldFunds, Opened } from '../storage/node/settler.ts'
import type { Coverage, Measured } from './billing/coverage.ts'
import type { TextCallDependencies } from './dependencies.ts'
import type { PlannedAttempt, TextEndpoint, TextRequest } from './request.ts'
import type { Answerer, Outbound } from './translation/outbound.ts'

/** One attempt at one candidate: the next attempt replaces it as a whole. */
export type TextAttempt = CallAttempt &
  Readonly<{
    offer: OfferOf<'text'>
    candidate: CandidateOf<'text'>
    /** What was sent that has a price of its own. */
    options: PricedOptions
    /** What of the output the hold covers. */
    coverage: Coverage
    /** Translates the upstream's response into the client's. */
    answerer: Answerer
  }>

/** The request as the first candidate gets it. */
export type Prepared = {
  planned: PlannedAttempt
  outbound: Outbound
  bound: Measured
  isExtensible: boolean
  tool: GatewayTool | undefined
  deferral: Deferral | undefined
}

export interface TextKind extends Kind {
  endpoint: TextEndpoint
  request: TextRequest
  offer: OfferOf<'text'>
  routed: Routed<OfferOf<'text'>, CandidateOf<'text'>>
  prepared: Prepared
  hold: HeldFunds
  attempt: TextAttempt
  own: {
    /** The size of the request if it is text alone, else 0: the tokens of images say nothing about those of text. */
    readonly plainBytes: number
    /** Stores the response; resolves with its last bytes, which may leave then. */
    readonly keepResponse: ((last: Uint8Array) => Promise<Uint8Array>) | undefined
    /** The request and what is sent of it, while another attempt may follow. Released at the first output. */
    pending: { readonly planned: PlannedAttempt; readonly outbound: Outbound } | undefined
  }
}

export type TextCall = PaidRequest<TextKind>

/**
 * A tool of the request that the gateway itself runs for a model whose upstream does not have it. The model is offered a function
 * instead, and called again with its result. See image-tool/.
 */
export type GatewayTool = {
  /** The request as it is sent: with the function. */
  readonly planned: PlannedAttempt
  /** In place of the model's upstream alone. Settles the call before the last byte leaves. */
  respond(call: TextCall): Promise<HttpResponse>
}

/** undefined: the request needs no such tool. */
export type OfferGatewayTool = (planned: PlannedAttempt, catalogue: Catalogue) => GatewayTool | undefined

/**
 * A request that is answered before it is sent anywhere: it is held, queued, and run later by the gateway itself, as any other text
 * request. See background/.
 */
export type Deferral = {
  /** In place of the hold of this node: one that outlives it. */
  hold(request: HeldFor): Promise<Opened>
  /** Releases the slots of the call. */
  respond(call: TextCall): Promise<HttpResponse>
}

export type TextDependencies = TextCallDependencies & PreparedElsewhere

export type PreparedElsewhere = {
  offerGatewayTool: OfferGatewayTool
  defer(planned: PlannedAttempt, opening: TextCall): Deferral
}

/** There is output: no other candidate will be called, and the request is not kept in memory while the response streams. */
export function releaseRequest(call: TextCall): void {
  call.own.pending?.outbound.release?.()
  call.own.pending = undefined
  forget(call)
}
