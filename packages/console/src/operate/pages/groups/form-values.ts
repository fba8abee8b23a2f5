// A group as it is edited, and as the API takes it. Pure.
import type { Row } from '../../api/routes.ts'
import { type Figures, figuresOf, withFigures } from '../models/prices/price-values.ts'

export type GroupRow = Row<'groups'>

type Written = Readonly<Record<string, unknown>>

export type GroupValues = {
  id: string
  /** null: all. */
  models: readonly string[] | null
  multiplier: string
  /** By model. */
  prices: Readonly<Record<string, Figures>>
  console: boolean
  accounts: string
}

const NAMES = ['models', 'multiplier', 'prices', 'console', 'accounts'] as const

export const fieldsOf = (group: GroupRow | undefined): Written =>
  Object.fromEntries(NAMES.map((name) => [name, group?.[name] ?? null]))

export function valuesOf(group: GroupRow | undefined): GroupValues {
  const models = (group?.models ?? ['*']) as string[]
  return {
    id: group?.id ?? '',
    models: models.includes('*') ? null : models,
    multiplier: String(group?.multiplier ?? 1),
    prices: Object.fromEntries(
      Object.entries((group?.prices ?? {}) as Written).map(([model, price]) => [model, figuresOf(price)]),
    ),
    console: group?.console === true,
    accounts: ((group?.accounts ?? []) as string[]).join('\n'),
  }
}

export function entryOf({ models, multiplier, prices, console, accounts }: GroupValues, before: Written): Written {
  const written = (before.prices ?? {}) as Written
  const own = Object.entries(prices).map(([model, figures]) => [model, withFigures(written[model], figures)])
  const named = accounts.split(/[\s,]+/).filter((address) => address !== '')
  const isUsual = multiplier.trim() === '1' && before.multiplier === null
  return {
    ...before,
    models: models ?? ['*'],
    multiplier: isUsual ? null : multiplier.trim(),
    prices: own.length === 0 ? null : Object.fromEntries(own),
    console: console || before.console !== null ? console : null,
    accounts: named.length === 0 ? null : named,
  }
}
