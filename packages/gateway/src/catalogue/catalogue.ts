// The configuration compiled for the hot path: the models of each group with rates and candidates. Built on each (re)load.

import { type CidrList, compileCidrs } from '@trivium/http/addresses/client-address.ts'
import { type SecurityHeaders, securityHeaders } from '@trivium/http/security-headers.ts'
import { MULTIPLIER_ONE } from '../config/sections/groups.ts'
import type { FileConfig, Group } from '../config/types.ts'
import { type AnyModel, type ModelOf, type ModelType, modalityOf, type RateOf } from '../modalities/index.ts'
import type { AnyPrice } from '../money/prices/price.ts'
import { type Tier, tiersOf } from '../upstreams/health/choose.ts'
import { createHealth, type Health } from '../upstreams/health/health.ts'
import { type Candidate, candidatesOf } from './candidates.ts'
import { type Names, namesOf } from './names.ts'

type Sold = { id: string; fallbacks?: readonly string[] }

/** A model as one group can use it. */
export type Offer<P extends AnyPrice = AnyPrice, M extends Sold = Sold> = {
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
  /** Which configuration it is of, as receipts name it: JSON. */
  configuration: string
  /** Some candidate of it, or of its fallbacks, has limits: requests have to be measured before they are routed. */
  isLimited: boolean
}
/** By the type of the model. */
export type OfferOf<T extends ModelType> = { [K in T]: Offer<RateOf<K>, ModelOf<K>> }[T]
export type CandidateOf<T extends ModelType> = Candidate<RateOf<T>>
export type AnyOffer = OfferOf<ModelType>
export type { Candidate } from './candidates.ts'

export type Catalogue = {
  config: FileConfig
  /** Milliseconds since 1970. */
  loadedAt: number
  /** group -> model -> offer; only priced models with at least one candidate. */
  offers: ReadonlyMap<string, ReadonlyMap<string, AnyOffer>>
  names: Names
  trustedProxies: CidrList
  /** Security headers of every response. */
  headers: SecurityHeaders
}

/** `health` outlives the configuration: a reload keeps what is known about upstream keys. */
export function compileCatalogue(
  config: FileConfig,
  loadedAt: number,
  health: Health = createHealth(),
  clock: () => number = Date.now,
): Catalogue {
  const offers = new Map(
    [...config.groups.values()].map((group) => [group.id, withFallbacks(offersOf(group, config, health))]),
  )
  const trustedProxies = compileCidrs(config.server.trustedProxies).cidrs
  const names = namesOf(config.models, clock)
  return { config, loadedAt, offers, names, trustedProxies, headers: securityHeaders(config.server) }
}

/**
 * The offer of a model id in a group. `sandbox-text:cut=3` is the sandbox model with a fault switch: the embedded model
 * interprets the part after the colon.
 */
export function findOffer({ offers, names }: Catalogue, group: string, model: string): AnyOffer | undefined {
  const ofGroup = offers.get(group)
  const own = ofGroup?.get(model)
  if (own && !own.model.retirement) return own
  const id = names.idOf(model)
  const offer = id === undefined ? undefined : ofGroup?.get(id)
  if (offer || !model.includes(':')) return offer
  const base = ofGroup?.get(model.slice(0, model.indexOf(':')))
  return base?.candidates.every(({ upstream }) => upstream.embedded) ? base : undefined
}

/** undefined if the model is of another type, too. */
export function offerOf<T extends ModelType>(
  catalogue: Catalogue,
  group: string,
  model: string,
  type: T,
): OfferOf<T> | undefined {
  const offer = findOffer(catalogue, group, model)
  return offer && isOfType(offer, type) ? offer : undefined
}

export const isOfType = <T extends ModelType>(offer: AnyOffer, type: T): offer is AnyOffer & OfferOf<T> =>
  offer.model.type === type

/** The offers of a group for models of a type. */
export function offersOfType<T extends ModelType>({ offers }: Catalogue, group: string, type: T): OfferOf<T>[] {
  return [...(offers.get(group)?.values() ?? [])].filter((offer) => isOfType(offer, type))
}

/** In any group. `sandbox-image:fault` is an image model, too. */
export const typeOf = ({ config: { models }, names }: Catalogue, model: string): ModelType | undefined =>
  (models.get(names.idOf(model) ?? model) ?? models.get(model.split(':', 1)[0] ?? ''))?.type

export function modelExists(catalogue: Catalogue, model: string): boolean {
  const { models, groups } = catalogue.config
  const id = catalogue.names.idOf(model)
  if (id === undefined) return false
  if (models.get(id)?.price !== undefined) return true
  return [...groups.keys()].some((group) => findOffer(catalogue, group, model) !== undefined)
}

/** A price that the group sets itself is not multiplied. */
function offersOf(group: Group, config: FileConfig, health: Health): Map<string, AnyOffer> {
  const configuration = JSON.stringify({ revision: config.revision, file: config.fileHash })
  const offers = new Map<string, AnyOffer>()
  for (const model of config.models.values()) {
    const own = group.prices?.get(model.id)
    const { price, priceVersion } = own ?? model
    if (price === undefined || !groupIncludes(group, model.id)) continue
    const { rateOf } = modalityOf(model.type)
    const candidates = candidatesOf(model, config, health, (cost) => rateOf(cost, MULTIPLIER_ONE))
    if (candidates.length === 0) continue
    const rate = rateOf(price, own ? MULTIPLIER_ONE : group.multiplierMillionths)
    const offer: Offer<AnyPrice, AnyModel> = {
      model,
      rate,
      priceVersion,
      configuration,
      candidates,
      tiers: tiersOf(candidates),
      group: group.id,
      isLimited: candidates.some(({ limits }) => limits),
      fallbacks: [],
    }
    // Model and rates are of one type.
    offers.set(model.id, offer as AnyOffer)
  }
  return offers
}

/** A group that does not include the other model has no such fallback. */
function withFallbacks(offers: Map<string, AnyOffer>): Map<string, AnyOffer> {
  for (const offer of offers.values() as Iterable<Offer>)
    offer.fallbacks = (offer.model.fallbacks ?? []).flatMap((id) => offers.get(id) ?? [])
  const limited = [...offers.values()].filter((offer: Offer) => offer.fallbacks.some(({ isLimited }) => isLimited))
  for (const offer of limited) offer.isLimited = true
  return offers
}

const groupIncludes = ({ models }: Group, model: string): boolean => models.includes('*') || models.includes(model)
