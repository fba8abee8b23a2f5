// Models `openai/*`: every model of an upstream's vendor that the built-in price list knows, by its name after the slash, at its price
// there. A model that is configured by such a name of its own takes the place of the one from the list.
import { type AnyModel, DEFAULT_TYPE, type ModelType, modalityOf } from '../../modalities/index.ts'
import type { ModelRoute } from '../../modalities/modality.ts'
import type { TokenPrice } from '../../money/prices/token-price.ts'
import { addMistake, type YamlValue } from '../../yaml/document.ts'
import { type Fields, quote } from '../../yaml/fields.ts'
import { priceVersion } from '../price-version.ts'
import { unpricedEdit } from '../routes/read-edits.ts'
import type { Upstream } from '../types.ts'
import { dialectsFor } from '../upstream-dialects.ts'
import type { BuiltIn, KnownModel } from '../upstream-kinds.ts'

const ANY = '/*'
export const isWildcard = (id: string): boolean => id.endsWith(ANY)

/** What a wildcard may have. */
export const WILDCARD_FIELDS: readonly string[] = ['id', 'routes', 'hidden']

export type Wildcard = { fields: Fields; id: string; routes: readonly ModelRoute[]; hidden: boolean }
type Sources = { upstreams: ReadonlyMap<string, Upstream>; priceList: BuiltIn['priceList'] }

/** The models that it stands for. */
export function modelsOf({ fields, id, routes, hidden }: Wildcard, { upstreams, priceList }: Sources): AnyModel[] {
  const value = fields.get('routes')
  const known = routes.flatMap(({ upstream }) => upstreams.get(upstream) ?? [])
  const [first] = known
  if (!value || !first || known.length < routes.length) return []
  const { vendors } = priceList()
  const vendor = vendors.find(({ kind }) => kind === first.kind)
  const other = known.find(({ kind }) => kind !== first.kind)
  if (other) {
    addMistake(value, `${quote(first.id)} and ${quote(other.id)} are of different kinds; a wildcard has routes to one`)
    return []
  }
  if (!vendor) {
    const kinds = vendors.map(({ kind }) => kind).join(', ')
    addMistake(
      value,
      `${quote(first.id)} is of a kind whose models have no public prices; a wildcard needs one of: ${kinds}`,
    )
    return []
  }
  rejectFigures(value, routes)
  const prefix = id.slice(0, -1)
  return vendor.models.flatMap((model) => modelOf(model, prefix, { value, routes, known, hidden }))
}

function rejectFigures(value: YamlValue, routes: readonly ModelRoute[]): void {
  if (routes.some(({ cost, baseModel }) => cost !== undefined || baseModel !== undefined))
    addMistake(value, 'a wildcard has the cost and the rules of each model; remove cost and base_model')
  const named = routes.find(({ model }) => !model.endsWith('*'))
  if (named) addMistake(value, `${quote(named.model)} is one model; write "*" for the name after the slash, or nothing`)
}

type Given = { value: YamlValue; routes: readonly ModelRoute[]; known: readonly Upstream[]; hidden: boolean }

function modelOf({ id: name, type, price, limits }: KnownModel, prefix: string, given: Given): AnyModel[] {
  const { value, known, hidden } = given
  const isServed = known.every((upstream) => upstream.dialect === undefined || dialectsFor(upstream, type).length > 0)
  if (!isServed) return []
  const routes = given.routes.map(({ edits, model, ...route }) => ({
    ...route,
    model: model === `${prefix}*` ? name : model.replace(/\*$/, name),
    cost: price,
    ...(edits && type === DEFAULT_TYPE ? { edits } : {}),
  }))
  for (const { edits } of routes) {
    const lacking = edits && unpricedEdit(edits, price as TokenPrice)
    if (lacking !== undefined) addMistake(value, `${lacking}, which ${name} lacks in the price list`)
  }
  const { noLimits } = modalityOf(type)
  const own = {
    id: prefix + name,
    type,
    routes,
    price,
    priceVersion: versionOf(type, price),
    limits: limits ?? noLimits,
  }
  return [{ ...own, ...(hidden ? { hidden } : {}) } as AnyModel]
}

const versionOf = (type: ModelType, price: unknown): string => priceVersion(type, price as never)
