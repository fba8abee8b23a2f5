// The configuration compiled for the hot path: who may call what, at which rate. Built once per (re)load.

import { type CidrList, compileCidrs } from '@trivium/http/addresses/client-address.ts'
import { type SecurityHeaders, securityHeaders } from '@trivium/http/security-headers.ts'
import { MULTIPLIER_ONE } from '../config/sections/groups.ts'
import type { FileConfig, Group, Model, Route, Upstream } from '../config/types.ts'
import type { AnyPrice } from '../money/prices/price.ts'
import { type TokenRate, tokenRate } from '../money/prices/token-rate.ts'
import { type Choosable, type Tier, tiersOf } from '../upstreams/health/choose.ts'
import { createHealth, type Health } from '../upstreams/health/health.ts'

/** A model as one group sees it. */
export type Offer<P extends AnyPrice = AnyPrice, M extends { id: string } = { id: string }> = {
  model: M
  rate: P
  group: string
  candidates: readonly Candidate<P>[]
  /** The same by priority, ready to be chosen from. */
  tiers: readonly Tier<Candidate<P>>[]
  /** What is asked instead when nobody of the candidates answers. */
  fallbacks: readonly Offer<P, M>[]
  /** Of the group's own price where it has one. */
  priceVersion: string
}
/** One that is priced by tokens. */
export type TextOffer = Offer<TokenRate, Model>
/** One way to a model: an upstream with one of its keys. */
export type Candidate<P extends AnyPrice = AnyPrice> = Choosable & {
  upstream: Upstream
  route: Route
  key: string
  /** What the operator pays there; absent: unknown. */
  costRate?: P
}
export type TextCandidate = Candidate<TokenRate>

export type Catalogue = {
  config: FileConfig
  /** Milliseconds since 1970. */
  loadedAt: number
  /** group -> model -> offer; only priced models that have somewhere to go. */
  offers: ReadonlyMap<string, ReadonlyMap<string, TextOffer>>
  trustedProxies: CidrList
  /** Those of every answer. */
  headers: SecurityHeaders
}

/** `health` outlives the configuration: what is known of an upstream's credentials stays known. */
export function compileCatalogue(config: FileConfig, loadedAt: number, health: Health = createHealth()): Catalogue {
  const offers = new Map<string, ReadonlyMap<string, TextOffer>>()
  for (const group of config.groups.values()) offers.set(group.id, offersOf(group, config, health))
  const trustedProxies = compileCidrs(config.server.trustedProxies).cidrs
  return { config, loadedAt, offers, trustedProxies, headers: securityHeaders(config.server) }
}

/**
 * The offer that a model id means for a group. `sandbox-text:cut=3` is the sandbox model with a fault switch: the part
 * after the colon is the embedded model's own business.
 */
export function offerOf(catalogue: Catalogue, group: string, model: string): TextOffer | undefined {
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

function offersOf(group: Group, config: FileConfig, health: Health): Map<string, TextOffer> {
  const offers = new Map<string, TextOffer & { fallbacks: TextOffer[] }>()
  for (const model of config.models.values()) {
    const priced = priceFor(group, model)
    if (!priced || !groupIncludes(group, model.id)) continue
    const candidates = candidatesOf(model, config, health)
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

/** A group's own price is meant as it stands: the group's multiplier does not apply on top of it. */
function priceFor(group: Group, model: Model): { rate: TokenRate; priceVersion: string } | undefined {
  const own = group.prices?.get(model.id)
  if (own) return { rate: tokenRate(own.price, MULTIPLIER_ONE), priceVersion: own.priceVersion }
  const { price, priceVersion } = model
  return price && { rate: tokenRate(price, group.multiplierMillionths), priceVersion }
}

function candidatesOf(model: Model, config: FileConfig, health: Health): TextCandidate[] {
  return model.routes
    .flatMap((route) => {
      const upstream = config.upstreams.get(route.upstream)
      return upstream ? waysOf(upstream, route, health) : []
    })
    .sort((a, b) => a.priority - b.priority)
}

/** The keys of an upstream share its weight. */
function waysOf(upstream: Upstream, route: Route, health: Health): TextCandidate[] {
  const costRate = route.cost && tokenRate(route.cost, MULTIPLIER_ONE)
  const keys = health.keysOf(upstream)
  const weight = route.weight / keys.length
  return keys.map(({ key, health }) => ({
    ...{ upstream, route, key, health, weight, priority: route.priority },
    ...(costRate ? { costRate } : {}),
  }))
}
