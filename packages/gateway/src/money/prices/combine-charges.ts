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

/**
 * Images or other media of one model, each charged by itself: one charge that is rounded once. Units and figures of a charge stand in
 * the same order. Further figures of a unit are named by their number: `images_2`. `multiplierMillionths`: of all of them.
 */
export function combineMediaCharges(charges: readonly Charge[], multiplierMillionths: bigint): Charge {
  const lines = new Map<string, { unit: string; count: number }>()
  const numbers = new Map<string, number>()
  const figures: Members = {}
  for (const charge of charges) {
    const prices = Object.entries(parsed(charge.figures))
    for (const [index, [name, count]] of Object.entries(parsed(charge.units)).entries()) {
      const [figure = '', price] = prices[index] ?? []
      const unit = name.replace(NUMBER, '')
      const line = lines.get(`${unit} ${price}`)
      if (line) line.count += Number(count)
      else {
        const number = (numbers.get(unit) ?? 0) + 1
        numbers.set(unit, number)
        const suffix = number === 1 ? '' : `_${number}`
        lines.set(`${unit} ${price}`, { unit: unit + suffix, count: Number(count) })
        figures[figure.replace(NUMBER, '') + suffix] = price
      }
    }
  }
  const units = Object.fromEntries([...lines.values()].map(({ unit, count }) => [unit, count]))
  const price = {
    version: '',
    multiplier_millionths: String(multiplierMillionths),
    ...figures,
  } as PricedReceipt['price']
  return { cost: recompute({ units, price }), units: members(units, ''), figures: members(figures, '') }
}

/** Numbers the names of every line but the first. */
const NUMBER = /_\d+$/

const parsed = (text: string): Members => JSON.parse(`{${text}}`)

const members = (values: Members, suffix: string): string =>
  JSON.stringify(Object.fromEntries(Object.entries(values).map(([name, value]) => [name + suffix, value]))).slice(1, -1)
