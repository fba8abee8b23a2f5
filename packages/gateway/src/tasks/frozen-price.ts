// The price of a task as it was at the submit, in the store: an edit of the configuration never changes a running task.

import type { VideoOffer } from '../access/models/catalogue.ts'
import { type VideoPrice, type VideoUnit, videoRate } from '../money/prices/video-price.ts'

/** Amounts are decimal texts in nano-USD. */
export type FrozenPrice = {
  group: string
  /** The model whose price it is: a fallback's, if that makes the video. */
  model: string
  version: string
  per: VideoUnit
  price: string
  variants: readonly (readonly [resolution: string, price: string])[]
  multiplierMillionths: string
}

export const freezePrice = ({ group, model, rate, priceVersion }: VideoOffer): FrozenPrice => {
  const { per, price, variants } = rate.price
  return {
    ...{ group, model: model.id, version: priceVersion, per, price: String(price) },
    variants: [...variants].map(([resolution, figure]) => [resolution, String(figure)] as const),
    multiplierMillionths: String(rate.multiplierMillionths),
  }
}

export function thawPrice(frozen: FrozenPrice) {
  const variants = frozen.variants.map(([resolution, figure]) => [resolution, BigInt(figure)] as const)
  const price: VideoPrice = { type: 'video', per: frozen.per, price: BigInt(frozen.price), variants: new Map(variants) }
  return videoRate(price, BigInt(frozen.multiplierMillionths))
}
