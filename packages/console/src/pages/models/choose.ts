// Which models are shown, and in which order. Pure.
import type { ModelRow } from '../../api/types.ts'
import { chosenUnit, comparePrices, readAmount, unitsOf, usualOf } from './prices.ts'

/** The filters as the URL has them. `capabilities`: names with commas. `max`: USD in `unit`. */
export const FILTERS = { name: '', type: '', vendor: '', capabilities: '', max: '', unit: '', sort: 'name' }
export type Filters = typeof FILTERS
/** What the reader narrowed down; the order and the search have places of their own. */
export const countFilters = ({ vendor, capabilities, max }: Filters): number =>
  [vendor, capabilities, max].filter((value) => value !== '').length

/** Stands for models whose vendor is not known. */
export const OTHER = 'other'
export const CAPABILITIES = ['images', 'tools', 'reasoning'] as const
export type Capability = (typeof CAPABILITIES)[number]

export const readCapabilities = (capabilities: string): Capability[] =>
  CAPABILITIES.filter((each) => capabilities.split(',').includes(each))

export function chosenModels(models: readonly ModelRow[], filters: Filters): ModelRow[] {
  const { name, type, vendor, capabilities, max, sort } = filters
  const words = name.toLowerCase().split(/\s+/).filter(Boolean)
  const needed = readCapabilities(capabilities)
  const most = readAmount(max)
  const unit = chosenUnit(unitsFor(models, type), filters.unit)
  const found = models.filter(
    (model) =>
      (type === '' || model.type === type) &&
      (vendor === '' || (model.vendor ?? OTHER) === vendor) &&
      needed.every((each) => model.capabilities?.includes(each)) &&
      (most === undefined || costsAtMost(model, most, unit)) &&
      words.every((word) => `${model.id} ${model.vendor ?? ''}`.toLowerCase().includes(word)),
  )
  const order = sort === 'price' ? comparePrices(unitsOf(models)) : ORDERS[sort]
  return found.sort((one, two) => order?.(one, two) || one.id.localeCompare(two.id))
}

/** Units in which models of the type are priced; an empty type stands for all. */
export const unitsFor = (models: readonly ModelRow[], type: string): string[] =>
  unitsOf(models.filter((model) => type === '' || model.type === type))

/** By what most keys pay. A model with a price of another unit does not match. */
const costsAtMost = (model: ModelRow, most: number, unit: string | undefined): boolean => {
  const figure = usualOf(model)?.figure
  return figure !== undefined && figure.unit === unit && figure.usd <= most
}

const ORDERS: Readonly<Record<string, (one: ModelRow, two: ModelRow) => number>> = {
  // Unknown ones are last: the difference of two infinities is no number, and then the name decides.
  speed: (one, two) => (one.median_first_token_ms ?? Infinity) - (two.median_first_token_ms ?? Infinity),
  context: (one, two) => contextOf(two) - contextOf(one),
}

const contextOf = ({ limits }: ModelRow): number => (typeof limits.context === 'number' ? limits.context : 0)

export const vendorsOf = (models: readonly ModelRow[]): string[] =>
  [...new Set(models.map(({ vendor }) => vendor ?? OTHER))].sort((one, two) =>
    one === OTHER ? 1 : two === OTHER ? -1 : one.localeCompare(two),
  )
