// How a price by the unit differs from a listed one: the unit itself, and each variant that one of them names.
import type { Nanos } from '../money/amount.ts'
import { namesOf } from './figures.ts'
import type { PricePair } from './modality.ts'

/** `unit`: its name in the file, such as `per_image`. `figureOf`: what one costs, by the rules that a charge follows. */
export type UnitFigures = {
  unit: string
  variants: ReadonlyMap<string, unknown>
  figureOf(variant: string | undefined): Nanos | undefined
}

/** undefined: the price is by something else. */
export function compareUnits(yours: UnitFigures | undefined, list: UnitFigures | undefined): PricePair[] {
  const units = new Set([list, yours].flatMap((price) => price?.unit ?? []))
  const variants = namesOf(list?.variants, yours?.variants)
  return [...units].flatMap((unit) => {
    const [own, listed] = [yours, list].map((price) => (price?.unit === unit ? price : undefined))
    const pair = (field: string, variant: string | undefined): PricePair => ({
      field,
      yours: own?.figureOf(variant),
      list: listed?.figureOf(variant),
    })
    return [pair(unit, undefined), ...variants.map((variant) => pair(`${unit}.variants.${variant}`, variant))]
  })
}
