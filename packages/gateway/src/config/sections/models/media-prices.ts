// Prices of image and video models, by the type of the model.
import type { MediaPrice } from '../../../money/prices/media-price.ts'
import { canonicalJson } from '../../hash.ts'
import type { YamlValue } from '../../yaml/document.ts'
import { readImagePrice } from './image-prices.ts'
import { versionOf } from './token-prices.ts'
import { readVideoPrice } from './video-prices.ts'

export const readMediaPrice = (type: 'image' | 'video'): ((value: YamlValue) => MediaPrice | undefined) =>
  type === 'image' ? readImagePrice : readVideoPrice

export const mediaPriceVersion = (price: MediaPrice): string => versionOf(`media ${canonicalJson(price)}`)
