// One request that calls a model several times: what the calls cost together, in as few lines of the receipt as there are prices.

import type { Charge } from './price.ts'
import { type PricedReceipt, recompute } from './receipt.ts'

export type MultipliedCharge = { charge: Charge; multiplierMillionths: bigint }

type Members = Record<string, unknown>

/**
 * Calls at the same price are added up and rounded once. The members of every further price are named by its number: `input_2`.
 * `multiplierMillionths`: the receipt's.
 */
export function combineCharges(charges: readonly MultipliedCharge[], multiplierMillionths: bigint): Charge[] {
  const byPrice = new Map<string, { units: Record<string, number>; figures: Members; multiplier: bigint }>()
  // The receipt's own multiplier applies to what has no number.
  const isOther = (each: MultipliedCharge) => Number(each.multiplierMillionths !== multiplierMillionths)
  for (const { charge, multiplierMillionths: multiplier } of charges.toSorted((a, b) => isOther(a) - isOther(b))) {
    const price = `${multiplier} ${charge.figures}`
    const same = byPrice.get(price) ?? { units: {}, figures: parsed(charge.figures), multiplier }
    byPrice.set(price, same)
    for (const [name, count] of Object.entries(parsed(charge.units)))
      same.units[name] = (same.units[name] ?? 0) + Number(count)
  }
  return [...byPrice.values()].map(({ units, figures, multiplier }, index) => {
    const suffix = index === 0 ? '' : `_${index + 1}`
    const price = { version: '', multiplier_millionths: String(multiplier), ...figures } as PricedReceipt['price']
    const own = multiplier === multiplierMillionths ? {} : { multiplier_millionths: String(multiplier) }
    return {
      cost: recompute({ units, price }),
      units: members(units, suffix),
      figures: members({ ...figures, ...(index === 0 ? {} : own) }, suffix),
    }
  })
}

const parsed = (text: string): Members => JSON.parse(`{${text}}`)

const members = (values: Members, suffix: string): string =>
  JSON.stringify(Object.fromEntries(Object.entries(values).map(([name, value]) => [name + suffix, value]))).slice(1, -1)
