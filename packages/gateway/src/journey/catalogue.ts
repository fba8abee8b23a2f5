// The configuration compiled for the hot path: who may call what, at which rate. Built once per (re)load.
import { MULTIPLIER_ONE } from '../config/groups.ts'
import type { FileConfig, Group, Model, Route, Upstream } from '../config/types.ts'
import { type CidrList, compileCidrs } from '../http/client-address.ts'
import { readyRate } from '../money/hold.ts'
import { type Rate, rateOf } from '../money/price.ts'

/** A model as one group sees it. */
export type Offer = {
  model: Model
  rate: Rate
  group: string
  candidates: readonly Candidate[]
  /** Of the group's own price where it has one. */
  priceVersion: string
  /** What receipts say of a plain rate, in JSON: the same for every request, so it is written once. */
  rateText: string
}
export type Candidate = {
  upstream: Upstream
  route: Route
  /** What the operator pays there; absent: unknown. */
  costRate?: Rate
}

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
  const hasPrice = catalogue.config.models.get(model)?.price !== undefined
  return hasPrice || [...catalogue.offers.keys()].some((group) => offerOf(catalogue, group, model) !== undefined)
}

function offersOf(group: Group, config: FileConfig): Map<string, Offer> {
  const offers = new Map<string, Offer>()
  for (const model of config.models.values()) {
    const priced = priceFor(group, model)
    if (!priced || !includes(group, model.id)) continue
    const candidates = candidatesOf(model, config)
    if (candidates.length === 0) continue
    const { rate, priceVersion } = priced
    offers.set(model.id, { model, ...priced, group: group.id, candidates, rateText: rateText({ priceVersion }, rate) })
  }
  return offers
}

export const includes = ({ models }: Group, model: string): boolean => models.includes('*') || models.includes(model)

/** A group's own price is meant as it stands: the group's multiplier does not apply on top of it. */
function priceFor(group: Group, model: Model): { rate: Rate; priceVersion: string } | undefined {
  const own = group.prices?.get(model.id)
  if (own) return { rate: readyRate(own.price, MULTIPLIER_ONE), priceVersion: own.priceVersion }
  const { price, priceVersion } = model
  return price && { rate: readyRate(price, group.multiplierMillionths), priceVersion }
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
      const costRate = route.cost && rateOf(route.cost, MULTIPLIER_ONE)
      return upstream ? [{ upstream, route, ...(costRate ? { costRate } : {}) }] : []
    })
    .sort((a, b) => a.route.priority - b.route.priority)
}
