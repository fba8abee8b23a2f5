// A call of a route of the console API, as its handler sees it.
import type { HttpRequest } from '@trivium/http/request.ts'
import type { HttpResponse } from '@trivium/http/response.ts'
import type { Origin } from '../http-api/origin.ts'
import type { ApiRequest } from '../request/api-request.ts'
import type { AuditEntry, SignedIn } from '../storage/storage.ts'

/** The gateway's own endpoints, for requests that the console makes on behalf of an account. */
export type Gateway = (http: HttpRequest) => HttpResponse | Promise<HttpResponse>

export type Call<Body = undefined, Query = unknown, Parameters = unknown> = {
  incoming: ApiRequest
  http: HttpRequest
  headers: ApiRequest['responseHeaders']
  query: Query
  /** By the names in the route's path, decoded. */
  parameters: Parameters
  origin: Origin
  gateway: Gateway
  body: Body
}
export type SignedInCall<Body = undefined, Query = unknown, Parameters = unknown> = Call<Body, Query, Parameters> &
  SignedIn

type Change = Partial<Pick<AuditEntry, 'object' | 'before' | 'after' | 'reason'>>

/**
 * A row of the audit log about what protects a person's sign-in: changed in the console by the person, or by who has a link. It is about the
 * person, unless the change names another object.
 */
export const personEntry = (
  { origin, incoming }: Pick<Call, 'origin' | 'incoming'>,
  person: bigint,
  action: string,
  { object = `person/${person}`, before, after, reason = '' }: Change = {},
): AuditEntry => ({
  actor: { type: 'person', id: String(person) },
  address: origin.address,
  requestId: incoming.id,
  action,
  object,
  before,
  after,
  reason,
})

/** The row of the audit log about a new account, by the address of the person, who does not exist yet. */
export const signUpEntry = (
  { origin, incoming }: Pick<Call, 'origin' | 'incoming'>,
  after: { email: string; provider?: string; subject?: string },
): AuditEntry => ({
  actor: { email: after.email },
  address: origin.address,
  requestId: incoming.id,
  action: 'sign-up',
  object: { account: after.email },
  before: undefined,
  after,
  reason: '',
})
