// The streamed response, in three phases: before output, relaying, ending.

import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { HttpResponse } from '@trivium/http/response.ts'
import { type WriteStreamDependencies, writeStream } from '../../paid-call/writing/write-stream.ts'
import { Failure } from '../../request/failure.ts'
import type { Settle } from '../settle.ts'
import type { TextCall } from '../text-call.ts'
import { awaitOutput, type Started } from './before-output.ts'
import type { CallDependencies } from './call.ts'
import { endStream } from './end-stream.ts'
import { relay } from './relay.ts'
import { StreamClient } from './stream-client.ts'

export type StreamDependencies = CallDependencies & WriteStreamDependencies

/** `calling` is the call to the upstream, still under way: a slow one must not leave the client without a sign of life. */
export function respondStream(
  call: TextCall,
  calling: Promise<UpstreamResponse>,
  settle: Settle,
  deps: StreamDependencies,
): Promise<HttpResponse> {
  const client = new StreamClient(call, deps)
  const output = awaitOutput(call, calling, client, deps)

  /** Gives the last bytes. */
  async function deliver(started: Started | Failure): Promise<Uint8Array> {
    // The 200 was sent already, so the failure can only be the stream's own error event: of a stream that has not begun, since
    // nothing of the response was delivered.
    if (started instanceof Failure) return call.attempt.answerer.openMeter().fail(started.info)
    const outcome = await relay(started, client, call.upstreamCall, deps.streamTiming)
    client.isOver = true
    return await endStream(call, outcome, started.stream, client, settle, deps)
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
