// A request that is answered before it is sent anywhere: it is held, queued, and run later by the gateway itself, as any other text
// request. See background/.

import type { HttpResponse } from '@trivium/http/response.ts'
import type { HoldRequest } from '../paid-call/hold.ts'
import type { OpenRequest, RejectedHold } from '../storage/node/settler.ts'
import type { RoutedRequest, TextOpening } from './request.ts'
import type { TextCall } from './text-call.ts'

export type Deferral = {
  /** In place of the hold of this node: one that outlives it. */
  hold(request: HoldRequest): Promise<{ verdict: 'open'; request: OpenRequest } | RejectedHold>
  /** In place of `call` and `respond`. Releases the slots of the call. */
  respond(call: TextCall): Promise<HttpResponse>
}

export type DeferralDependencies = { defer(routed: RoutedRequest, opening: TextOpening): Deferral }
