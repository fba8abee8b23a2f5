// Calls one candidate after the other until one answers: for kinds of calls whose attempts differ only in what is sent, and in
// the most that it can cost.

import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import { RequestError } from '@trivium/protocol/canonical/reading.ts'
import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import type { Candidate, Offer } from '../catalogue/catalogue.ts'
import type { Upstream } from '../config/types.ts'
import type { Nanos } from '../money/amount.ts'
import type { AnyPrice } from '../money/prices/price.ts'
import type { AttemptedCall, CallAttempt, Kind, PaidRequest, Routed } from '../paid-call/paid-request.ts'
import { settle } from '../paid-call/settle.ts'
import { showWarnings, warningsFor } from '../paid-call/warnings.ts'
import type { HeldFunds } from '../storage/node/settler.ts'
import type { OutgoingRequest } from '../upstreams/send.ts'
import type { LimitedUpstream } from '../upstreams/upstream-call.ts'
import { measureOf } from './demand.ts'
import type { RoutingDependencies } from './dependencies.ts'
import type { FailedAttempt } from './failed-attempt.ts'
import { endAttempt, findNext } from './next-attempt.ts'
import { failedByBreak, failedByReply, failedByThrow } from './upstream-errors.ts'
import { showRateLimits } from './upstream-headers.ts'

type Named = { id: string }

export type CandidateAttempt<P extends AnyPrice, M extends Named, D extends DialectId> = CallAttempt &
  Readonly<{ offer: Offer<P, M>; candidate: Candidate<P>; dialect: D }>

/** A kind of request whose attempts differ only in what is sent. `Own`: what only it needs. */
export interface CandidateKind<P extends AnyPrice, M extends Named, D extends DialectId, Own = unknown> extends Kind {
  offer: Offer<P, M>
  routed: Routed<Offer<P, M>, Candidate<P>>
  hold: HeldFunds
  attempt: CandidateAttempt<P, M, D>
  own: Own
}

export type CandidateCall<P extends AnyPrice, M extends Named, D extends DialectId, Own = unknown> = PaidRequest<
  CandidateKind<P, M, D, Own>
>

/** The request as one candidate gets it. */
export type CandidateRequest<D extends DialectId> = Pick<
  OutgoingRequest,
  'path' | 'body' | 'contentType' | 'stream'
> & {
  dialect: D
  /** What the upstream cannot express, in the caller's field names. */
  warnings: readonly string[]
}

export type CandidateSteps<P extends AnyPrice, M extends Named, D extends DialectId> = {
  /** Throws RequestError for what the candidate's upstream cannot express. */
  requestFor(candidate: Candidate<P>): CandidateRequest<D>
  /** The most that the request can cost there. */
  boundOf(offer: Offer<P, M>, candidate: Candidate<P>): Nanos
  /** The same when it is sent, with what has to be fetched for it. Absent: there is nothing to fetch. */
  completeRequestFor?(candidate: Candidate<P>): Promise<CandidateRequest<D>>
  /** The upstream with the time limits of this kind of call. Absent: those of text. */
  limitsOf?(upstream: Upstream): LimitedUpstream
}

/** The hold is granted: the first attempt. */
export function beginAtCandidate<P extends AnyPrice, M extends Named, D extends DialectId>(
  request: CandidateCall<P, M, D>,
  { dialect, warnings }: Pick<CandidateRequest<D>, 'dialect' | 'warnings'>,
  isStream: boolean,
): void {
  const { wanted, offer, candidate, health } = request.routed
  const all = [...warningsFor(offer, wanted, request.ownWarnings), ...warnings]
  request.attempt = { offer, candidate, dialect, health, warnings: all }
  request.isStream = isStream
}

/** Resolves with a 2xx response whose body has not been read. If that is of no use, `nextCandidate` lets another be called. */
export async function callCandidates<P extends AnyPrice, M extends Named, D extends DialectId>(
  call: CandidateCall<P, M, D>,
  steps: CandidateSteps<P, M, D>,
  deps: RoutingDependencies,
): Promise<UpstreamResponse> {
  for (;;) {
    const reply = await attempt(call, steps, deps)
    if (!('failure' in reply)) return reply
    await nextCandidate(call, reply, steps, deps)
  }
}

