// The only list of what can be sold, by the type of its models and in the order in which models are listed.
import { embeddings } from './embeddings/index.ts'
import type { Endpoint } from './endpoint.ts'
import { images } from './images/index.ts'
import { moderations } from './moderations/index.ts'
import { rerank } from './rerank/index.ts'
import { speech } from './speech/index.ts'
import { text } from './text/index.ts'
import { transcriptions } from './transcriptions/index.ts'
import { videos } from './videos/index.ts'

export const ENDPOINTS = {
  text,
  image: images,
  video: videos,
  embedding: embeddings,
  speech,
  transcription: transcriptions,
  rerank,
  moderation: moderations,
} as const satisfies Record<string, Endpoint>

type Listed = typeof ENDPOINTS
/** `type` of a model in the configuration. */
export type ModelType = keyof Listed

export const MODEL_TYPES = Object.keys(ENDPOINTS) as readonly ModelType[]

export const endpointOf = (type: ModelType): Endpoint => ENDPOINTS[type]

export type ServiceId = {
  [T in ModelType]: Listed[T] extends { services: infer S } ? keyof S : never
}[ModelType]

/** Below the base URL, as OpenAI has them; rerank, as those have it that serve it. */
export const SERVICE_PATHS: Readonly<Record<ServiceId, string>> = Object.assign(
  {},
  ...MODEL_TYPES.map((type) => endpointOf(type).services),
)
export const SERVICE_IDS = Object.keys(SERVICE_PATHS) as readonly ServiceId[]
