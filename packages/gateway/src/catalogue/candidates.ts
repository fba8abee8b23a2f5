// The routes of a model as requests choose among them: each upstream with each of its keys.
import type { FileConfig, Route, Upstream } from '../config/types.ts'
import type { ImageRate } from '../money/prices/image-price.ts'
import type { AnyPrice } from '../money/prices/price.ts'
import type { TokenRate } from '../money/prices/token-rate.ts'
import type { VideoRate } from '../money/prices/video-price.ts'
import type { Choosable } from '../upstreams/health/choose.ts'
import type { Health } from '../upstreams/health/health.ts'

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
export type VideoCandidate = Candidate<VideoRate>

export type CostedRoute<Cost> = Omit<Route, 'cost'> & { cost: Cost | undefined }

/** `rateOf`: of what the vendor charges. */
export function candidatesOf<Cost, P extends AnyPrice>(
  { routes }: { routes: readonly CostedRoute<Cost>[] },
  config: FileConfig,
  health: Health,
  rateOf: (cost: Cost) => P,
): Candidate<P>[] {
  return routes
    .filter(({ weight }) => weight > 0)
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
    upstream,
    route,
    key,
    health,
    weight,
    priority: route.priority,
    ...(costRate ? { costRate } : {}),
  }))
}
