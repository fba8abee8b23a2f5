// Token prices that are valid and probably unintended.
import { formatUsd, NANOS_PER_USD, type Nanos } from '../../../money/amount.ts'
import { type Figures, KIND_NAMES, KINDS } from '../../../money/prices/token-kinds.ts'
import { ONE, type TokenPrice } from '../../../money/prices/token-price.ts'

/** No vendor charges less than a tenth of a cent per million tokens: a lower price is probably meant per token. */
const LEAST_PER_MILLION: Nanos = NANOS_PER_USD / 1_000n
const MILLION = 1_000_000n

export function oddPrice(price: TokenPrice): string | undefined {
  const [lowest] = tablesOf(price).flatMap(tooLow)
  if (!lowest) return undefined
  const { name, nanos } = lowest
  const [written, meant] = [formatUsd(nanos), formatUsd(nanos * MILLION)]
  return `looks like USD per token, and prices are USD per million tokens: ${name} is ${written}; ${meant} would be the same per million`
}

function tablesOf({ longContext = [], tiers, ...figures }: TokenPrice): Figures[] {
  const ofTiers = [...(tiers?.values() ?? [])].flatMap((tier) =>
    'figures' in tier ? [tier.figures, ...tier.longContext.map((each) => each.figures)] : [],
  )
  return [figures, ...longContext.map((each) => each.figures), ...ofTiers]
}

const tooLow = (figures: Figures) =>
  KINDS.flatMap((kind) => {
    const nanos = figures[kind]
    return nanos !== undefined && nanos > 0n && nanos < LEAST_PER_MILLION ? [{ name: KIND_NAMES[kind], nanos }] : []
  })

export function belowCost(price: TokenPrice, multiplierMillionths: bigint, cost: TokenPrice): string | undefined {
  const [first] = KINDS.flatMap((kind) => {
    const [sold, bought] = [price[kind], cost[kind]]
    if (sold === undefined || bought === undefined) return []
    const charged = (sold * multiplierMillionths) / ONE
    return charged < bought
      ? [`${KIND_NAMES[kind]} is ${formatUsd(charged)} and costs ${formatUsd(bought)} per million tokens`]
      : []
  })
  return first
}
