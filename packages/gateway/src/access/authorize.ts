// Authorization: the key's group determines the available models and their prices; the key may restrict the models further.

import { type Catalogue, findOffer, isOfType, modelExists, type OfferOf } from '../catalogue/catalogue.ts'
import { type ModelType, modalityOf } from '../modalities/index.ts'
import { Failure } from '../request/failure.ts'
import type { Caller } from '../storage/storage.ts'

/** `type`: what the request is for. undefined: whatever the model generates. */
export function authorize<T extends ModelType>(
  caller: Caller,
  model: string,
  type: T | undefined,
  catalogue: Catalogue,
): OfferOf<T> {
  const offer = findOffer(catalogue, caller.group, model)
  // Callers that may not use a model do not learn what it generates.
  if (!offer) return rejectModel(caller, model, catalogue)
  // A key for an id that was replaced since is one for what replaces it.
  if (!keyAllowsModel(caller, offer.model.id) && !keyAllowsModel(caller, model)) {
    const message = `Key ${caller.key} does not allow the model '${model}'.`
    throw new Failure('model_not_allowed', message, { param: 'model' })
  }
  if (type === undefined || isOfType(offer, type)) return offer as OfferOf<T>
  const { generates, endpoints } = modalityOf(offer.model.type)
  throw new Failure('bad_request', `The model '${model}' generates ${generates}. ${endpoints}`, { param: 'model' })
}

export function keyAllowsModel({ restrictions: { models } }: Caller, model: string): boolean {
  return models === undefined || models.includes(model)
}

function rejectModel(caller: Caller, model: string, catalogue: Catalogue): never {
  if (!catalogue.config.groups.has(caller.group)) {
    const message = `This key's group '${caller.group}' no longer exists, so the key cannot use any model. Ask the operator of this gateway for another key.`
    throw new Failure('model_not_allowed', message)
  }
  if (!modelExists(catalogue, model)) {
    const retired = catalogue.names.retiredOn(model)
    const why = retired === undefined ? 'does not exist' : `was retired on ${retired}`
    const message = `The model '${model}' ${why}. GET /v1/models lists the available models.`
    throw new Failure('model_not_found', message, { param: 'model' })
  }
  throw new Failure('model_not_allowed', `This key's group '${caller.group}' does not include the model '${model}'.`, {
    param: 'model',
  })
}
