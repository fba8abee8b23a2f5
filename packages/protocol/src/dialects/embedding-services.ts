// The dialects whose upstreams can be asked for vectors.

import { embeddingService as chat } from './chat/embeddings/index.ts'
import type { EmbeddingService } from './embedding-service.ts'
import { embeddingService as generateContent } from './generate-content/embeddings/index.ts'
import type { DialectId } from './index.ts'

const SERVICES = { chat, 'generate-content': generateContent } satisfies Partial<Record<DialectId, EmbeddingService>>

export type EmbeddingDialectId = keyof typeof SERVICES
export const EMBEDDING_SERVICES: Readonly<Record<EmbeddingDialectId, EmbeddingService>> = SERVICES
export const EMBEDDING_DIALECT_IDS = Object.keys(SERVICES) as readonly EmbeddingDialectId[]
