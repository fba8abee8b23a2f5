// The price of a task as it was at the submit, in the store: an edit of the configuration never changes a running task.

import type { OfferOf } from '../catalogue/catalogue.ts'
import { type VideoPrice, type VideoUnit, videoRate } from '../endpoints/videos/modality/price.ts'

/** Amounts are decimal texts in nano-USD. */
export type FrozenPrice = {
  group: string
  /** The model whose price it is: a fallback's, if that makes the video. */
  model: string
  version: string
  /** As the receipt names it; earlier versions did not keep it. */
  configuration?: string
  per: VideoUnit
  price: string
  variants: readonly (readonly [resolution: string, price: string])[]
  tiers?: readonly (readonly [tier: string, multiplier: string])[]
  draft?: string
  silent?: string
  tools?: readonly (readonly [tool: string, price: string])[]
  multiplierMillionths: string
}

export const freezePrice = ({ group, model, rate, priceVersion, configuration }: OfferOf<'video'>): FrozenPrice => {
  const { per, price, variants, tiers, draft, silent, tools } = rate.price
  return {
    group,
    model: model.id,
    version: priceVersion,
    configuration,
    per,
    price: String(price),
    variants: frozen(variants),
    ...(tiers ? { tiers: frozen(tiers) } : {}),
    ...(draft === undefined ? {} : { draft: String(draft) }),
    ...(silent === undefined ? {} : { silent: String(silent) }),
    ...(tools ? { tools: frozen(tools) } : {}),
    multiplierMillionths: String(rate.multiplierMillionths),
  }
}

export function thawPrice({ per, price, variants, tiers, draft, silent, tools, multiplierMillionths }: FrozenPrice) {
  const thawedPrice: VideoPrice = {
    per,
    price: BigInt(price),
    variants: thawed(variants),
    ...(tiers ? { tiers: thawed(tiers) } : {}),
    ...(draft === undefined ? {} : { draft: BigInt(draft) }),
    ...(silent === undefined ? {} : { silent: BigInt(silent) }),
    ...(tools ? { tools: thawed(tools) } : {}),
  }
  return videoRate(thawedPrice, BigInt(multiplierMillionths))
}

const frozen = (figures: ReadonlyMap<string, bigint>) =>
  [...figures].map(([name, figure]) => [name, String(figure)] as const)
const thawed = (figures: readonly (readonly [string, string])[]) =>
  new Map(figures.map(([name, figure]) => [name, BigInt(figure)]))
