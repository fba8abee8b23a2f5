// A paid call of the text journey: what it adds to the core, from the hold to the settlement.

import type { HttpResponse } from '@trivium/http/response.ts'
import type { CandidateOf, OfferOf } from '../catalogue/catalogue.ts'
import type { PricedOptions } from '../money/prices/token-price.ts'
import type { CallAttempt, PaidCall } from '../paid-call/paid-call.ts'
import type { Coverage } from './billing/coverage.ts'
import type { RoutedRequest } from './request.ts'
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

export type TextCall = PaidCall<TextAttempt> & {
  /** The size of the request if it is text alone, else 0: the tokens of images say nothing about those of text. */
  readonly plainBytes: number
  /** Stores the response; resolves with its last bytes, which may leave then. */
  readonly keepResponse: ((last: Uint8Array) => Promise<Uint8Array>) | undefined
  /** Responds in place of the model's upstream alone. */
  readonly tool: { respond(call: TextCall): Promise<HttpResponse> } | undefined
  /** It is run later, and answered now. */
  readonly deferral: { respond(call: TextCall): Promise<HttpResponse> } | undefined
  /** The request and what is sent of it, while another attempt may follow. Released at the first output. */
  pending: { readonly request: RoutedRequest; readonly outbound: Outbound } | undefined
}

/** There is output: no other candidate will be called, and the request is not kept in memory while the response streams. */
export function releaseRequest(call: TextCall): void {
  call.pending?.outbound.release?.()
  call.pending = undefined
}
