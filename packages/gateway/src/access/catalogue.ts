// The configuration compiled for the hot path: who may call what, at which rate. Built once per (re)load.

import { type CidrList, compileCidrs } from '@trivium/http/addresses/client-address.ts'
import { type SecurityHeaders, securityHeaders } from '@trivium/http/security-headers.ts'
import { MULTIPLIER_ONE } from '../config/sections/groups.ts'
import type { FileConfig, Group, Model, Route, Upstream } from '../config/types.ts'
import { readyRate } from '../money/prices/token-bound.ts'
import { type Rate, rateOf } from '../money/prices/token-price.ts'
import { type Choosable, type Tier, tiersOf } from '../upstreams/health/choose.ts'
import { createHealth, type Health } from '../upstreams/health/health.ts'

/** A model as one group sees it. */
export type Offer = {
  model: Model
  rate: Rate
  group: string
  candidates: readonly Candidate[]
  /** The same by priority, ready to be chosen from. */
  tiers: readonly Tier<Candidate>[]
  /** What is asked instead when nobody of the candidates answers. */
  fallbacks: readonly Offer[]
  /** Of the group's own price where it has one. */
  priceVersion: string
  /** What receipts say of a plain rate, in JSON: the same for every request, so it is written once. */
  rateText: string
}
/** One way to a model: an upstream with one of its keys. */
export type Candidate = Choosable & {
  upstream: Upstream
  route: Route
  key: string
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
  /** Those of every answer. */
  headers: SecurityHeaders
}

/** `health` outlives the configuration: what is known of an upstream's credentials stays known. */
export function compileCatalogue(config: FileConfig, loadedAt: number, health: Health = createHealth()): Catalogue {
  const offers = new Map<string, ReadonlyMap<string, Offer>>()
  for (const group of config.groups.values()) offers.set(group.id, offersOf(group, config, health))
  const trustedProxies = compileCidrs(config.server.trustedProxies).cidrs
  return { config, loadedAt, offers, trustedProxies, headers: securityHeaders(config.server) }
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
  return base?.candidates.every(({ upstream }) => upstream.embedded) ? base : undefined
}

export function modelExists(catalogue: Catalogue, model: string): boolean {
  const hasPrice = catalogue.config.models.get(model)?.price !== undefined
  return hasPrice || [...catalogue.offers.keys()].some((group) => offerOf(catalogue, group, model) !== undefined)
}

function offersOf(group: Group, config: FileConfig, health: Health): Map<string, Offer> {
  const offers = new Map<string, Offer & { fallbacks: Offer[] }>()
  for (const model of config.models.values()) {
    const priced = priceFor(group, model)
    if (!priced || !groupIncludes(group, model.id)) continue
    const candidates = candidatesOf(model, config, health)
    if (candidates.length === 0) continue
    const { rate, priceVersion } = priced
    offers.set(model.id, {
      ...{ model, ...priced, group: group.id, candidates, tiers: tiersOf(candidates), fallbacks: [] },
      rateText: rateText({ priceVersion }, rate),
    })
  }
  // A group that does not include the other model has no such fallback.
  for (const { model, fallbacks } of offers.values())
    fallbacks.push(...(model.fallbacks ?? []).flatMap((id) => offers.get(id) ?? []))
  return offers
}

export const groupIncludes = ({ models }: Group, model: string): boolean =>
  models.includes('*') || models.includes(model)

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

function candidatesOf(model: Model, config: FileConfig, health: Health): Candidate[] {
  return model.routes
    .flatMap((route) => {
      const upstream = config.upstreams.get(route.upstream)
      return upstream ? waysOf(upstream, route, health) : []
    })
    .sort((a, b) => a.priority - b.priority)
}

/** The keys of an upstream share its weight. */
function waysOf(upstream: Upstream, route: Route, health: Health): Candidate[] {
  const costRate = route.cost && rateOf(route.cost, MULTIPLIER_ONE)
  const keys = health.keysOf(upstream)
  const weight = route.weight / keys.length
  return keys.map(({ key, health }) => ({
    ...{ upstream, route, key, health, weight, priority: route.priority },
    ...(costRate ? { costRate } : {}),
  }))
}
