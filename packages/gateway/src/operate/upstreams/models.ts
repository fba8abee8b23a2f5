// Which models an upstream lists, compared with those that are configured here: what could be added, and what is gone.
import type { FileConfig } from '../../config/types.ts'
import { fields } from '../../request/schema/schema.ts'
import { listUpstreamModels } from '../../upstreams/diagnostics/list-models.ts'
import { findAtUpstream } from '../../upstreams/prices/cloud-prices.ts'
import { builtInPriceList, type PriceList } from '../../upstreams/prices/price-list.ts'
import { operation } from '../operation.ts'
import { described, UNKNOWN } from '../previews/price-proposals.ts'
import { rejected } from '../rejections.ts'
import { UPSTREAM_MODELS } from '../resources/upstreams.ts'
import { configuredUpstream, UPSTREAM_ID } from './configured.ts'
import { limitCalls } from './limit-calls.ts'
import { ownSend } from './test.ts'

/** The key is used, so that a vendor's answer depends on it; nothing is changed, and nothing is billed. */
export const discoverModels = operation({
  name: 'upstream models',
  permission: 'configuration',
  route: {
    at: 'GET upstreams/{upstream}/models',
    summary: 'Compares the models that an upstream lists with those that are configured',
    output: UPSTREAM_MODELS,
  },
  input: fields({ upstream: UPSTREAM_ID }),
  run: async ({ actor, config, routing, clouds }, { upstream: id }) => {
    const upstream = configuredUpstream(config, id)
    const send = routing?.send ?? ownSend(clouds)
    const listed = await limitCalls(actor, () => listUpstreamModels(send, upstream))
    if ('problem' in listed) {
      const { status, problem } = listed
      if (status === 404 || status === 405) throw rejected('no_model_list', { upstream: id, kind: upstream.kind })
      throw rejected('upstream_failed', { upstream: id, problem })
    }
    const names = new Set(listed.models)
    const routed = routedTo(config, id)
    const prices = builtInPriceList()
    const shown = (model: string) => ({ model, ids: routed.get(model) ?? [] })
    return {
      upstream: id,
      kind: upstream.kind,
      is_complete: listed.isComplete,
      configured: [...routed.keys()].filter((model) => names.has(model)).map(shown),
      unconfigured: [...names]
        .filter((model) => !routed.has(model))
        .map((name) => offered({ name, base: listed.baseModels.get(name), baseUrl: upstream.baseUrl }, prices)),
      unlisted: [...routed.keys()].filter((model) => !names.has(model)).map(shown),
    }
  },
})

export type DiscoveredModels = Awaited<ReturnType<typeof discoverModels.run>>

/** The ids here of each model of the upstream that has a route. */
function routedTo({ models }: FileConfig, upstream: string): Map<string, string[]> {
  const routed = new Map<string, string[]>()
  for (const { id, routes } of models.values())
    for (const route of routes)
      if (route.upstream === upstream) routed.set(route.model, [...new Set([...(routed.get(route.model) ?? []), id])])
  return routed
}

/** With what the built-in list knows of it; nothing is guessed. */
function offered(asked: Parameters<typeof findAtUpstream>[1], prices: PriceList) {
  const found = findAtUpstream(prices, asked)
  const known = found?.model
  const { price, limits } = found ? described(found) : UNKNOWN
  const { name: model, base: base_model = null } = asked
  return { model, base_model, type: known?.type ?? null, note: known?.note ?? null, price, limits }
}
