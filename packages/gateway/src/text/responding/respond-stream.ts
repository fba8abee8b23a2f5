// The streamed response, in three phases: before output, relaying, ending.

import type { HttpResponse } from '@trivium/http/response.ts'
import { writeStream } from '../../paid-call/writing/write-stream.ts'
import { Failure } from '../../request/failure.ts'
import { type ChargeTokens, chargeTokens } from '../charge-tokens.ts'
import type { TextCallDependencies } from '../dependencies.ts'
import type { TextCall } from '../text-call.ts'
import { awaitOutput, type Started } from './before-output.ts'
import { callUpstream } from './call-upstream.ts'
import { endStream } from './end-stream.ts'
import { relay } from './relay.ts'
import { StreamClient } from './stream-client.ts'

/** The call to the upstream is not awaited: a slow one must not leave the client without a sign of life. */
export function respondStream(call: TextCall, deps: TextCallDependencies): Promise<HttpResponse> {
  const client = new StreamClient(call, deps)
  const output = awaitOutput(call, callUpstream(call, deps), client, deps)
  const charge: ChargeTokens = (observed, whole, before) => chargeTokens(call, observed, deps, whole, before)

  /** Gives the last bytes. */
  async function deliver(started: Started | Failure): Promise<Uint8Array> {
    // The 200 was sent already, so the failure can only be the stream's own error event: of a stream that has not begun, since
    // nothing of the response was delivered.
    if (started instanceof Failure) return call.attempt.answerer.openMeter().fail(started.info)
    const outcome = await relay(started, client, call.upstreamCall, deps.streamTiming)
    client.isOver = true
    return await endStream(call, outcome, started.stream, client, charge, deps)
  }

  return writeStream(
    call,
    {
      contentType: () => call.attempt.answerer.streamType,
      begun: output,
      async run(sink, hasBegun) {
        client.open(sink, () => call.attempt.answerer.heartbeat, hasBegun)
        return deliver(await output)
      },
    },
    deps,
  )
}
