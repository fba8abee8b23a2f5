// The last phase of a stream: it is settled, and only then its last bytes leave.

import { totalsOf } from '../../money/prices/token-units.ts'
import type { Outcome } from '../../paid-call/outcome.ts'
import {
  cutOff,
  failureOfAbort,
  failureOfUpstream,
  type UpstreamErrorDependencies,
} from '../../routing/upstream-errors.ts'
import type { TextCharge } from '../billing/charge.ts'
import type { Settle } from '../settle.ts'
import type { TextCall } from '../text-call.ts'
import type { MeteredStream } from './metered-stream.ts'
import type { StreamClient } from './stream-client.ts'

/** Resolves with the last bytes. */
export async function endStream(
  call: TextCall,
  outcome: Outcome,
  stream: MeteredStream,
  { deliveredBytes }: Pick<StreamClient, 'deliveredBytes'>,
  settle: Settle,
  deps: UpstreamErrorDependencies,
): Promise<Uint8Array> {
  const { usage, finish, outputBytes, sawOutput, done } = stream.state
  if (done) stream.release(call.upstreamCall)
  else call.upstreamCall.cancel()
  const observed = { outcome, usage, finish, outputBytes, deliveredBytes, sawOutput }
  const charge = await settle(observed)
  return lastBytes(call, outcome, stream, charge, deps)
}

function lastBytes(
  call: TextCall,
  outcome: Outcome,
  { meter, tail }: MeteredStream,
  { tokens }: TextCharge,
  deps: UpstreamErrorDependencies,
): Uint8Array {
  const { error } = meter.state
  if (outcome === 'stopped_by_balance') return meter.stop(totalsOf(tokens))
  if (outcome === 'failed' && error) return meter.fail(failureOfUpstream(call, error, deps).info)
  if (outcome === 'failed' || outcome === 'cut') return meter.fail(cutOff().info)
  if (outcome === 'timeout' || outcome === 'shutdown') return meter.fail(failureOfAbort(outcome).info)
  return tail ?? NO_BYTES
}

const NO_BYTES = new Uint8Array(0)
