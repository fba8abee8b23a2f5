// The endpoints where vectors are asked for.

import { type CohereVersion, decodeCohereRequest } from '@trivium/protocol/dialects/chat/embeddings/cohere.ts'
import { decodeEmbeddingRequest } from '@trivium/protocol/dialects/chat/embeddings/decode-request.ts'
import type { EmbeddingDialectId } from '@trivium/protocol/dialects/embedding-services.ts'
import {
  decodeEmbedContent,
  type EmbedMethod,
} from '@trivium/protocol/dialects/generate-content/embeddings/decode-request.ts'
import type { EmbeddingRequest } from '@trivium/protocol/dialects/shared/embeddings/embedding.ts'
import type { Codec } from '@trivium/protocol/framing/codec.ts'

export type EmbeddingEndpoint = {
  dialect: EmbeddingDialectId
  /** Part of the fingerprint of a repeated request: what decides, beside the body, the response and its form. */
  name: string
  /** The field that has the inputs. */
  inputField: string
  /** Throws RequestError. */
  decode(body: Uint8Array, maxValues: number, codec: Codec): EmbeddingRequest
}

export const EMBEDDINGS: EmbeddingEndpoint = {
  dialect: 'chat',
  name: 'embeddings',
  inputField: 'input',
  decode: (body, maxValues, own) => decodeEmbeddingRequest(body, own, maxValues),
}

/** Cohere's form, in the version of the path. */
export const cohereEndpoint = (version: CohereVersion): EmbeddingEndpoint => ({
  dialect: 'chat',
  name: `embed-${version}`,
  inputField: 'texts',
  decode: (body, maxValues, own) => decodeCohereRequest(body, own, version, maxValues),
})

export const embedContentEndpoint = (model: string, method: EmbedMethod): EmbeddingEndpoint => ({
  dialect: 'generate-content',
  name: `${method} ${model}`,
  inputField: method === 'embedContent' ? 'content' : 'requests',
  decode: (body, maxValues, own) => decodeEmbedContent(body, own, { model, method }, maxValues),
})
