// The second phase of a stream: the upstream's events are passed on to the client as they come, within what the hold covers.

import { type Outcome, outcomeOfBreak } from '../../paid-call/outcome.ts'
import type { StreamTiming } from '../../paid-call/writing/stream-timing.ts'
import { type UpstreamCall, unlessAborted } from '../../upstreams/upstream-call.ts'
import { outcomeOfFinish } from '../charge-tokens.ts'
import type { Started } from './before-output.ts'
import type { MeteredStream } from './metered-stream.ts'
import type { StreamClient } from './stream-client.ts'

/** To the end of the upstream's stream, or to that of the hold. */
export async function relay(
  { stream, early }: Started,
  client: StreamClient,
  upstreamCall: UpstreamCall,
  timing: StreamTiming,
): Promise<Outcome> {
  // Taken out one by one: a stream keeps nothing that was sent.
  for (let bytes = early.shift(); bytes; bytes = early.shift()) {
    const written = client.write(bytes)
    if (written) await client.drained(written)
  }
  const { meter, state } = stream
  const isAtLimit = (): boolean => state.outputBytes >= lookAt || client.deliveredBytes !== undefined
  /** Metered output at which the hold is to be extended. */
  let lookAt = stream.budget.nextAt
  let blocked: Promise<unknown> | undefined
  let hasMore = true
  try {
    while (!state.done && !state.error && hasMore) {
      const stopped = isAtLimit() ? await stoppedByHold(stream, client, upstreamCall) : undefined
      if (stopped) return stopped
      lookAt = stream.budget.nextAt
      // Nothing is missing any more but the end of the connection.
      if (meter.isWhole?.()) upstreamCall.endWithin(timing.endWaitMs, 'timeout')
      hasMore = await stream.readWhile(passOn)
      if (blocked) await client.drained(blocked)
      blocked = undefined
    }
  } catch {
    const { reason } = upstreamCall
    if (reason === 'client_disconnected' || reason === 'shutdown') return outcomeOfBreak(upstreamCall)
    // A break behind the last event takes nothing from a response. And reported usage may still be in the translation.
    const isWhole = meter.isWhole?.() === true
    stream.tail = meter.end()
    if (!isWhole) return outcomeOfBreak(upstreamCall)
  }
  return outcomeOfEnd(stream, client)

  /** Called in the turn of the event loop in which the piece arrives. False: something is to be looked at, or waited for. */
  function passOn(piece: Uint8Array): boolean {
    upstreamCall.received(piece)
    blocked = client.write(stream.push(piece))
    if (blocked || stream.hasRest || state.done || state.error) return false
    return !isAtLimit() && !meter.isWhole?.()
  }
}

/** Extends the hold in time. undefined: the next output is covered. */
async function stoppedByHold(
  { budget, state }: MeteredStream,
  client: StreamClient,
  upstreamCall: UpstreamCall,
): Promise<Outcome | undefined> {
  // The hold is not extended for a client that disconnected.
  if (client.deliveredBytes !== undefined)
    return state.outputBytes >= budget.coveredTo ? 'client_disconnected' : undefined
  const extending = budget.mayContinue(state.outputBytes)
  const mayContinue = typeof extending === 'boolean' ? extending : await unlessAborted(upstreamCall, extending)
  if (upstreamCall.reason) return outcomeOfBreak(upstreamCall)
  return mayContinue ? undefined : 'stopped_by_balance'
}

function outcomeOfEnd(stream: MeteredStream, client: StreamClient): Outcome {
  const { meter, state } = stream
  if (state.error) return 'failed'
  stream.tail ??= meter.end()
  // Nothing more comes, so an error that only the end shows is a break within an event.
  const hasFailed = (): boolean => state.error !== undefined
  if (hasFailed() || (!state.finish && !state.done)) return 'cut'
  return client.isGone ? 'client_disconnected' : outcomeOfFinish(state.finish)
}
