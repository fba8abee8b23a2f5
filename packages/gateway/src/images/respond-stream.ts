// The streamed response: partial and completed images as they come, heartbeats while there is nothing to send. The last
// completed image leaves after settlement; which one that is shows only when the next one is there, or none follows.

import type { HttpResponse, Sink } from '@trivium/http/response.ts'
import { withTimeout } from '@trivium/http/ticker.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import { voidUnsettled } from '../paid-call/run.ts'
import { setStreamHeaders } from '../paid-call/stream-headers.ts'
import type { StreamTiming } from '../paid-call/stream-timing.ts'
import { Failure } from '../request/failure.ts'
import { formatRequestId } from '../request/ids.ts'
import { showWarnings } from './call.ts'
import type { ImageEncoding } from './endpoints/endpoint.ts'
import { generate } from './generate.ts'
import type { ImageCall } from './image-call.ts'
import { present } from './present.ts'
import type { RespondDependencies } from './respond-json.ts'
import { settle, warnIfPartial } from './settle.ts'
import { ImageStreamClient, lengthOf } from './stream-client.ts'

export type StreamDependencies = RespondDependencies & { streamTiming: StreamTiming }

export async function respondStream(
  imageCall: ImageCall,
  encoding: ImageEncoding,
  deps: StreamDependencies,
): Promise<HttpResponse> {
  const client = new ImageStreamClient(imageCall, encoding.heartbeat, deps)
  /** What a repeated request is answered with: completed images alone. */
  const kept: Uint8Array[] = []
  let last: Pieces = []
  let isGenerated = false
  const generating = generate(
    imageCall,
    async (event) => {
      if (event.type === 'partial') return client.write(encoding.partial(event))
      const image = await present(event.image, imageCall, deps)
      const frame = encoding.completed({ ...event, image }, imageCall.usage)
      // Nothing else holds on to an image that has been sent.
      if (imageCall.claim) kept.push(...frame)
      client.keptBytes = lengthOf(imageCall.claim ? kept : frame)
      const previous = last
      last = frame
      await client.write(previous)
    },
    deps,
  )
    .then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof Failure) return error
        throw error
      },
    )
    .finally(() => {
      isGenerated = true
    })
  // Until then an error can still be a real status.
  const early = await withTimeout(
    deps.ticker,
    deps.streamTiming.commitAfterMs,
    Promise.race([generating, client.started]),
  )
  if (early instanceof Failure) throw early
  const { headers } = imageCall
  if (isGenerated) warnIfPartial(imageCall)
  showWarnings(imageCall)
  setStreamHeaders(headers, encoding.streamType)

  async function run(sink: Sink): Promise<Uint8Array> {
    try {
      client.open(sink)
      const failure = await generating
      if (failure && imageCall.delivered.length === 0) {
        await voidUnsettled(imageCall, deps)
        return encoding.error(failure)
      }
      warnIfPartial(imageCall)
      const end = encoding.end()
      await settle(imageCall, [...kept, ...end], deps)
      // What is unsent is weighed apart: a client that does not read keeps no slot.
      imageCall.slot.release()
      kept.length = 0
      await client.writeLast(last)
      return Buffer.concat(end)
    } catch (error) {
      deps.log.error('image stream failed', { request: formatRequestId(imageCall.id), error: String(error) })
      await voidUnsettled(imageCall, deps)
      throw error
    } finally {
      client.close()
    }
  }

  return { status: 200, headers, body: { run } }
}
