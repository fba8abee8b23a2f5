// The configuration compiled for the hot path: the models of each group with rates and candidates. Built on each (re)load.

import { type CidrList, compileCidrs } from '@trivium/http/addresses/client-address.ts'
import { type SecurityHeaders, securityHeaders } from '@trivium/http/security-headers.ts'
import { MULTIPLIER_ONE } from '../config/sections/groups.ts'
import type { FileConfig, Group, ImageModel, Model, Route, Upstream } from '../config/types.ts'
import { type ImageRate, imageRate } from '../money/prices/image-price.ts'
import type { AnyPrice } from '../money/prices/price.ts'
import { type TokenRate, tokenRate } from '../money/prices/token-rate.ts'
import { type Choosable, type Tier, tiersOf } from '../upstreams/health/choose.ts'
import { createHealth, type Health } from '../upstreams/health/health.ts'

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
  /** Of the group's price if the group sets one. */
  priceVersion: string
}
/** One that is priced by tokens. */
export type TextOffer = Offer<TokenRate, Model>
/** One that generates images. */
export type ImageOffer = Offer<ImageRate, ImageModel>
/** One route to a model: an upstream with one of its keys. */
export type Candidate<P extends AnyPrice = AnyPrice> = Choosable & {
  upstream: Upstream
  route: Omit<Route, 'cost'>
  key: string
  /** What the vendor charges the operator; absent: unknown. */
  costRate?: P
}
export type TextCandidate = Candidate<TokenRate>
export type ImageCandidate = Candidate<ImageRate>

export type Catalogue = {
  config: FileConfig
  /** Milliseconds since 1970. */
  loadedAt: number
  /** group -> model -> offer; only priced models with at least one candidate. */
  offers: ReadonlyMap<string, ReadonlyMap<string, TextOffer>>
  /** The same for image models. */
  imageOffers: ReadonlyMap<string, ReadonlyMap<string, ImageOffer>>
  trustedProxies: CidrList
  /** Security headers of every response. */
  headers: SecurityHeaders
}

/** `health` outlives the configuration: a reload keeps what is known about upstream keys. */
export function compileCatalogue(config: FileConfig, loadedAt: number, health: Health = createHealth()): Catalogue {
  const offers = new Map<string, ReadonlyMap<string, TextOffer>>()
  const imageOffers = new Map<string, ReadonlyMap<string, ImageOffer>>()
  for (const group of config.groups.values()) {
    offers.set(group.id, offersOf(group, config, health))
    imageOffers.set(group.id, imageOffersOf(group, config, health))
  }
  const trustedProxies = compileCidrs(config.server.trustedProxies).cidrs
  return { config, loadedAt, offers, imageOffers, trustedProxies, headers: securityHeaders(config.server) }
}

/**
 * The offer of a model id in a group. `sandbox-text:cut=3` is the sandbox model with a fault switch: the embedded model
 * interprets the part after the colon.
 */
export const offerOf = ({ offers }: Catalogue, group: string, model: string): TextOffer | undefined =>
  findOffer(offers.get(group), model)

export const imageOfferOf = ({ imageOffers }: Catalogue, group: string, model: string): ImageOffer | undefined =>
  findOffer(imageOffers.get(group), model)

/** Whoever may use it. */
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
  const { models, mediaModels } = catalogue.config
  const media = mediaModels?.get(model)
  if (models.get(model)?.price !== undefined || (media?.type === 'image' && media.price !== undefined)) return true
  const groups = [...catalogue.offers.keys()]
  return groups.some(
    (group) => (offerOf(catalogue, group, model) ?? imageOfferOf(catalogue, group, model)) !== undefined,
  )
}

function offersOf(group: Group, config: FileConfig, health: Health): Map<string, TextOffer> {
  const offers = new Map<string, TextOffer & { fallbacks: TextOffer[] }>()
  for (const model of config.models.values()) {
    const priced = priceFor(group, model)
    if (!priced || !groupIncludes(group, model.id)) continue
    const candidates = candidatesOf(model, config, health, (cost) => tokenRate(cost, MULTIPLIER_ONE))
    if (candidates.length === 0) continue
    offers.set(model.id, { model, ...priced, group: group.id, candidates, tiers: tiersOf(candidates), fallbacks: [] })
  }
  // A group that does not include the other model has no such fallback.
  for (const { model, fallbacks } of offers.values())
    fallbacks.push(...(model.fallbacks ?? []).flatMap((id) => offers.get(id) ?? []))
  return offers
}

export const groupIncludes = ({ models }: Group, model: string): boolean =>
  models.includes('*') || models.includes(model)

/** The group's multiplier does not apply to a price that the group sets itself. */
function priceFor(group: Group, model: Model): { rate: TokenRate; priceVersion: string } | undefined {
  const own = group.prices?.get(model.id)
  if (own) return { rate: tokenRate(own.price, MULTIPLIER_ONE), priceVersion: own.priceVersion }
  const { price, priceVersion } = model
  return price && { rate: tokenRate(price, group.multiplierMillionths), priceVersion }
}

function imageOffersOf(group: Group, config: FileConfig, health: Health): Map<string, ImageOffer> {
  const offers = new Map<string, ImageOffer>()
  for (const model of config.mediaModels?.values() ?? []) {
    if (model.type !== 'image' || !groupIncludes(group, model.id)) continue
    const priced = imagePriceFor(group, model)
    const rateOf = (price: ImageRate['price']) => imageRate(price, MULTIPLIER_ONE)
    const candidates = priced ? candidatesOf(model, config, health, rateOf) : []
    if (!priced || candidates.length === 0) continue
    offers.set(model.id, { model, ...priced, group: group.id, candidates, tiers: tiersOf(candidates), fallbacks: [] })
  }
  return offers
}

function imagePriceFor(group: Group, model: ImageModel): { rate: ImageRate; priceVersion: string } | undefined {
  const own = group.mediaPrices?.get(model.id)
  if (own?.price.type === 'image') return { rate: imageRate(own.price, MULTIPLIER_ONE), priceVersion: own.priceVersion }
  const { price, priceVersion } = model
  return price && { rate: imageRate(price, group.multiplierMillionths), priceVersion }
}

type CostedRoute<Cost> = Omit<Route, 'cost'> & { cost: Cost | undefined }

/** `rateOf`: of what the vendor charges. */
function candidatesOf<Cost, P extends AnyPrice>(
  { routes }: { routes: readonly CostedRoute<Cost>[] },
  config: FileConfig,
  health: Health,
  rateOf: (cost: Cost) => P,
): Candidate<P>[] {
  return routes
    .flatMap((route) => {
      const upstream = config.upstreams.get(route.upstream)
      return upstream ? candidatesFor(upstream, route, health, rateOf) : []
    })
    .sort((a, b) => a.priority - b.priority)
}

/** The weight of a route is divided among the keys of its upstream. */
function candidatesFor<Cost, P extends AnyPrice>(
  upstream: Upstream,
  route: CostedRoute<Cost>,
  health: Health,
  rateOf: (cost: Cost) => P,
): Candidate<P>[] {
  const costRate = route.cost && rateOf(route.cost)
  const keys = health.keysOf(upstream)
  const weight = route.weight / keys.length
  return keys.map(({ key, health }) => ({
    ...{ upstream, route, key, health, weight, priority: route.priority },
    ...(costRate ? { costRate } : {}),
  }))
}
