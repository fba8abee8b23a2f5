// The streamed response: partial and completed images as they come, heartbeats while there is nothing to send. The last
// completed image leaves after settlement; which one that is shows only when the next one is there, or none follows.

import type { HttpResponse } from '@trivium/http/response.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import { voidUnsettled } from '../paid-call/run.ts'
import { LargeStreamWriter, lengthOf } from '../paid-call/writing/large-stream.ts'
import { writeStream } from '../paid-call/writing/write-stream.ts'
import { Failure } from '../request/failure.ts'
import { chargeImages, warnIfPartial } from './charge-images.ts'
import type { ImageDependencies } from './dependencies.ts'
import type { ImageEncoding } from './endpoints/endpoint.ts'
import { generate } from './generate.ts'
import type { ImageCall } from './image-call.ts'
import { present } from './present.ts'

export function respondStream(
  imageCall: ImageCall,
  encoding: ImageEncoding,
  deps: ImageDependencies,
): Promise<HttpResponse> {
  const client = new LargeStreamWriter(imageCall, deps)
  /** What a repeated request is answered with: completed images alone. */
  const kept: Uint8Array[] = []
  let last: Pieces = []
  const generating = generate(
    imageCall,
    async (event) => {
      if (event.type === 'partial') return client.writeEvent(encoding.partial(event))
      const image = await present(event.image, imageCall, deps)
      const frame = encoding.completed({ ...event, image }, imageCall.own.usage)
      // Nothing else holds on to an image that has been sent.
      if (imageCall.claim) kept.push(...frame)
      client.keptBytes = lengthOf(imageCall.claim ? kept : frame)
      const previous = last
      last = frame
      await client.writeEvent(previous)
    },
    deps,
    async (event) => {
      const frame = encoding.passed?.(event) ?? []
      if (imageCall.claim) kept.push(...frame)
      client.keptBytes = lengthOf(imageCall.claim ? kept : frame)
      const previous = last
      last = event.isEnd ? frame : []
      await client.writeEvent(event.isEnd ? previous : [...previous, ...frame])
    },
  ).then(
    () => warnIfPartial(imageCall),
    (error: unknown) => {
      if (error instanceof Failure) return error
      throw error
    },
  )
  return writeStream(
    imageCall,
    {
      contentType: () => encoding.streamType,
      begun: Promise.race([generating, client.started]),
      async run(sink, hasBegun) {
        client.open(sink, () => encoding.heartbeat, hasBegun)
        const failure = await generating
        if (failure && imageCall.own.hasPassed) {
          // What came is charged, but the client is told that it is not all.
          await chargeImages(imageCall, undefined, deps)
          await client.writeLast(last)
          return encoding.error(failure)
        }
        if (failure) {
          await voidUnsettled(imageCall, deps)
          return encoding.error(failure)
        }
        const end = encoding.end()
        await chargeImages(imageCall, [...kept, ...end], deps)
        // What is unsent is weighed apart: a client that does not read keeps no slot.
        imageCall.slot.release()
        kept.length = 0
        await client.writeLast(last)
        return Buffer.concat(end)
      },
      close: () => client.close(),
    },
    deps,
  )
}
