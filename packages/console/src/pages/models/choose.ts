// Which models are shown, and in which order. Pure.
import type { ModelRow } from '@trivium/gateway/console-api/types.ts'

export type Choice = { name: string; type: string; vendor: string; sort: string }
/** Stands for models whose vendor is not known. */
export const OTHER = 'other'

export function chosenModels(models: readonly ModelRow[], { name, type, vendor, sort }: Choice): ModelRow[] {
  const words = name.toLowerCase().split(/\s+/).filter(Boolean)
  const found = models.filter(
    (model) =>
      (type === '' || model.type === type) &&
      (vendor === '' || (model.vendor ?? OTHER) === vendor) &&
      words.every((word) => `${model.id} ${model.vendor ?? ''}`.toLowerCase().includes(word)),
  )
  return found.sort((one, two) => ORDERS[sort]?.(one, two) || one.id.localeCompare(two.id))
}

const ORDERS: Readonly<Record<string, (one: ModelRow, two: ModelRow) => number>> = {
  price: (one, two) => comparable(one) - comparable(two),
  speed: (one, two) => (one.median_first_token_ms ?? Infinity) - (two.median_first_token_ms ?? Infinity),
}

/** The figure that models of a type are compared by: what they generate. The lowest of the groups. */
function comparable({ prices }: ModelRow): number {
  const figures = prices.map(({ price }) =>
    Number(price.output ?? price.per_image ?? price.per_second ?? price.per_video ?? price.per_million_tokens),
  )
  return Math.min(...figures.filter((figure) => !Number.isNaN(figure)), Number.MAX_VALUE)
}

export const vendorsOf = (models: readonly ModelRow[]): string[] =>
  [...new Set(models.map(({ vendor }) => vendor ?? OTHER))].sort((one, two) =>
    one === OTHER ? 1 : two === OTHER ? -1 : one.localeCompare(two),
  )
