// The limits of a well-known model, by its name at an upstream.
import { type ModelType, modalityOf } from '../../modalities/index.ts'
import { baseName } from './base-name.ts'
import { findListed, type PriceList } from './price-list.ts'

/** Undefined: the model is not known, or of another type. */
export function knownLimits(list: PriceList, type: ModelType, model: string): unknown {
  const name = baseName(model)
  const listed = (findListed(list, model) ?? findListed(list, name))?.model
  return listed?.type === type ? listed.limits : modalityOf(type).unlistedLimits?.(name)
}
