// What must be known of each type of model. Types that are sold by one unit declare it with their endpoint; the others are beside it.
import { embedding } from '../endpoints/embeddings/modality.ts'
import { image } from '../endpoints/images/modality/index.ts'
import { type ENDPOINTS, endpointOf, MODEL_TYPES, type ModelType } from '../endpoints/index.ts'
import { speech } from '../endpoints/speech/modality/index.ts'
import { text } from '../endpoints/text/modality/index.ts'
import { transcription } from '../endpoints/transcriptions/modality/index.ts'
import { video } from '../endpoints/videos/modality/index.ts'
import type { AnyPrice } from '../money/prices/price.ts'
import { modalityByUnit, type UnitEndpoint, type UnitModality } from './by-unit.ts'
import type { Modality, Model } from './modality.ts'
import type { Figure } from './unit-price.ts'

export { MODEL_TYPES, type ModelType }

const OWN = { text, image, video, embedding, speech, transcription }

type Listed = typeof OWN & {
  [T in Exclude<ModelType, keyof typeof OWN>]: UnitModality<(typeof ENDPOINTS)[T]>
}

/** By the type of models. */
export const MODALITIES = Object.fromEntries(
  MODEL_TYPES.map((type) => {
    const own: Partial<Record<ModelType, Modality>> = OWN
    return [type, own[type] ?? modalityByUnit(endpointOf(type) as UnitEndpoint<Figure, string>)]
  }),
) as Listed

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
