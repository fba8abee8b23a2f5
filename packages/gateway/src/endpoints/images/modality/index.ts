// Models that generate images, priced by the image or by the token.
import type { ImageLimits } from '@trivium/protocol/canonical/image.ts'
import { IMAGE_DIALECT_IDS, type ImageDialectId } from '@trivium/protocol/dialects/image-services.ts'
import { compareUnits, type UnitFigures } from '../../../modalities/compare-units.ts'
import { fromFirstRoute } from '../../../modalities/known-limits.ts'
import { isSize } from '../../../modalities/media-quantities.ts'
import type { Modality, PricePair } from '../../../modalities/modality.ts'
import { TOKEN_UNITS, usageOf } from '../../../modalities/preview.ts'
import { NANOS_PER_USD } from '../../../money/amount.ts'
import { describeImageModel } from './describe.ts'
import { type ImagePrice, type ImageRate, imageFigure, imageRate } from './price.ts'
import { readImageLimits } from './read-limits.ts'
import { readImagePrice } from './read-price.ts'
import { IMAGE_TOKEN_KINDS, IMAGE_TOKEN_NAMES, usageOfUnits } from './token-price.ts'

export const image: Modality<ImagePrice, ImageLimits, ImageRate, ImageDialectId> = {
  generates: 'images',
  endpoints:
    'Use POST /v1/images/generations or POST /v1/images/edits, or generateContent with IMAGE in responseModalities.',
  dialects: IMAGE_DIALECT_IDS,
  /** Images to edit. */
  capabilities: ['images'],
  readPrice: readImagePrice,
  readLimits: readImageLimits,
  noLimits: {},
  withKnownLimits: fromFirstRoute((known, written) => {
    const { sizes, sizeRange, ...others } = known
    const hasSizes = written.sizes !== undefined || written.sizeRange !== undefined
    return { ...(hasSizes ? others : known), ...written }
  }),
  rateOf: imageRate,
  comparePrices: compareImagePrices,
  comparedBy: ['per_image', 'image_output'],
  tokens: {
    input: ['image_prompt_tokens', 'image_cached_tokens', 'image_input_tokens'],
    output: ['image_text_tokens', 'image_output_tokens'],
  },
  describe: describeImageModel,
  previewedUnits: ['images', 'size', 'quality', ...TOKEN_UNITS],
  preview(rate, units) {
    const { images = 1, size, quality } = units
    const made = Array.from({ length: images }, () => ({ size, quality }))
    // Without tokens a price by the token charges what such images take at least, as without a report.
    const hasTokens = TOKEN_UNITS.some((unit) => units[unit] !== undefined)
    return rate.cost({ images: made, requested: images, usage: hasTokens ? usageOf(units) : undefined })
  },
  reprice(rate, { units }) {
    const { price } = rate
    if (!('perImage' in price)) {
      const usage = usageOfUnits(units)
      return usage && rate.cost({ images: [], requested: 1, usage })?.cost
    }
    // Receipts do not say which size and quality an image had.
    if (price.variants.size > 0 || !Object.keys(units).every((name) => /^images(_\d+)?$/.test(name))) return undefined
    const count = Object.values(units).reduce((sum, each) => sum + each, 0)
    const images = Array.from({ length: count }, () => ({ size: undefined, quality: undefined }))
    return rate.cost({ images, requested: count })?.cost
  },
  sandbox: {
    id: 'sandbox-image',
    price: { perImage: NANOS_PER_USD / 25n, variants: new Map() },
    limits: { sizeRange: { least: 64, most: 2048 }, qualities: ['low', 'medium', 'high'], n: 10 },
    limitsRoutes: true,
  },
}

function compareImagePrices(yours: ImagePrice | undefined, list: ImagePrice): PricePair[] {
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
