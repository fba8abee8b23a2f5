import { createHash } from 'node:crypto'
import type { ModelType } from '../modalities/index.ts'
import { canonicalJson } from './hash.ts'

/** Short hash of a price with all its figures. */
export const priceVersion = (type: ModelType, price: unknown): string =>
  createHash('sha256')
    .update(`${type} ${canonicalJson(price)}`)
    .digest('hex')
    .slice(0, 12)
