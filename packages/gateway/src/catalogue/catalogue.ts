// The configuration compiled for the hot path: the models of each group with rates and candidates. Built on each (re)load.

import { type CidrList, compileCidrs } from '@trivium/http/addresses/client-address.ts'
import { type SecurityHeaders, securityHeaders } from '@trivium/http/security-headers.ts'
import { MULTIPLIER_ONE } from '../config/sections/groups.ts'
import type {
  FileConfig,
  Group,
  ImageModel,
  MediaModel,
  MediaPrice,
  Model,
  Upstream,
  VideoModel,
} from '../config/types.ts'
import { type ImageRate, imageRate } from '../money/prices/image-price.ts'
import type { AnyPrice } from '../money/prices/price.ts'
import { type TokenRate, tokenRate } from '../money/prices/token-rate.ts'
import { type VideoRate, videoRate } from '../money/prices/video-price.ts'
import { type Tier, tiersOf } from '../upstreams/health/choose.ts'
import { createHealth, type Health } from '../upstreams/health/health.ts'
import { type Candidate, type CostedRoute, candidatesOf } from './candidates.ts'

/** A model as one group can use it. */
export type Offer<P extends AnyPrice = AnyPrice, M extends { id: string } = { id: string }> = {
  model: M
  rate: P
  group: string
  candidates: readonly Candidate<P>[]
  /** The candidates grouped by priority. */
  tiers: readonly Tier<Candidate<P>>[]
  /** Offers to try when every candidate has failed. */
  fallbacks: readonly Offer<P, M>[]
  /** The version of the group's price if the group sets one. */
  priceVersion: string
}
/** One that is priced by tokens. */
export type TextOffer = Offer<TokenRate, Model>
/** One that generates images. */
export type ImageOffer = Offer<ImageRate, ImageModel>
/** One that generates videos. */
export type VideoOffer = Offer<VideoRate, VideoModel>
export type AnyOffer = TextOffer | ImageOffer | VideoOffer
export type { Candidate, ImageCandidate, TextCandidate, VideoCandidate } from './candidates.ts'

export type Catalogue = {
  config: FileConfig
  /** Milliseconds since 1970. */
  loadedAt: number
  /** group -> model -> offer; only priced models with at least one candidate. */
  offers: ReadonlyMap<string, ReadonlyMap<string, TextOffer>>
  /** The same for image models. */
  imageOffers: ReadonlyMap<string, ReadonlyMap<string, ImageOffer>>
  /** The same for video models. */
  videoOffers: ReadonlyMap<string, ReadonlyMap<string, VideoOffer>>
  trustedProxies: CidrList
  /** Security headers of every response. */
  headers: SecurityHeaders
}

/** `health` outlives the configuration: a reload keeps what is known about upstream keys. */
export function compileCatalogue(config: FileConfig, loadedAt: number, health: Health = createHealth()): Catalogue {
  const offers = new Map<string, ReadonlyMap<string, TextOffer>>()
  const imageOffers = new Map<string, ReadonlyMap<string, ImageOffer>>()
  const videoOffers = new Map<string, ReadonlyMap<string, VideoOffer>>()
  const [images, videos] = [mediaModels(config, 'image'), mediaModels(config, 'video')]
  const compiled = { config, health }
  for (const group of config.groups.values()) {
    const text = offersOf([...config.models.values()], tokenRate, (id) => group.prices?.get(id), group, compiled)
    offers.set(group.id, withFallbacks(text))
    imageOffers.set(group.id, offersOf(images, imageRate, ownMediaPrice(group, 'image'), group, compiled))
    videoOffers.set(group.id, offersOf(videos, videoRate, ownMediaPrice(group, 'video'), group, compiled))
  }
  const trustedProxies = compileCidrs(config.server.trustedProxies).cidrs
  return {
    config,
    loadedAt,
    offers,
    imageOffers,
    videoOffers,
    trustedProxies,
    headers: securityHeaders(config.server),
  }
}

/**
 * The offer of a model id in a group. `sandbox-text:cut=3` is the sandbox model with a fault switch: the embedded model
 * interprets the part after the colon.
 */
