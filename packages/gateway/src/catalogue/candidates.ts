// The routes of a model as requests choose among them: each upstream with each of its keys.
import type { FileConfig, Upstream } from '../config/types.ts'
import type { ModelRoute } from '../modalities/modality.ts'
import type { AnyPrice } from '../money/prices/price.ts'
import type { Choosable } from '../upstreams/health/choose.ts'
import type { Health, Switch } from '../upstreams/health/health.ts'
import type { LimitShare } from '../upstreams/limits/limit-share.ts'
import { routeName, upstreamName } from '../upstreams/limits/limits.ts'

/** One route to a model: an upstream with one of its keys. */
export type Candidate<P extends AnyPrice = AnyPrice> = Choosable & {
  upstream: Upstream
  route: Omit<ModelRoute, 'cost'>
  key: string
  upstreamSwitch: Readonly<Switch>
  /** What the vendor charges the operator; absent: unknown. */
  costRate?: P
  /** What this process may use of the limits of the upstream and the route; absent: they have none. */
  limits?: readonly LimitShare[]
}
/** `rateOf`: of what the vendor charges. */
export function candidatesOf(
  { id, routes }: { id: string; routes: readonly ModelRoute[] },
  config: FileConfig,
  health: Health,
  rateOf: (cost: unknown) => AnyPrice,
): Candidate[] {
  return routes
    .filter(({ weight }) => weight > 0)
    .flatMap((route) => {
      const upstream = config.upstreams.get(route.upstream)
      return upstream ? candidatesFor(upstream, id, route, health, rateOf) : []
    })
    .sort((a, b) => a.priority - b.priority)
}

/** The weight of a route is divided among the keys of its upstream. */
function candidatesFor(
  upstream: Upstream,
  model: string,
  route: ModelRoute,
  health: Health,
  rateOf: (cost: unknown) => AnyPrice,
): Candidate[] {
  const costRate = route.cost === undefined ? undefined : rateOf(route.cost)
  const keys = health.keysOf(upstream)
  const weight = route.weight / keys.length
  const upstreamSwitch = health.switchOf(upstream)
  const limits = [
    ...(health.limits.of(upstreamName(upstream.id), upstream.limits) ?? []),
    ...(health.limits.of(routeName(model, route), route.limits) ?? []),
  ]
  return keys.map(({ key, health }) => ({
    upstream,
    route,
    key,
    health,
    upstreamSwitch,
    weight,
    priority: route.priority,
    ...(costRate ? { costRate } : {}),
    ...(limits.length > 0 ? { limits } : {}),
  }))
}
