// How a price differs from a listed one, figure by figure, by the names that the configuration file uses. Pure.
import { type ModelType, modalityOf } from '../../modalities/index.ts'
import type { PricePair } from '../../modalities/modality.ts'
import { formatUsd, type Nanos } from '../../money/amount.ts'

/** `null`: missing, as a tier that is not offered. `percent`: by how much yours is higher. */
export type Difference = { field: string; yours: string | null; list: string | null; percent: number | null }

/** `yours`: a price of the same type, if there is one. */
export function differences(type: ModelType, yours: unknown, list: unknown): Difference[] {
  const pairs = modalityOf(type).comparePrices(yours, list)
  return pairs.filter((pair) => pair.yours !== pair.list).map(described)
}

function described({ field, yours, list }: PricePair): Difference {
  return {
    field,
    yours: yours === undefined ? null : formatUsd(yours),
    list: list === undefined ? null : formatUsd(list),
    percent: yours === undefined || list === undefined ? null : percentAbove(yours, list),
  }
}

/** With one decimal, rounded away from zero, so that no difference shows as 0. Of zero there is no percentage. */
export function percentAbove(yours: Nanos, list: Nanos): number | null {
  if (list === 0n) return null
  const difference = yours - list
  const size = difference < 0n ? -difference : difference
  const tenths = Number((size * 1000n + list - 1n) / list)
  return (difference < 0n ? -tenths : tenths) / 10
}
