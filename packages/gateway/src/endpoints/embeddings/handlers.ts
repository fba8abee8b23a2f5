// What serves embeddings, in the forms of three vendors.
import type { EmbedMethod } from '@trivium/protocol/dialects/generate-content/embeddings/decode-request.ts'
import { decodeModelId } from '../../access/list-models.ts'
import { cohereEndpoint, EMBEDDINGS, embedContentEndpoint } from '../../embeddings/endpoints.ts'
import { embeddingJourney } from '../../embeddings/journey.ts'
import type { Handler, Handlers } from '../../handler.ts'

const embedContent =
  (method: EmbedMethod): Handler =>
  (incoming, deps, parameter) =>
    embeddingJourney(incoming, embedContentEndpoint(decodeModelId(parameter), method), deps)

export const handlers = {
  embed: (incoming, deps) => embeddingJourney(incoming, cohereEndpoint('1'), deps),
  'embed-v2': (incoming, deps) => embeddingJourney(incoming, cohereEndpoint('2'), deps),
  embeddings: (incoming, deps) => embeddingJourney(incoming, EMBEDDINGS, deps),
  'embed-content': embedContent('embedContent'),
  'batch-embed-contents': embedContent('batchEmbedContents'),
} satisfies Handlers
