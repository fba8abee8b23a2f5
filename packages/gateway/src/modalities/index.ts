// The only list of modalities: everything that can be sold. A new one is a file or a folder here, and a line.
import type { ModelCallKind } from '@trivium/protocol/routes.ts'
import type { AnyPrice } from '../money/prices/price.ts'
import { embedding } from './embedding.ts'
import { image } from './image/index.ts'
import type { Modality, Model } from './modality.ts'
import { moderation } from './moderation.ts'
import { rerank } from './rerank.ts'
import { speech } from './speech/index.ts'
import { text } from './text/index.ts'
import { transcription } from './transcription/index.ts'
import { video } from './video/index.ts'

/** In the order in which models are listed. The routes that call a model name the same kinds. */
export const MODALITIES = {
  text,
  image,
  video,
  embedding,
  speech,
  transcription,
  rerank,
  moderation,
} as const satisfies Record<ModelCallKind, Modality>

type Listed = typeof MODALITIES
/** `type` of a model in the configuration. */
export type ModelType = keyof Listed

export const MODEL_TYPES = Object.keys(MODALITIES) as readonly ModelType[]
/** The type of a model that is configured without one. */
export const DEFAULT_TYPE: ModelType = 'text'

/** For code that handles models of every type. */
export const modalityOf = (type: ModelType): Modality => MODALITIES[type]

type PartsOf<M> =
  M extends Modality<infer Price, infer Limits, infer Rate extends AnyPrice>
    ? { price: Price; limits: Limits; rate: Rate }
    : never
export type PriceOf<T extends ModelType> = PartsOf<Listed[T]>['price']
export type RateOf<T extends ModelType> = PartsOf<Listed[T]>['rate']
export type ModelOf<T extends ModelType> = {
  [K in T]: Model<PartsOf<Listed[K]>['price'], PartsOf<Listed[K]>['limits']> & { type: K }
}[T]
export type AnyModel = ModelOf<ModelType>
/** In which an upstream can be asked. */
export type DialectOf<T extends ModelType> = Listed[T]['dialects'][number]
