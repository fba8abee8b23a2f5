// What a kind of request does in its own way, from its arrival to its response: the steps that open.ts takes.

import type { HttpResponse } from '@trivium/http/response.ts'
import type { BodyAttribution } from '@trivium/protocol/canonical/request.ts'
import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { RejectedHold } from '../storage/node/settler.ts'
import type { Caller } from '../storage/storage.ts'
import type { Kind, PaidCallDependencies, PaidRequest } from './paid-request.ts'

/** The steps. Each may throw what the client gets as an error. Those that return a promise only if they have to wait are not awaited else. */
export type Journey<K extends Kind, D extends PaidCallDependencies = PaidCallDependencies> = {
  dialectOf(endpoint: K['endpoint']): DialectId
  /** Before the request is admitted. */
  check?(request: PaidRequest<K>, deps: D): void
  read(request: PaidRequest<K>, deps: D): K['request'] | Promise<K['request']>
  authorize(caller: Caller, request: K['request'], catalogue: Catalogue): K['offer']
  /** Whom and what the request is for, as its body says; absent: bodies of this kind say nothing. Throws RequestError. */
  attribution?(request: K['request']): BodyAttribution | undefined
  /** What makes two requests with an idempotency key the same. */
  fingerprint(request: K['request'], endpoint: K['endpoint']): { endpoint: string; body: Uint8Array }
  /** The response to a repeated request where it outlives the process of the first: see `KeyedRequest`. */
  resume?(first: bigint, caller: Caller, deps: D): Promise<Uint8Array | undefined>
  /** Takes slots; throws without any. What it adds to `request.request` stays there if it is called again. */
  route(request: PaidRequest<K>, deps: D): K['routed'] | Promise<K['routed']>
  /** The request as the candidate gets it, and the most that it can cost there. */
  prepare(request: PaidRequest<K>, deps: D): K['prepared'] | Promise<K['prepared']>
  hold(request: PaidRequest<K>, deps: D): Promise<{ verdict: 'open'; request: K['hold'] } | RejectedHold>
  /** The hold is granted: sets the first attempt, and what is the kind's own. */
  begin(request: PaidRequest<K>): void
  /** Deletes what was read, such as uploaded files: once the response, or its stream, has ended. */
  close?(request: K['request']): Promise<void>
  /** Sends the request, responds and settles. A stream releases its slot itself, at its end. */
  respond(request: PaidRequest<K>, deps: D): Promise<HttpResponse>
}
