// Compares the operator's prices with the built-in price list. Pure.
import type { FileConfig } from '../../config/types.ts'
import type { AnyModel } from '../../modalities/index.ts'
import { baseModelOf, type ModelRoute } from '../../modalities/modality.ts'
import { type Difference, differences } from './price-diff.ts'
import { findListed, type ListedModel, type PriceList } from './price-list.ts'

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

export function compareWithList(config: FileConfig, list: PriceList): PriceReport {
  const report: PriceReport = { date: list.date, models: [], unknown: [], unused: [] }
  const used = new Set<object>()
  for (const [model, route] of routesOf(config)) {
    const found = findListed(list, baseModelOf(route))
    const names = { model: model.id, upstream_model: route.model }
    if (!found) {
      report.unknown.push(names)
      continue
    }
    used.add(found.model)
    const { note = null } = found.model
    const changed = differencesOf(model, route, found.model)
    report.models.push({ ...names, vendor: found.vendor.kind, note, differences: changed })
  }
  for (const { kind, models } of list.vendors) {
    const unused = models.filter((model) => !used.has(model))
    report.unused.push(...unused.map(({ id }) => ({ vendor: kind, upstream_model: id })))
  }
  return report
}

/** Without routes to embedded models, which have no vendor. Routes to the same model at the same cost count once. */
function routesOf({ models, upstreams }: FileConfig): [AnyModel, ModelRoute][] {
  return [...models.values()].flatMap((model) => {
    const real: ModelRoute[] = model.routes.filter(({ upstream }) => !upstreams.get(upstream)?.embedded)
    const isFirst = (route: ModelRoute, index: number): boolean =>
      real.findIndex((other) => baseModelOf(other) === baseModelOf(route) && Bun.deepEquals(other.cost, route.cost)) ===
      index
    return real.filter(isFirst).map((route): [AnyModel, ModelRoute] => [model, route])
  })
}

/** Prices of another type have nothing to compare. A configured `cost` that differs from the list is out of date. */
function differencesOf({ type, price }: AnyModel, { cost }: ModelRoute, listed: ListedModel): Difference[] {
  const isSame = type === listed.type
  const ofPrice = differences(listed.type, isSame ? price : undefined, listed.price)
  const ofCost = cost === undefined || !isSame ? [] : differences(listed.type, cost, listed.price)
  const noted = ofCost.filter(({ yours }) => yours !== null)
  return [...ofPrice, ...noted.map((difference) => ({ ...difference, field: `cost.${difference.field}` }))]
}
