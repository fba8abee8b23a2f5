// How a dialect is spoken to services that make vectors of texts.

import type { Codec } from '../framing/codec.ts'
import type { Pieces } from '../framing/splice.ts'
import type { DecodedEmbeddings, EmbeddingRequest, UpstreamFields, Vectors } from './shared/embeddings/embedding.ts'

/** What a reply has besides its vectors, which are lists of numbers or base64 as the caller asked for them. */
export type EncodedReply = {
  /** As the caller named it. */
  model: string
  tokens: number
  isSingle: boolean
}

export type EmbeddingService = {
  /** A request of another dialect. Throws RequestError for what this one cannot express. */
  encodeRequest(request: EmbeddingRequest, model: string, fields: UpstreamFields, codec: Codec): Uint8Array
  decodeReply(bytes: Uint8Array, codec: Codec): DecodedEmbeddings
  encodeReply(vectors: Vectors, reply: EncodedReply, codec: Codec): Pieces
}
