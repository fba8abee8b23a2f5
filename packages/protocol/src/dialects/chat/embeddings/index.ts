// Vectors by OpenAI's API, which many services have.

import { isObject } from '../../../canonical/reading.ts'
import { readCount } from '../../../canonical/usage.ts'
import type { Codec } from '../../../framing/codec.ts'
import { type Splice, splicedPieces } from '../../../framing/splice.ts'
import type { EmbeddingService } from '../../embedding-service.ts'
import type { DecodedEmbeddings } from '../../shared/embeddings/embedding.ts'
import { errorWithout, jsonIn, orderedVectors, scanVectors } from '../../shared/embeddings/scan-vectors.ts'
import { decodeError } from '../error.ts'

const NAMES = { lists: ['data'], vector: 'embedding' }
const QUOTE = 0x22
const BRACE = 0x7d
const FIGURES = ['prompt_tokens', 'total_tokens'] as const

export const embeddingService: EmbeddingService = {
  encodeRequest({ inputs, isSingle, dimensions }, model, { names }, codec) {
    const input = isSingle ? inputs[0] : inputs
    return codec.encode(JSON.stringify({ model, input, [names.dimensions ?? 'dimensions']: dimensions }))
  },
  decodeReply(bytes: Uint8Array, codec: Codec): DecodedEmbeddings {
    const scanned = scanVectors(bytes, NAMES, codec)
    if (!scanned || scanned.vectors.length === 0)
      return { ok: false, error: errorWithout(bytes, scanned, codec, decodeError) }
    const [model, usagePlace] = [scanned.fields.get('model'), scanned.fields.get('usage')]
    const named = jsonIn(bytes, model, codec)
    const usage = jsonIn(bytes, usagePlace, codec)
    const tokens = tokensIn(usage)
    return {
      ok: true,
      vectors: orderedVectors(bytes, scanned),
      model: typeof named === 'string' ? named : undefined,
      tokens,
      passed(renameTo, counted) {
        const splices: Splice[] = []
        if (renameTo !== undefined && model && bytes[model.start] === QUOTE)
          splices.push({ ...model, bytes: codec.encode(JSON.stringify(renameTo)) })
        const known = isObject(usage) ? usage : {}
        const figure = tokens ?? counted
        // Clients reject a response without either figure, and some services report only one, or none.
        if (figure !== undefined && FIGURES.some((name) => typeof known[name] !== 'number')) {
          const both = JSON.stringify({ ...known, prompt_tokens: figure, total_tokens: figure })
          const end = bytes.lastIndexOf(BRACE)
          splices.push(
            usagePlace
              ? { ...usagePlace, bytes: codec.encode(both) }
              : { start: end, end, bytes: codec.encode(`,"usage":${both}`) },
          )
        }
        if (splices.length === 0) return [bytes]
        splices.sort((one, other) => one.start - other.start)
        return splicedPieces(bytes, splices, codec)
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
  const counts = FIGURES.map((name) => readCount(usage[name]))
  return counts.find((count) => typeof count === 'number')
}
