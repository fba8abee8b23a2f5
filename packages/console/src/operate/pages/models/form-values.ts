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
  /** As it stands in the configuration: what the form does not show is kept. */
  written: Written
}

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
  written,
})

/** The fields of a route that the form shows. */
const SHOWN = ['upstream', 'model', 'base_model', 'priority', 'weight', 'cost']

/** Defaults are left out, as people write them. */
export function routeOf({ upstream, model, baseModel, priority, weight, cost, written }: RouteValues): Written {
  const figures = withFigures(written.cost, cost)
  const others = Object.entries(written).filter(([name]) => !SHOWN.includes(name))
  return {
    upstream,
    ...(model.trim() === '' ? {} : { model: model.trim() }),
    ...(baseModel.trim() === '' ? {} : { base_model: baseModel.trim() }),
    ...(priority.trim() === '1' ? {} : { priority: numberOf(priority) }),
    ...(weight.trim() === '1' ? {} : { weight: numberOf(weight) }),
    ...(Object.keys(figures).length === 0 ? {} : { cost: figures }),
    ...Object.fromEntries(others),
  }
}

/** The gateway says what is wrong with what is no number. */
const numberOf = (text: string): unknown => (/^\d+$/.test(text.trim()) ? Number(text) : text.trim())
