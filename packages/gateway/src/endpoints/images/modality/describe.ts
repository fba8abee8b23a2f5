// What lists say of an image model, by the names of the configuration file.
import type { ImageLimits, SizeRange } from '@trivium/protocol/canonical/image.ts'
import { shownFigures } from '../../../modalities/figures.ts'
import type { Description, Model } from '../../../modalities/modality.ts'
import type { ImagePrice, ImageRate } from './price.ts'
import { IMAGE_TOKEN_KINDS, IMAGE_TOKEN_NAMES } from './token-price.ts'

/** The third protocol asks for images by `responseModalities`. */
const PROTOCOLS = ['images', 'generate-content'] as const

export function describeImageModel(
  { limits: { sizes, sizeRange, qualities, n } }: Model<ImagePrice, ImageLimits>,
  { price, multiplierMillionths }: ImageRate,
): Description {
  return {
    price: imagePrice(price, multiplierMillionths),
    limits: {
      sizes: sizeRange ? describeRange(sizeRange) : (sizes ?? null),
      qualities: qualities ?? null,
      n: n ?? null,
    },
    protocols: PROTOCOLS,
  }
}

const describeRange = ({ least, most, multipleOf, maxRatio, minPixels, maxPixels }: SizeRange) => ({
  min: least,
  max: most,
  ...(multipleOf === undefined ? {} : { multiple_of: multipleOf }),
  ...(maxRatio === undefined ? {} : { max_ratio: maxRatio }),
  ...(minPixels === undefined ? {} : { min_pixels: minPixels }),
  ...(maxPixels === undefined ? {} : { max_pixels: maxPixels }),
})

function imagePrice(price: ImagePrice, multiplierMillionths: bigint) {
  if ('tokens' in price) {
    const figures = IMAGE_TOKEN_KINDS.map((kind) => [IMAGE_TOKEN_NAMES[kind], price.tokens[kind]] as const)
    return shownFigures(figures, multiplierMillionths)
  }
  const variants = shownFigures([...price.variants], multiplierMillionths)
  return { ...shownFigures([['per_image', price.perImage]], multiplierMillionths), variants }
}
