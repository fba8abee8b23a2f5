// A body that is put together while it is sent: bytes, and contents that are read from disk. Nothing of it is in memory before.

import type { StreamedUpload } from '../upstreams/send.ts'

export type UploadPart = Uint8Array | { length: number; open(): AsyncIterable<Uint8Array> }

export const streamedUpload = (parts: readonly UploadPart[]): StreamedUpload => ({
  length: parts.reduce((sum, { length }) => sum + length, 0),
  open: () => streamOf(bytesOf(parts)),
})

async function* bytesOf(parts: readonly UploadPart[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Uint8Array) yield part
    else yield* part.open()
  }
}

function streamOf(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => void pieces.return(undefined),
  })
}
