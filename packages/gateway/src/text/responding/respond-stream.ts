// The streamed response, in three phases: before output, relaying, ending.

import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { HttpResponse, Sink } from '@trivium/http/response.ts'
import { withTimeout } from '@trivium/http/ticker.ts'
import { voidUnsettled } from '../../paid-call/run.ts'
import { setStreamHeaders } from '../../paid-call/stream-headers.ts'
import type { StreamTiming } from '../../paid-call/stream-timing.ts'
import { Failure } from '../../request/failure.ts'
import { formatRequestId } from '../../request/ids.ts'
import type { Settle } from '../settle.ts'
import type { TextCall } from '../text-call.ts'
import { awaitOutput, type Started } from './before-output.ts'
import type { CallDependencies } from './call.ts'
import { endStream } from './end-stream.ts'
import { relay } from './relay.ts'
import { StreamClient } from './stream-client.ts'

export type StreamDependencies = CallDependencies & { streamTiming: StreamTiming }

/** `calling` is the call to the upstream, still under way: a slow one must not leave the client without a sign of life. */
export async function respondStream(
  call: TextCall,
  calling: Promise<UpstreamResponse>,
  settle: Settle,
  deps: StreamDependencies,
): Promise<HttpResponse> {
  const timing = deps.streamTiming
  const client = new StreamClient(call, timing, deps)
  const output = awaitOutput(call, calling, client, deps)
  const first = await withTimeout(deps.ticker, timing.commitAfterMs, output)
  if (first instanceof Failure) throw first
  const { headers, attempt } = call
  setStreamHeaders(headers, attempt.answerer.streamType)

  async function run(sink: Sink): Promise<Uint8Array> {
    try {
      client.open(sink, () => call.attempt.answerer.heartbeat)
      // Without a first byte the client would not even get the headers.
      if (!first) client.write(call.attempt.answerer.heartbeat)
      return await deliver(await output)
    } catch (error) {
      deps.log.error('stream failed', { request: formatRequestId(call.id), error: String(error) })
      await voidUnsettled(call, deps)
      throw error
    } finally {
      call.slot.release()
    }
  }

  /** Gives the last bytes. */
  async function deliver(started: Started | Failure): Promise<Uint8Array> {
    // The 200 was sent already, so the failure can only be the stream's own error event: of a stream that has not begun, since
    // nothing of the response was delivered.
    if (started instanceof Failure) return call.attempt.answerer.openMeter().fail(started.info)
    const outcome = await relay(started, client, call.upstreamCall, timing)
    client.isOver = true
    return await endStream(call, outcome, started.stream, client, settle, deps)
  }

  return { status: 200, headers, body: { run } }
}
