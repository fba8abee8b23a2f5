// A response of bytes, such as audio, which is passed on while it is made. Nothing can be said in it but the bytes
// themselves: what fails before the first of them is a status, what fails later ends the connection.

import type { HttpResponse, Sink } from '@trivium/http/response.ts'
import { readFirst, writePieces } from '@trivium/http/write-pieces.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import { Failure } from '../../request/failure.ts'
import { formatRequestId } from '../../request/ids.ts'
import { unlessAborted } from '../../upstreams/upstream-call.ts'
import { type Outcome, outcomeOfBreak } from '../outcome.ts'
import type { PaidCallDependencies, PaidRequest } from '../paid-request.ts'
import { voidUnsettled } from '../run.ts'
import { showWarnings } from '../warnings.ts'
import { setStreamHeaders } from './stream-headers.ts'

/** What of the response is known at its end. */
export type WrittenBytes = {
  outcome: Outcome
  /** Bytes from the upstream, the last ones included. */
  bytes: number
  /** What a repeated request is answered with. undefined: nothing, or it was too large to keep. */
  body: Pieces | undefined
}

export type ByteResponse = {
  contentType: string
  /** Throws where it breaks off. Its owner ends it when the call is aborted. */
  pieces: AsyncIterable<Uint8Array>
  /** Charges what was made. The last bytes leave when it resolves. */
  settle(written: WrittenBytes): Promise<unknown>
}

/** Throws Failure, or what `pieces` throws, if there is not a single byte. */
export async function writeBytes(
  call: PaidRequest,
  { contentType, pieces, settle }: ByteResponse,
  deps: PaidCallDependencies,
): Promise<HttpResponse> {
  const begun = await readFirst(pieces)
  if (!begun) throw new Failure('upstream_error', 'The upstream sent an empty response.')
  call.firstOutputAt ??= performance.now()
  const { headers, client, upstreamCall, slot } = call
  showWarnings(call.attempt.warnings, headers)
  setStreamHeaders(headers, contentType)
  let bytes = 0
  let kept: Uint8Array[] | undefined = call.claim && []

  async function* metered(from: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of from) {
      bytes += piece.length
      // Without memory for it a response is not stored; it is delivered all the same.
      if (kept && !slot.grow(piece.length)) kept = undefined
      kept?.push(piece)
      yield piece
    }
  }

  const run = async (sink: Sink): Promise<Uint8Array> => {
    try {
      const drained = (blocked: Promise<unknown>) => unlessAborted(upstreamCall, blocked)
      const last = await writePieces(metered(begun), sink, { drained })
      await settle({ outcome: client.isDisconnected ? 'client_disconnected' : 'completed', bytes, body: kept })
      return last
    } catch (error) {
      // A client that disconnected is no failure of the gateway.
      if (!upstreamCall.reason)
        deps.log.error('stream failed', { request: formatRequestId(call.id), error: String(error) })
      if (!call.isSettled) await settle({ outcome: outcomeOfBreak(upstreamCall), bytes, body: undefined })
      await voidUnsettled(call, deps)
      throw error
    } finally {
      slot.release()
    }
  }

  return { status: 200, headers, body: { run } }
}
