// What the list of models says of one besides its name: prices that this group pays, limits and protocols, by the names of the
// configuration file.
import type { ListedModel } from '@trivium/protocol/dialects/model-list.ts'
import { DEFAULT_TYPE, modalityOf } from '../modalities/index.ts'
import type { AnyOffer } from './catalogue.ts'

/** Where the entries of other models have their type, those of the default one have the vendors' word. */
export function describeModel({
  model,
  rate,
}: AnyOffer): Omit<ListedModel, 'id' | 'created' | 'owner' | 'displayName'> {
  const { type, capabilities = null } = model
  return { ...modalityOf(type).describe(model, rate), ...(type === DEFAULT_TYPE ? {} : { type }), capabilities }
}
