// A model as it is edited, and as the API takes it. Pure.
import type { Row } from '../../api/routes.ts'
import { type Figures, figuresOf, type ModelType, mainFigures, withFigures } from './prices/price-values.ts'

type Written = Readonly<Record<string, unknown>>

export type RouteValues = {
  /** For the form alone: rows have no other identity. */
  row: number
  upstream: string
  model: string
  priority: string
  weight: string
  cost: Figures
  /** As it stands in the configuration: what the form does not show is kept. */
  written: Written
}
export type ModelValues = {
  id: string
  type: ModelType
  price: Figures
  routes: readonly RouteValues[]
  context: string
  maxOutput: string
  fallbacks: string
}

const asText = (value: unknown): string => (value === null || value === undefined ? '' : String(value))

let rows = 0
export const newRoute = (upstream: string): RouteValues => ({
  row: ++rows,
  upstream,
  model: '',
  priority: '1',
  weight: '1',
  cost: {},
  written: {},
})

export function valuesOf(model: Row<'models'> | undefined, upstream: string): ModelValues {
  if (!model) {
    const price = Object.fromEntries(mainFigures('text', {}).map((path) => [path, '']))
    return { id: '', type: 'text', price, routes: [newRoute(upstream)], context: '', maxOutput: '', fallbacks: '' }
  }
  const limits = (model.limits ?? {}) as Written
  const type = (model.type as ModelType | null) ?? 'text'
  const price = figuresOf(model.price)
  const usual = Object.fromEntries(mainFigures(type, price).map((path) => [path, '']))
  return {
    id: model.id,
    type,
    price: { ...usual, ...price },
    routes: ((model.routes ?? []) as Written[]).map((route) => ({
      row: ++rows,
      upstream: asText(route.upstream),
      model: asText(route.model),
      priority: asText(route.priority ?? 1),
      weight: asText(route.weight ?? 1),
      cost: figuresOf(route.cost),
      written: route,
    })),
    context: asText(limits.context),
    maxOutput: asText(limits.max_output),
    fallbacks: ((model.fallbacks ?? []) as string[]).join(', '),
  }
}

/** The fields of the entry. What the form does not show is taken from `before`. */
export function entryOf(values: ModelValues, before: Written): Written {
  const { type, routes, context, maxOutput, fallbacks } = values
  const price = withFigures(before.price, values.price)
  const names = fallbacks.split(',').flatMap((name) => name.trim() || [])
  const limits = {
    ...((before.limits ?? {}) as Written),
    ...(type === 'text' ? { context: countOf(context), max_output: countOf(maxOutput) } : {}),
  }
  return {
    ...before,
    ...(type === 'text' && before.type === null ? {} : { type }),
    price: Object.keys(price).length === 0 ? null : price,
    routes: routes.map(routeOf),
    limits: Object.values(limits).every((value) => value === null) ? null : limits,
    fallbacks: names.length === 0 ? null : names,
  }
}

/** The fields of a route that the form shows. */
const SHOWN = ['upstream', 'model', 'priority', 'weight', 'cost']

/** Defaults are left out, as people write them. */
function routeOf({ upstream, model, priority, weight, cost, written }: RouteValues): Written {
  const figures = withFigures(written.cost, cost)
  const others = Object.entries(written).filter(([name]) => !SHOWN.includes(name))
  return {
    upstream,
    ...(model.trim() === '' ? {} : { model: model.trim() }),
    ...(priority.trim() === '1' ? {} : { priority: numberOf(priority) }),
    ...(weight.trim() === '1' ? {} : { weight: numberOf(weight) }),
    ...(Object.keys(figures).length === 0 ? {} : { cost: figures }),
    ...Object.fromEntries(others),
  }
}

/** The gateway says what is wrong with what is no number. */
const numberOf = (text: string): unknown => (/^\d+$/.test(text.trim()) ? Number(text) : text.trim())
const countOf = (text: string): unknown => (text.trim() === '' ? null : numberOf(text))
