// What is earned on each figure of a price, route by route. What is not known is null, never guessed.
import { type AnyModel, modalityOf } from '../../modalities/index.ts'
import type { ModelRoute } from '../../modalities/modality.ts'
import { formatUsd, type Nanos } from '../../money/amount.ts'

export type Margin = { figure: string; price_usd: string; cost_usd: string; margin_percent: string | null }

/** Tiers multiply price and cost alike: their multipliers are no prices. */
const isMultiplier = (field: string): boolean => /^(tiers\.[^.]+|draft|silent)$/.test(field)

/** Every figure that both the price and the cost of the route have. null: one of them is not known. */
export function marginsOf({ type, price }: AnyModel, { cost }: Pick<ModelRoute, 'cost'>): Margin[] | null {
  if (price === undefined || cost === undefined) return null
  return modalityOf(type)
    .comparePrices(price, cost)
    .flatMap(({ field, yours, list: paid }) =>
      yours === undefined || paid === undefined || isMultiplier(field)
        ? []
        : [
            {
              figure: field,
              price_usd: formatUsd(yours),
              cost_usd: formatUsd(paid),
              margin_percent: percentOf(yours - paid, yours),
            },
          ],
    )
}

/** One decimal, rounded down, so that a loss is never shown as none. null: of nothing. */
export function percentOf(part: Nanos, whole: Nanos): string | null {
  if (whole <= 0n) return null
  const tenths = part * 1_000n
  const floor = tenths / whole - (tenths < 0n && tenths % whole !== 0n ? 1n : 0n)
  const [sign, digits] = floor < 0n ? ['-', -floor] : ['', floor]
  return `${sign}${digits / 10n}.${digits % 10n}`
}

/** The lowest margin of a figure on the routes that are tried first: what is earned in the worst case while nothing fails. */
export function lowestMargin(model: AnyModel): string | null {
  const inUse: ModelRoute[] = model.routes.filter(({ weight }) => weight > 0)
  const first = Math.min(...inUse.map(({ priority }) => priority))
  const all = inUse.filter(({ priority }) => priority === first).map((route) => marginsOf(model, route))
  if (all.some((each) => each === null)) return null
  const percents = all.flatMap((each) => (each ?? []).flatMap(({ margin_percent }) => margin_percent ?? []))
  return percents.length === 0 ? null : percents.reduce((one, other) => (Number(one) <= Number(other) ? one : other))
}
