// Vectors by Gemini's API.

import { isObject } from '../../../canonical/reading.ts'
import { readCount } from '../../../canonical/usage.ts'
import type { Codec } from '../../../framing/codec.ts'
import type { EmbeddingService } from '../../embedding-service.ts'
import type { DecodedEmbeddings } from '../../shared/embeddings/embedding.ts'
import { errorWithout, jsonIn, orderedVectors, scanVectors } from '../../shared/embeddings/scan-vectors.ts'
import { resourceName } from '../endpoint.ts'
import { decodeError } from '../error.ts'

/** A batch has `embeddings`, a single request `embedding`. */
const NAMES = { lists: ['embeddings', 'embedding'], vector: 'values' }

export const embeddingService: EmbeddingService = {
  /** Always a batch: texts that are not in a list come from this dialect alone. */
  encodeRequest({ inputs, dimensions }, model, _fields, codec) {
    const requests = inputs.map((text) => ({
      model: resourceName(model),
      content: { parts: [{ text }] },
      outputDimensionality: dimensions,
    }))
    return codec.encode(JSON.stringify({ requests }))
  },
  decodeReply(bytes: Uint8Array, codec: Codec): DecodedEmbeddings {
    const scanned = scanVectors(bytes, NAMES, codec)
    if (!scanned || scanned.vectors.length === 0)
      return { ok: false, error: errorWithout(bytes, scanned, codec, decodeError) }
    const usage = jsonIn(bytes, scanned.fields.get('usageMetadata'), codec)
    const count = isObject(usage) ? readCount(usage.promptTokenCount) : undefined
    return {
      ok: true,
      vectors: orderedVectors(bytes, scanned),
      model: undefined,
      tokens: typeof count === 'number' ? count : undefined,
      passed: () => [bytes],
    }
  },
  encodeReply(vectors, { tokens, isSingle }, codec) {
    const before = isSingle ? '{"embedding":{"values":' : '{"embeddings":[{"values":'
    const pieces = vectors.flatMap((vector, index) => [codec.encode(index === 0 ? before : '},{"values":'), vector])
    const usage = JSON.stringify({ promptTokenCount: tokens })
    return [...pieces, codec.encode(`}${isSingle ? '' : ']'},"usageMetadata":${usage}}`)]
  },
}
