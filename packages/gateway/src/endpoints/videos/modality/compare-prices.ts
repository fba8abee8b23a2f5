// How a video price differs from a listed one.

import { compareUnits, type UnitFigures } from '../../../modalities/compare-units.ts'
import { asAmount, namesOf } from '../../../modalities/figures.ts'
import type { PricePair } from '../../../modalities/modality.ts'
import type { Nanos } from '../../../money/amount.ts'
import { ONE } from '../../../money/prices/token-price.ts'
import { type VideoPrice, videoCost } from './price.ts'

export const compareVideoPrices = (yours: VideoPrice | undefined, list: VideoPrice): PricePair[] => [
  ...compareUnits(yours && figuresOf(yours), figuresOf(list)),
  ...namesOf(list.tiers, yours?.tiers).map((name) =>
    pairOf(`tiers.${name}`, (price) => asAmount(price.tiers?.get(name)), yours, list),
  ),
  // Without a multiplier such a video costs as much as others.
  ...(['draft', 'silent'] as const)
    .filter((name) => (yours?.[name] ?? list[name]) !== undefined)
    .map((name) => pairOf(name, (price) => asAmount(price[name] ?? ONE), yours, list)),
  ...namesOf(list.tools, yours?.tools).map((name) =>
    pairOf(`tools.${name}`, (price) => price.tools?.get(name), yours, list),
  ),
]

const pairOf = (
  field: string,
  figureOf: (price: VideoPrice) => Nanos | undefined,
  yours: VideoPrice | undefined,
  list: VideoPrice,
): PricePair => ({ field, yours: yours && figureOf(yours), list: figureOf(list) })

const figuresOf = (price: VideoPrice): UnitFigures => ({
  unit: `per_${price.per}`,
  variants: price.variants,
  figureOf: (variant) => videoCost({ resolution: variant, seconds: 1, tokens: 1_000_000 }, price, ONE),
})
