// Responses that are stored for repeated requests and are too large for the database.

import type { StreamedBody } from '@trivium/http/response.ts'
import { readFirst, writePieces } from '@trivium/http/write-pieces.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import { BlobMissing, type MediaStore } from './media-store.ts'

export const createLargeResponses = (store: MediaStore) => ({
  async keep(owner: bigint, body: Pieces, keepMs: number): Promise<string> {
    async function* pieces() {
      yield* body
    }
    const { id } = await store.put(pieces(), { owner, contentType: 'application/octet-stream', keepMs })
    return id
  },
  async open(owner: bigint, id: string): Promise<StreamedBody | undefined> {
    const object = await store.find(id)
    if (object?.account !== owner) return undefined
    const pieces = await readFirst(store.read(object)).catch((error: unknown) => {
      if (error instanceof BlobMissing) return undefined
      throw error
    })
    return pieces && { length: object.size, run: (sink) => writePieces(pieces, sink) }
  },
})
