// Responses with images, stored for repeated requests: they are too large for the database.

import type { Sink } from '@trivium/http/response.ts'
import { BlobMissing, type MediaStore } from '../media/media-store.ts'
import type { LargeResponses } from '../paid-call/claim.ts'

export const createLargeResponses = (store: MediaStore): LargeResponses => ({
  async keep(owner, body, keepMs) {
    async function* pieces() {
      yield* body
    }
    const { id } = await store.put(pieces(), { owner, contentType: 'application/octet-stream', keepMs })
    return id
  },
  async open(owner, id) {
    const object = await store.find(id)
    if (object?.owner !== owner) return undefined
    // Before the response begins: once it has, a content that is missing could only break it off.
    const pieces = store.read(object)[Symbol.asyncIterator]()
    const first = await pieces.next().catch((error: unknown) => {
      if (error instanceof BlobMissing) return undefined
      throw error
    })
    if (first === undefined || first.done) return undefined
    return { length: object.size, run: (sink) => writeAll(first.value, pieces, sink) }
  },
})

/** The last piece leaves with the end of the response. */
async function writeAll(first: Uint8Array, pieces: AsyncIterator<Uint8Array>, sink: Sink): Promise<Uint8Array> {
  let last = first
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    const blocked = sink.write(last)
    if (blocked) await blocked
    last = next.value
  }
  return last
}
