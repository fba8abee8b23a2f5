// Prices as they are compared: by what a model generates. Pure.
import type { ModelRow } from '@trivium/gateway/console-api/types.ts'

type Price = ModelRow['prices'][number]['price']
/** Names of figures in a price. */
export type Unit = 'output' | 'per_image' | 'image_output' | 'per_second' | 'per_video' | 'per_million_tokens'

const UNITS_OF: Readonly<Record<ModelRow['type'], readonly Unit[]>> = {
  text: ['output'],
  image: ['per_image', 'image_output'],
  video: ['per_second', 'per_video', 'per_million_tokens'],
}
const UNITS: readonly Unit[] = Object.values(UNITS_OF).flat()

export type Figure = { unit: Unit; usd: number }

export function figureOf(type: ModelRow['type'], price: Price): Figure | undefined {
  const unit = UNITS_OF[type].find((each) => typeof price[each] === 'string')
  return unit && { unit, usd: Number(price[unit]) }
}

/** The lowest price of the reader's groups; the first group's if several pay the same. */
export function lowestOf({ type, prices }: ModelRow) {
  const figured = prices.map((each) => ({ ...each, figure: figureOf(type, each.price) }))
  return figured.reduce<(typeof figured)[number] | undefined>(
    (lowest, each) =>
      lowest === undefined || (each.figure?.unit === lowest.figure?.unit && below(each.figure, lowest.figure))
        ? each
        : lowest,
    undefined,
  )
}

const below = (one: Figure | undefined, two: Figure | undefined): boolean => (one?.usd ?? 0) < (two?.usd ?? 0)

/** Whether some groups pay more than others. */
export const differs = ({ prices }: ModelRow): boolean =>
  new Set(prices.map(({ price }) => JSON.stringify(price))).size > 1

/** Prices of different units cannot be compared: those of a unit stay together. */
export function comparePrices(one: ModelRow, two: ModelRow): number {
  const [first, second] = [lowestOf(one)?.figure, lowestOf(two)?.figure]
  if (!first || !second) return Number(!first) - Number(!second)
  return UNITS.indexOf(first.unit) - UNITS.indexOf(second.unit) || first.usd - second.usd
}

/** The units in which models are priced, those of text first. */
export function unitsOf(models: readonly ModelRow[]): Unit[] {
  const found = new Set(models.flatMap(({ type, prices }) => prices.map(({ price }) => figureOf(type, price)?.unit)))
  return UNITS.filter((unit) => found.has(unit))
}

/** The unit of the filter by price: the chosen one if a model of this type has it, else the usual one of the type. */
export const chosenUnit = (units: readonly Unit[], chosen: string): Unit | undefined =>
  units.find((each) => each === chosen) ?? units[0]

/** Undefined: not an amount. */
export const readAmount = (typed: string): number | undefined =>
  /^\d+(\.\d*)?$|^\.\d+$/.test(typed.trim()) ? Number(typed) : undefined
