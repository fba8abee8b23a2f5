// Prices of what is not text. Each kind has a file of its own.
import type { ImagePrice } from './image-price.ts'
import type { VideoPrice } from './video-price.ts'

export type MediaPrice = ImagePrice | VideoPrice
