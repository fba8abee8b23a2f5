// The routes of a model as they are edited, and as the API takes them. Pure.
import { type Figures, figuresOf, withFigures } from './prices/price-values.ts'

type Written = Readonly<Record<string, unknown>>

export type RouteValues = {
  /** For the form alone: rows have no other identity. */
  row: number
  upstream: string
  model: string
  baseModel: string
  priority: string
  weight: string
  cost: Figures
  limits: LimitValues
  /** As it stands in the configuration: what the form does not show is kept. */
  written: Written
}

/** In the words of the configuration. */
export const LIMITS = ['rpm', 'tpm', 'usd_per_day', 'concurrent'] as const
export type LimitValues = Readonly<Record<(typeof LIMITS)[number], string>>

const asText = (value: unknown): string => (value === null || value === undefined ? '' : String(value))

let rows = 0

export const routeValues = (written: Written): RouteValues => ({
  row: ++rows,
  upstream: asText(written.upstream),
  model: asText(written.model),
  baseModel: asText(written.base_model),
  priority: asText(written.priority ?? 1),
  weight: asText(written.weight ?? 1),
  cost: figuresOf(written.cost),
  limits: limitsIn(written.limits as Written | undefined),
  written,
})

const limitsIn = (limits: Written | undefined) =>
  Object.fromEntries(LIMITS.map((limit) => [limit, asText(limits?.[limit])])) as LimitValues

/** The fields of a route that the form shows. */
const SHOWN = ['upstream', 'model', 'base_model', 'priority', 'weight', 'cost', 'limits']

/** Defaults are left out, as people write them. */
export function routeOf(route: RouteValues): Written {
  const { upstream, model, baseModel, priority, weight, cost, limits, written } = route
  const figures = withFigures(written.cost, cost)
  const limited = LIMITS.flatMap((limit) =>
    limits[limit].trim() === '' ? [] : [[limit, amountOf(limit, limits[limit])]],
  )
  const others = Object.entries(written).filter(([name]) => !SHOWN.includes(name))
  return {
    upstream,
    ...(model.trim() === '' ? {} : { model: model.trim() }),
    ...(baseModel.trim() === '' ? {} : { base_model: baseModel.trim() }),
    ...(priority.trim() === '1' ? {} : { priority: numberOf(priority) }),
    ...(weight.trim() === '1' ? {} : { weight: numberOf(weight) }),
    ...(Object.keys(figures).length === 0 ? {} : { cost: figures }),
    ...(limited.length === 0 ? {} : { limits: Object.fromEntries(limited) }),
    ...Object.fromEntries(others),
  }
}

/** Money stays text. */
const amountOf = (limit: string, text: string): unknown => (limit === 'usd_per_day' ? text.trim() : numberOf(text))

/** The gateway says what is wrong with what is no number. */
const numberOf = (text: string): unknown => (/^\d+$/.test(text.trim()) ? Number(text) : text.trim())
