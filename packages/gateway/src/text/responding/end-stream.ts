// The last phase of a stream: it is settled, and only then its last bytes leave.

import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { totalsOf } from '../../money/prices/token-units.ts'
import { endAttempt } from '../../observe/upstream-attempt.ts'
import type { Outcome } from '../../paid-call/outcome.ts'
import type { Failure } from '../../request/failure.ts'
import type { RoutingDependencies } from '../../routing/dependencies.ts'
import { cutOff, failureOfAbort, failureOfUpstream, wordsWithin } from '../../routing/upstream-errors.ts'
import type { TextCharge } from '../billing/charge.ts'
import type { ChargeTokens } from '../charge-tokens.ts'
import type { TextCallDependencies } from '../dependencies.ts'
import { keepReasoning } from '../reasoning/keep-reasoning.ts'
import type { TextCall } from '../text-call.ts'
import type { MeteredStream } from './metered-stream.ts'
import type { StreamClient } from './stream-client.ts'

/** Resolves with the last bytes. */
export async function endStream(
  call: TextCall,
  outcome: Outcome,
  stream: MeteredStream,
  { deliveredBytes }: Pick<StreamClient, 'deliveredBytes'>,
  charge: ChargeTokens,
  deps: RoutingDependencies & TextCallDependencies,
): Promise<Uint8Array> {
  const { usage, finish, outputBytes, sawOutput, done } = stream.state
  if (done) stream.release(call.upstreamCall)
  else call.upstreamCall.cancel()
  const observed = { outcome, usage, finish, outputBytes, deliveredBytes, sawOutput }
  const { error } = stream.meter.state
  const failure = failureOfOutcome(call, outcome, error, deps)
  if (failure) endAttempt(call.record, failure.info.code, failure.info.message, error && wordsWithin(call, error))
  const isStopped = outcome === 'stopped_by_balance'
  let tail = failure || isStopped ? undefined : await kept(call, stream.tail)
  const keeping = failure ? undefined : keepReasoning(call, deps)
  // The last event of a stream that was stopped says what is charged.
  const keepStopped = async ({ tokens }: Pick<TextCharge, 'tokens'>) => {
    tail = await kept(call, stream.meter.stop(totalsOf(tokens)))
  }
  await (isStopped ? charge(observed, undefined, keepStopped) : charge(observed))
  await keeping
  return failure ? stream.meter.fail(failure.info) : (tail ?? NO_BYTES)
}

/** Before the settlement: a response that was paid for can be continued. */
const kept = async (
  { own: { keepResponse } }: TextCall,
  last: Uint8Array | undefined,
): Promise<Uint8Array | undefined> => (last && keepResponse ? keepResponse(last) : last)

/** The failure of a stream with output. undefined: it did not fail. */
export function failureOfOutcome(
  call: TextCall,
  outcome: Outcome,
  error: ErrorInfo | undefined,
  deps: RoutingDependencies,
): Failure | undefined {
  if (outcome === 'failed' && error) return failureOfUpstream(call, error, deps)
  if (outcome === 'failed' || outcome === 'cut') return cutOff()
  if (outcome === 'timeout' || outcome === 'shutdown') return failureOfAbort(outcome)
  return undefined
}

const NO_BYTES = new Uint8Array(0)
