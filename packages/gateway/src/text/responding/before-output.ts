// The first phase of a stream: one upstream after the other is called, until one brings output. The client gets nothing of it
// yet, so a failure can still be a real HTTP status.

import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import { showWarnings } from '../../paid-call/warnings.ts'
import { Failure } from '../../request/failure.ts'
import type { RoutingDependencies } from '../../routing/dependencies.ts'
import type { FailedAttempt } from '../../routing/failed-attempt.ts'
import {
  failedByAbort,
  failedByBreak,
  failedByError,
  failedByOther,
  readOrNothing,
} from '../../routing/upstream-errors.ts'
import type { TextCallDependencies } from '../dependencies.ts'
import { type AnswerNotes, openAnswerNotes } from '../generation.ts'
import { nextAttempt } from '../routing/next-attempt.ts'
import { releaseRequest, type TextCall } from '../text-call.ts'
import { callUpstream } from './call-upstream.ts'
import { MeteredStream } from './metered-stream.ts'
import { openStreamBudget } from './stream-budget.ts'
import type { StreamClient } from './stream-client.ts'

/** So much of what is not output (comments, events of a vendor's own) may come before the first output, and is kept. */
const EARLY_BYTES = 64 * 1024

/** A stream with output, and the client's bytes of it so far. */
export type Started = { stream: MeteredStream; early: Uint8Array[] }

/** Resolves with a failure if no upstream brings output; the call is settled then. */
export async function awaitOutput(
  textCall: TextCall,
  calling: Promise<UpstreamResponse>,
  client: StreamClient,
  deps: TextCallDependencies,
): Promise<Started | Failure> {
  try {
    const started = await firstOutput(textCall, await calling, client, deps)
    releaseRequest(textCall)
    textCall.firstOutputAt = performance.now()
    textCall.attempt.health.answered(deps.ticker.now(), textCall.firstOutputAt)
    deps.latencies.note(textCall.attempt.offer.model.id, textCall.firstOutputAt - textCall.startedAt)
    return started
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    client.isOver = true
    textCall.upstreamCall.cancel()
    textCall.slot.release()
    return error
  }
}

/** Throws a Failure if no upstream brings output; the call is settled then. */
export async function firstOutput(
  textCall: TextCall,
  first: UpstreamResponse,
  client: StreamClient,
  deps: TextCallDependencies,
): Promise<Started> {
  for (let reply = first; ; ) {
    textCall.slot.resize(0)
    let failed: FailedAttempt
    if (isEventStream(reply)) {
      const budget = openStreamBudget(textCall, deps.statistics)
      const stream = new MeteredStream(textCall.attempt.answerer, budget, reply)
      client.watch(stream)
      const read = await readUntilOutput(textCall, stream, deps)
      if (!('failure' in read)) return read
      failed = read
      stream.cancel()
    } else failed = await failedByBody(textCall, reply, deps)
    await nextAttempt(textCall, failed, deps)
    showWarnings(textCall.attempt.warnings, textCall.headers)
    reply = await callUpstream(textCall, deps)
  }
}

export async function readUntilOutput(
  textCall: TextCall,
  stream: MeteredStream,
  deps: RoutingDependencies,
): Promise<Started | FailedAttempt> {
  const { meter, state } = stream
  const notes: AnswerNotes | undefined = textCall.record.generation && openAnswerNotes(textCall.record.generation)
  const early: Uint8Array[] = []
  let earlyBytes = 0
  try {
    while (!state.sawOutput && !state.done && !state.error && earlyBytes < EARLY_BYTES) {
      const piece = await stream.read()
      if (!piece) {
        stream.tail = meter.end()
        break
      }
      textCall.upstreamCall.received(piece)
      notes?.take(piece)
      const bytes = stream.push(piece)
      if (bytes.length > 0) early.push(bytes)
      earlyBytes += bytes.length
    }
  } catch {
    return failedByBreak(textCall)
  }
  const hasBegun = state.sawOutput || state.done || state.finish || earlyBytes >= EARLY_BYTES
  if (!state.error && hasBegun) return { stream, early }
  // What came before the failure is not delivered: the client gets a status instead.
  if (!state.error || stream.tail !== undefined) return failedByBreak(textCall)
  // Usage that is announced at the beginning has no output in it, and is not a bill yet.
  const wasBilled = state.sawOutput || state.usage?.output !== undefined
  return failedByError(textCall, state.error, deps, wasBilled)
}

const MOST_BYTES = 1024 * 1024

function isEventStream(reply: UpstreamResponse): boolean {
  return /^text\/event-stream\b/i.test(reply.header('content-type') ?? '')
}

/** An error in JSON, or a proxy's page. */
async function failedByBody(
  call: TextCall,
  reply: UpstreamResponse,
  deps: RoutingDependencies,
): Promise<FailedAttempt> {
  const bytes = await readOrNothing(reply, MOST_BYTES)
  const { reason } = call.upstreamCall
  if (reason) return failedByAbort(call, reason)
  const read = bytes ? call.attempt.answerer.readReply(bytes) : undefined
  return read && !read.ok
    ? failedByError(call, read.error, deps)
    : failedByOther('The upstream did not answer with a stream.')
}
