// Responses with images, stored for repeated requests: they are too large for the database.

import type { Sink } from '@trivium/http/response.ts'
import type { MediaStore } from '../media/media-store.ts'
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
    return { run: (sink) => writeAll(store.read(object), sink) }
  },
})

/** The last piece leaves with the end of the response. */
async function writeAll(pieces: AsyncIterable<Uint8Array>, sink: Sink): Promise<Uint8Array> {
  let last: Uint8Array = new Uint8Array(0)
  for await (const piece of pieces) {
    const blocked = last.length > 0 ? sink.write(last) : undefined
    if (blocked) await blocked
    last = piece
  }
  return last
}
