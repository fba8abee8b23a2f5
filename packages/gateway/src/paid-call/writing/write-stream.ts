// The streamed response of a paid call: it begins with its first output, and its last bytes leave after the settlement.

import type { HttpResponse, Sink } from '@trivium/http/response.ts'
import { withTimeout } from '@trivium/http/ticker.ts'
import { Failure } from '../../request/failure.ts'
import { formatRequestId } from '../../request/ids.ts'
import type { PaidCallDependencies, PaidRequest } from '../paid-request.ts'
import { voidUnsettled } from '../run.ts'
import { showWarnings } from '../warnings.ts'
import { setStreamHeaders } from './stream-headers.ts'

export type StreamWork = {
  /** Asked for when the response begins. */
  contentType(): string
  /** Resolves with anything when there is something to send, or with the Failure of a call that has nothing. */
  begun: Promise<unknown>
  /**
   * Writes the stream, settles it and gives its last bytes. `hasBegun` is false if nothing came in time: the client needs a
   * sign of life then, since it would not even get the headers.
   */
  run(sink: Sink, hasBegun: boolean): Promise<Uint8Array>
  /** Whatever became of it. */
  close?(): void
}

export async function writeStream(
  call: PaidRequest,
  { contentType, begun, run, close }: StreamWork,
  deps: PaidCallDependencies,
): Promise<HttpResponse> {
  // Until then an error can still be a real status.
  const first = await withTimeout(deps.ticker, deps.streamTiming.commitAfterMs, begun.then(wrapped))
  if (first?.value instanceof Failure) throw first.value
  const { headers } = call
  showWarnings(call.attempt.warnings, headers)
  setStreamHeaders(headers, contentType())

  async function write(sink: Sink): Promise<Uint8Array> {
    try {
      return await run(sink, first !== undefined)
    } catch (error) {
      deps.log.error('stream failed', { request: formatRequestId(call.id), error: String(error) })
      await voidUnsettled(call, deps)
      throw error
    } finally {
      close?.()
      call.slot.release()
    }
  }

  return { status: 200, headers, body: { run: write } }
}

/** What has come in time may be undefined. */
const wrapped = (value: unknown) => ({ value })