export const offerOf = ({ offers }: Catalogue, group: string, model: string): TextOffer | undefined =>
  findOffer(offers.get(group), model)

export const imageOfferOf = ({ imageOffers }: Catalogue, group: string, model: string): ImageOffer | undefined =>
  findOffer(imageOffers.get(group), model)

export const videoOfferOf = ({ videoOffers }: Catalogue, group: string, model: string): VideoOffer | undefined =>
  findOffer(videoOffers.get(group), model)

/** In any group. */
export function isImageModel({ config: { models, mediaModels } }: Catalogue, model: string): boolean {
  if (!mediaModels || models.has(model)) return false
  const found = mediaModels.get(model) ?? mediaModels.get(model.split(':', 1)[0] ?? '')
  return found?.type === 'image'
}

function findOffer<O extends { candidates: readonly { upstream: Upstream }[] }>(
  offers: ReadonlyMap<string, O> | undefined,
  model: string,
): O | undefined {
  const offer = offers?.get(model)
  if (offer || !model.includes(':')) return offer
  const base = offers?.get(model.slice(0, model.indexOf(':')))
  return base?.candidates.every(({ upstream }) => upstream.embedded) ? base : undefined
}

export function modelExists(catalogue: Catalogue, model: string): boolean {
  const { models, mediaModels, groups } = catalogue.config
  if ((models.get(model) ?? mediaModels?.get(model))?.price !== undefined) return true
  const find = [offerOf, imageOfferOf, videoOfferOf]
  return [...groups.keys()].some((group) => find.some((each) => each(catalogue, group, model) !== undefined))
}

function mediaModels<T extends MediaModel['type']>({ mediaModels }: FileConfig, type: T) {
  const isOfType = (model: MediaModel): model is Extract<MediaModel, { type: T }> => model.type === type
  return [...(mediaModels?.values() ?? [])].filter(isOfType)
}

type OwnPrice<Price> = { price: Price; priceVersion: string }
type PricedModel<Price> = {
  id: string
  price: Price | undefined
  priceVersion: string
  routes: readonly CostedRoute<Price>[]
}

/** `ownPrice`: the group's. Its multiplier does not apply to a price that it sets itself. */
function offersOf<Price, P extends AnyPrice, M extends PricedModel<Price>>(
  models: readonly M[],
  rateOf: (price: Price, multiplierMillionths: bigint) => P,
  ownPrice: (id: string) => OwnPrice<Price> | undefined,
  group: Group,
  { config, health }: { config: FileConfig; health: Health },
): Map<string, Offer<P, M>> {
  const offers = new Map<string, Offer<P, M>>()
  for (const model of models) {
    const own = ownPrice(model.id)
    const { price, priceVersion } = own ?? model
    if (price === undefined || !groupIncludes(group, model.id)) continue
    const candidates = candidatesOf(model, config, health, (cost) => rateOf(cost, MULTIPLIER_ONE))
    if (candidates.length === 0) continue
    const rate = rateOf(price, own ? MULTIPLIER_ONE : group.multiplierMillionths)
    const tiers = tiersOf(candidates)
    offers.set(model.id, { model, rate, priceVersion, candidates, tiers, group: group.id, fallbacks: [] })
  }
  return offers
}

/** A group that does not include the other model has no such fallback. */
function withFallbacks(offers: Map<string, TextOffer>): Map<string, TextOffer> {
  for (const offer of offers.values())
    offer.fallbacks = (offer.model.fallbacks ?? []).flatMap((id) => offers.get(id) ?? [])
  return offers
}

export const groupIncludes = ({ models }: Group, model: string): boolean =>
  models.includes('*') || models.includes(model)

const ownMediaPrice =
  <T extends MediaPrice['type']>({ mediaPrices }: Group, type: T) =>
  (id: string): OwnPrice<Extract<MediaPrice, { type: T }>> | undefined => {
    const own = mediaPrices?.get(id)
    const isOfType = (price: MediaPrice): price is Extract<MediaPrice, { type: T }> => price.type === type
    return own && isOfType(own.price) ? { price: own.price, priceVersion: own.priceVersion } : undefined
  }
