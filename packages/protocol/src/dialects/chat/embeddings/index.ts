// Vectors by OpenAI's API, which many services have.

import { isObject } from '../../../canonical/reading.ts'
import { readCount } from '../../../canonical/usage.ts'
import type { Codec } from '../../../framing/codec.ts'
import { splicedPieces } from '../../../framing/splice.ts'
import type { EmbeddingService } from '../../embedding-service.ts'
import type { DecodedEmbeddings } from '../../shared/embeddings/embedding.ts'
import { errorWithout, jsonIn, orderedVectors, scanVectors } from '../../shared/embeddings/scan-vectors.ts'
import { decodeError } from '../error.ts'

const NAMES = { lists: ['data'], vector: 'embedding' }
const QUOTE = 0x22

export const embeddingService: EmbeddingService = {
  encodeRequest({ inputs, isSingle, dimensions }, model, { names }, codec) {
    const input = isSingle ? inputs[0] : inputs
    return codec.encode(JSON.stringify({ model, input, [names.dimensions ?? 'dimensions']: dimensions }))
  },
  decodeReply(bytes: Uint8Array, codec: Codec): DecodedEmbeddings {
    const scanned = scanVectors(bytes, NAMES, codec)
    if (!scanned || scanned.vectors.length === 0)
      return { ok: false, error: errorWithout(bytes, scanned, codec, decodeError) }
    const model = scanned.fields.get('model')
    return {
      ok: true,
      vectors: orderedVectors(bytes, scanned),
      tokens: tokensIn(jsonIn(bytes, scanned.fields.get('usage'), codec)),
      passed(renameTo) {
        if (renameTo === undefined || !model || bytes[model.start] !== QUOTE) return [bytes]
        return splicedPieces(bytes, [{ ...model, bytes: codec.encode(JSON.stringify(renameTo)) }], codec)
      },
    }
  },
  encodeReply(vectors, { model, tokens }, codec) {
    const pieces: Uint8Array[] = []
    for (const [index, vector] of vectors.entries()) {
      const before = index === 0 ? '{"object":"list","data":[' : '},'
      pieces.push(codec.encode(`${before}{"object":"embedding","index":${index},"embedding":`), vector)
    }
    const usage = JSON.stringify({ prompt_tokens: tokens, total_tokens: tokens })
    return [...pieces, codec.encode(`}],"model":${JSON.stringify(model)},"usage":${usage}}`)]
  },
}

/** Some services report only the total, which is the same: there is no output. */
function tokensIn(usage: unknown): number | undefined {
  if (!isObject(usage)) return undefined
  const counts = [usage.prompt_tokens, usage.total_tokens].map(readCount)
  return counts.find((count) => typeof count === 'number')
}
