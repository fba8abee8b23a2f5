// What is used of every limit of a configuration, as far as this process knows.
import type { FileConfig, RequestLimits } from '../../config/types.ts'
import type { LimitKind } from '../../storage/storage.ts'
import { type Limits, routeName, upstreamName } from './limits.ts'

/** `model`: whose route it is; empty: it is of the upstream. `until`: when a limit that is reached has room again. */
export type LimitReport = {
  upstream: string
  model: string
  kind: LimitKind
  limit: number
  used: number
  until: number | undefined
}

export function reportLimits(
  { upstreams, models }: Pick<FileConfig, 'upstreams' | 'models'>,
  limits: Limits,
  now: number,
): LimitReport[] {
  const reportOf = (name: string, own: RequestLimits, upstream: string, model: string) =>
    limits
      .find(name)
      .filter(({ kind }) => own[kind] !== undefined)
      .map((share) => ({ upstream, model, ...share.report(now) }))
  const ofUpstreams = [...upstreams.values()].flatMap(({ id, limits: own }) =>
    own ? reportOf(upstreamName(id), own, id, '') : [],
  )
  const ofRoutes = [...models.values()].flatMap(({ id, routes }) =>
    routes.flatMap((route) => (route.limits ? reportOf(routeName(id, route), route.limits, route.upstream, id) : [])),
  )
  return [...ofUpstreams, ...ofRoutes]
}
