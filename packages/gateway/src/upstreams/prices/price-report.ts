// Compares the operator's prices with the built-in price list. Pure.
import type { FileConfig } from '../../config/types.ts'
import { type Difference, differences, type Price } from '../../money/prices/price-diff.ts'
import { findListed, type PriceList } from './price-list.ts'

export type ComparedModel = {
  model: string
  upstream_model: string
  vendor: string
  note: string | null
  differences: Difference[]
}

export type PriceReport = {
  date: string
  models: ComparedModel[]
  /** Routes to models that are not in the list. */
  unknown: { model: string; upstream_model: string }[]
  /** Models of the list without a route. */
  unused: { vendor: string; upstream_model: string }[]
}

type OwnRoute = { upstream: string; model: string; cost: Price | undefined }
type OwnModel = { id: string; price: Price | undefined; routes: readonly OwnRoute[] }

export function compareWithList(config: FileConfig, list: PriceList): PriceReport {
  const report: PriceReport = { date: list.date, models: [], unknown: [], unused: [] }
  const used = new Set<object>()
  for (const [model, route] of routesOf(config)) {
    const found = findListed(list, route.model)
    const names = { model: model.id, upstream_model: route.model }
    if (!found) {
      report.unknown.push(names)
      continue
    }
    used.add(found.model)
    const { note = null } = found.model
    const changed = [...differences(model.price, found.model.price), ...costDifferences(route, found.model.price)]
    report.models.push({ ...names, vendor: found.vendor.kind, note, differences: changed })
  }
  for (const { kind, models } of list.vendors) {
    const unused = models.filter((model) => !used.has(model))
    report.unused.push(...unused.map(({ id }) => ({ vendor: kind, upstream_model: id })))
  }
  return report
}

/** Without routes to embedded models, which have no vendor. Routes to the same model at the same cost count once. */
function routesOf({ models, mediaModels, upstreams }: FileConfig): [OwnModel, OwnRoute][] {
  const all: OwnModel[] = [...models.values(), ...(mediaModels?.values() ?? [])]
  return all.flatMap((model) => {
    const real = model.routes.filter(({ upstream }) => !upstreams.get(upstream)?.embedded)
    const isFirst = (route: OwnRoute, index: number): boolean =>
      real.findIndex((other) => other.model === route.model && Bun.deepEquals(other.cost, route.cost)) === index
    return real.filter(isFirst).map((route): [OwnModel, OwnRoute] => [model, route])
  })
}

/** A configured `cost` that differs from the list is out of date. */
function costDifferences({ cost }: OwnRoute, listed: Price): Difference[] {
  if (!cost) return []
  const noted = differences(cost, listed).filter(({ yours }) => yours !== null)
  return noted.map((difference) => ({ ...difference, field: `cost.${difference.field}` }))
}
