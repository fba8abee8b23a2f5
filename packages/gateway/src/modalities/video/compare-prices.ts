// How a video price differs from a listed one.
import { ONE } from '../../money/prices/token-price.ts'
import { compareUnits, type UnitFigures } from '../compare-units.ts'
import type { PricePair } from '../modality.ts'
import { type VideoPrice, videoCost } from './price.ts'

export const compareVideoPrices = (yours: VideoPrice | undefined, list: VideoPrice): PricePair[] =>
  compareUnits(yours && figuresOf(yours), figuresOf(list))

const figuresOf = (price: VideoPrice): UnitFigures => ({
  unit: `per_${price.per}`,
  variants: price.variants,
  figureOf: (variant) => videoCost({ resolution: variant, seconds: 1, tokens: 1_000_000 }, price, ONE),
})