async function attempt<P extends AnyPrice, M extends Named, D extends DialectId>(
  call: CandidateCall<P, M, D>,
  steps: CandidateSteps<P, M, D>,
  deps: RoutingDependencies,
): Promise<UpstreamResponse | FailedAttempt> {
  const { upstreamCall, headers, record } = call
  const { candidate, health } = call.attempt
  const { upstream, key, route } = candidate
  call.slot.setAwaitingUpstream(true)
  try {
    // Without a wait where nothing is fetched: what is encoded at once is measured (paid-call/open.ts).
    const request = steps.completeRequestFor ? await steps.completeRequestFor(candidate) : steps.requestFor(candidate)
    health.sent(performance.now())
    const origin = { record, model: route.model }
    const reply = await deps.send(upstream, { ...request, headers: {}, key, cancel: upstreamCall.cancellation, origin })
    upstreamCall.headersArrived()
    const mark = reply.header('x-sandbox')
    if (mark !== null) headers.set('x-sandbox', mark)
    showRateLimits(reply, headers, deps)
    if (reply.status >= 200 && reply.status < 300) return reply
    return (await failedByReply(call, reply, deps)).failed
  } catch (error) {
    return failedByThrow(call, error, deps)
  }
}

/** Another candidate, if there may be one. Else the failure is thrown, and the call is settled if it has no output. */
export async function nextCandidate<P extends AnyPrice, M extends Named, D extends DialectId>(
  call: CandidateCall<P, M, D>,
  failed: FailedAttempt,
  steps: CandidateSteps<P, M, D>,
  deps: RoutingDependencies,
): Promise<void> {
  const { attempt, caller, hold } = call
  const { wanted } = call.routed
  endAttempt(call, failed, deps)
  const { tokens } = call.prepared.bound
  const measure = measureOf(wanted, (offer, candidate) => ({ amount: steps.boundOf(offer, candidate), tokens }))
  const last = { caller, wanted, offer: attempt.offer, candidate: attempt.candidate, measure }
  type Prepared = {
    offer: Offer<P, M>
    candidate: Candidate<P>
    request: CandidateRequest<D>
  }
  const next = await findNext(
    call,
    failed,
    last,
    {
      prepare(offer, candidate): Prepared | undefined {
        const request = expressed(() => steps.requestFor(candidate))
        return request && { offer, candidate, request }
      },
      async cover({ offer, candidate }) {
        const needed = steps.boundOf(offer, candidate)
        return needed > hold.held && (await hold.raise(needed, needed)) === 'stop' ? undefined : needed
      },
      ...(steps.limitsOf ? { limitsOf: steps.limitsOf } : {}),
    },
    deps,
  )
  if (!next) {
    if (call.firstOutputAt === undefined)
      await settle(call, { outcome: failed.outcome, charges: [], sawOutput: false }, deps)
    throw failed.failure
  }
  const { offer, candidate, request } = next.prepared
  const warnings = [...warningsFor(offer, wanted, call.ownWarnings), ...request.warnings]
  call.attempt = { offer, candidate, dialect: request.dialect, health: next.health, warnings }
  showWarnings(warnings, call.headers)
}

/** undefined: this candidate cannot serve the request. */
function expressed<T>(request: () => T): T | undefined {
  try {
    return request()
  } catch (error) {
    if (error instanceof RequestError) return undefined
    throw error
  }
}

/** The body of a response, as it comes. Throws a Failure where it breaks off. */
export async function* receivedPieces(call: AttemptedCall, reply: UpstreamResponse): AsyncGenerator<Uint8Array> {
  let isComplete = false
  try {
    for (let piece = await reply.read(); piece; piece = await reply.read()) {
      call.upstreamCall.received(piece)
      yield piece
    }
    isComplete = true
  } catch {
    throw failedByBreak(call).failure
  } finally {
    if (!isComplete) reply.cancel()
  }
}
