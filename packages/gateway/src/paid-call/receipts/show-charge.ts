// How a charge adds up, and which of its units are tokens, as consoles show them.
import { MODEL_TYPES, modalityOf } from '../../modalities/index.ts'
import type { UsageRow } from '../../storage/storage.ts'
import { chargeLines } from './show-receipt.ts'

/** The costs of the lines and the rounding add up to cost and shortfall. Null without a price. */
export function showCharge(row: UsageRow) {
  const { lines, rounding } = chargeLines(row) ?? {}
  return {
    lines: lines?.map(({ price, cost, ...line }) => ({ ...line, price_usd: price, cost_usd: cost })) ?? null,
    rounding_usd: rounding ?? null,
  }
}

/** Null where nothing was counted. */
export const tokensIn = (units: Readonly<Record<string, number>> | null) => ({
  input_tokens: sumOf(units, INPUT_UNITS),
  output_tokens: sumOf(units, OUTPUT_UNITS),
})

/** Units that are tokens, as receipts name them. */
const unitsOf = (side: 'input' | 'output') => new Set(MODEL_TYPES.flatMap((type) => modalityOf(type).tokens[side]))
const INPUT_UNITS = unitsOf('input')
const OUTPUT_UNITS = unitsOf('output')

function sumOf(units: Readonly<Record<string, number>> | null, names: ReadonlySet<string>): number | null {
  // Units of several calls are numbered: `input_2`.
  const counts = Object.entries(units ?? {}).flatMap(([name, count]) =>
    names.has(name.replace(/_\d+$/, '')) ? [count] : [],
  )
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0)
}
