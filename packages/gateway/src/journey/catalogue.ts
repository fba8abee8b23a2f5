// The configuration compiled for the hot path: who may call what, at which rate. Built once per (re)load.
import type { FileConfig, Group, Model, Route, Upstream } from '../config/types.ts'
import { type CidrList, compileCidrs } from '../http/client-address.ts'
import type { Rate } from '../money/price.ts'

/** A model as one group sees it. */
export type Offer = {
  model: Model
  rate: Rate
  group: string
  candidates: readonly Candidate[]
  /** What receipts say of the rate, in JSON: the same for every request, so it is written once. */
  rateText: string
}
export type Candidate = { upstream: Upstream; route: Route }

export type Catalogue = {
  config: FileConfig
  /** Milliseconds since 1970. */
  loadedAt: number
  /** group -> model -> offer; only priced models that have somewhere to go. */
  offers: ReadonlyMap<string, ReadonlyMap<string, Offer>>
  trustedProxies: CidrList
}

export function compileCatalogue(config: FileConfig, loadedAt: number): Catalogue {
  const offers = new Map<string, ReadonlyMap<string, Offer>>()
  for (const group of config.groups.values()) offers.set(group.id, offersOf(group, config))
  return { config, loadedAt, offers, trustedProxies: compileCidrs(config.server.trustedProxies).cidrs }
}

/**
 * The offer that a model id means for a group. `sandbox-text:cut=3` is the sandbox model with a fault switch: the part
 * after the colon is the embedded model's own business.
 */
export function offerOf(catalogue: Catalogue, group: string, model: string): Offer | undefined {
  const offers = catalogue.offers.get(group)
  const offer = offers?.get(model)
  if (offer || !model.includes(':')) return offer
  const base = offers?.get(model.slice(0, model.indexOf(':')))
  return base?.candidates.every(({ upstream }) => upstream.kind === 'sandbox') ? base : undefined
}

export function exists(catalogue: Catalogue, model: string): boolean {
  const isPriced = catalogue.config.models.get(model)?.price !== undefined
  return isPriced || [...catalogue.offers.keys()].some((group) => offerOf(catalogue, group, model) !== undefined)
}

function offersOf(group: Group, config: FileConfig): Map<string, Offer> {
  const offers = new Map<string, Offer>()
  for (const model of config.models.values()) {
    if (!model.price || !(group.models.includes('*') || group.models.includes(model.id))) continue
    const candidates = candidatesOf(model, config)
    if (candidates.length === 0) continue
    const rate = { price: model.price, multiplierMillionths: group.multiplierMillionths }
    offers.set(model.id, { model, rate, group: group.id, candidates, rateText: rateText(model, rate) })
  }
  return offers
}

export function rateText({ priceVersion }: Pick<Model, 'priceVersion'>, { price, multiplierMillionths }: Rate): string {
  return JSON.stringify({
    version: priceVersion,
    input: String(price.input),
    cached_input: String(price.cachedInput),
    cache_write: String(price.cacheWrite),
    output: String(price.output),
    multiplier_millionths: String(multiplierMillionths),
  })
}

function candidatesOf(model: Model, config: FileConfig): Candidate[] {
  return model.routes
    .flatMap((route) => {
      const upstream = config.upstreams.get(route.upstream)
      return upstream ? [{ upstream, route }] : []
    })
    .sort((a, b) => a.route.priority - b.route.priority)
}
