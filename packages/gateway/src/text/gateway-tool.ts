// A tool of the request that the gateway itself runs for a model whose upstream does not have it. The model is offered a function
// instead, and called again with its result. See image-tool/.

import type { HttpResponse } from '@trivium/http/response.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { RoutedRequest } from './request.ts'
import type { TextCall } from './text-call.ts'

export type GatewayTool = {
  /** The request as it is sent: with the function. */
  readonly request: RoutedRequest
  /** In place of `call` and `respond`. Settles the call before the last byte leaves. */
  respond(call: TextCall): Promise<HttpResponse>
}

/** undefined: the request needs no such tool. */
export type OfferGatewayTool = (routed: RoutedRequest, catalogue: Catalogue) => GatewayTool | undefined

export type GatewayToolDependencies = { offerGatewayTool: OfferGatewayTool }
