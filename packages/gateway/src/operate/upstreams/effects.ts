// What it means for others if an upstream gets no more requests: in numbers, for the dry run.
import type { FileConfig, Upstream } from '../../config/types.ts'
import type { AnyModel } from '../../modalities/index.ts'
import type { Effects, OperationContext } from '../operation.ts'

export const modelsRoutedTo = ({ models }: Pick<FileConfig, 'models'>, upstream: string): AnyModel[] =>
  [...models.values()].filter(({ routes }) => routes.some((route) => route.upstream === upstream))

/** Running requests are those of this node. A model keeps its route if another upstream that is enabled has one. */
export async function effectsOfStopping(context: OperationContext, upstream: Upstream): Promise<Effects> {
  if (!context.dryRun) return {}
  const { config, storage, routing } = context
  const switches = await storage.upstreams.switches()
  const off = new Set(switches.filter(({ state }) => state !== 'enabled').map((each) => each.upstream))
  off.add(upstream.id)
  const lost = modelsRoutedTo(config, upstream.id).filter(({ routes }) =>
    routes.every((route) => off.has(route.upstream)),
  )
  const running = routing?.candidates.upstreamCalls.runningAt(upstream)
  return {
    ...(running === undefined ? {} : { running_requests: running }),
    models_left_without_route: lost.length,
    ...(lost.length === 0 ? {} : { models_without_route: named(lost.map(({ id }) => id)) }),
  }
}

const MOST_NAMED = 10

const named = (ids: readonly string[]): string =>
  ids.length > MOST_NAMED ? `${ids.slice(0, MOST_NAMED).join(', ')}, ...` : ids.join(', ')
