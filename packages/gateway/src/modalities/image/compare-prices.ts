// How an image price differs from a listed one.
import { compareUnits, type UnitFigures } from '../compare-units.ts'
import { isSize } from '../media-quantities.ts'
import type { PricePair } from '../modality.ts'
import { type ImagePrice, imageFigure } from './price.ts'
import { IMAGE_TOKEN_KINDS, IMAGE_TOKEN_NAMES } from './token-price.ts'

export function compareImagePrices(yours: ImagePrice | undefined, list: ImagePrice): PricePair[] {
  const [own, listed] = [yours, list].map((price) => (price && 'tokens' in price ? price.tokens : undefined))
  const tokens = IMAGE_TOKEN_KINDS.filter((kind) => own?.[kind] !== undefined || listed?.[kind] !== undefined)
  return [
    ...tokens.map((kind) => ({ field: IMAGE_TOKEN_NAMES[kind], yours: own?.[kind], list: listed?.[kind] })),
    ...compareUnits(yours && byImage(yours), byImage(list)),
  ]
}

function byImage(price: ImagePrice): UnitFigures | undefined {
  if ('tokens' in price) return undefined
  return {
    unit: 'per_image',
    variants: price.variants,
    figureOf(variant) {
      const [first, second] = variant?.split('/') ?? []
      const [size, quality] = isSize(first ?? '') ? [first, second] : [undefined, first]
      return imageFigure(price, size, quality)
    },
  }
}
