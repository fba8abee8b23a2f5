// Prices as they are compared: by what a model generates. Pure.
import type { ModelRow } from '../../api/types.ts'

type Price = ModelRow['prices'][number]['price']
/** A figure of a price, by its name. */
export type Figure = { unit: string; usd: number }

/** The figure by which the gateway compares models of this type. */
export function figureOf({ compared_by }: Pick<ModelRow, 'compared_by'>, price: Price): Figure | undefined {
  const unit = compared_by.find((each) => typeof price[each] === 'string')
  return unit === undefined ? undefined : { unit, usd: Number(price[unit]) }
}

/** The group of keys for which no other was chosen. */
export const DEFAULT_GROUP = 'default'

/** What most keys pay: the price of the usual group, or if it does not offer the model, the lowest one of the reader's other groups. */
export function usualOf(model: ModelRow) {
  const figured = model.prices.map((each) => ({ ...each, figure: figureOf(model, each.price) }))
  const usual = figured.find(({ group }) => group === DEFAULT_GROUP)
  if (usual) return usual
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

/** Prices of different units cannot be compared: those of a unit stay together, in the order of `units`. */
export const comparePrices =
  (units: readonly string[]) =>
  (one: ModelRow, two: ModelRow): number => {
    const [first, second] = [usualOf(one)?.figure, usualOf(two)?.figure]
    if (!first || !second) return Number(!first) - Number(!second)
    return units.indexOf(first.unit) - units.indexOf(second.unit) || first.usd - second.usd
  }

/** The units in which models are priced, in the order in which the gateway lists them. */
export const unitsOf = (models: readonly ModelRow[]): string[] => [
  ...new Set(models.flatMap((model) => model.prices.flatMap(({ price }) => figureOf(model, price)?.unit ?? []))),
]

/** The unit of the filter by price: the chosen one if a model of this type has it, else the usual one of the type. */
export const chosenUnit = (units: readonly string[], chosen: string): string | undefined =>
  units.find((each) => each === chosen) ?? units[0]

/** Undefined: not an amount. */
export const readAmount = (typed: string): number | undefined =>
  /^\d+(\.\d*)?$|^\.\d+$/.test(typed.trim()) ? Number(typed) : undefined

/** Tokens say nothing of images and videos: only models with a context have limits and times in them. */
export const hasTokens = ({ limits }: ModelRow): boolean => 'context' in limits

/** In the reader's language; what has no text there is shown by its name. */
export const labelOf = (texts: Readonly<Record<string, string>>, name: string): string =>
  texts[name] ?? name.replaceAll('_', ' ')
