// Authorization: the key's group determines the available models and their prices; the key may restrict the models further.
import type { Caller } from '../storage/storage.ts'
import { type Catalogue, groupIncludes, modelExists, offerOf, type TextOffer } from './catalogue.ts'
import { Failure } from './failure.ts'

export function authorize(caller: Caller, model: string, catalogue: Catalogue): TextOffer {
  const offer = offerOf(catalogue, caller.group, model)
  if (offer) {
    if (keyAllowsModel(caller, offer.model.id)) return offer
    throw new Failure('model_not_allowed', `Key ${caller.key} does not allow the model '${model}'.`, {
      param: 'model',
    })
  }
  if (!catalogue.config.groups.has(caller.group)) {
    const message = `This key's group '${caller.group}' no longer exists, so the key cannot use any model. Ask the operator of this gateway for another key.`
    throw new Failure('model_not_allowed', message)
  }
  rejectMediaModel(caller, model, catalogue)
  if (!modelExists(catalogue, model)) {
    throw new Failure(
      'model_not_found',
      `The model '${model}' does not exist. GET /v1/models lists the available models.`,
      {
        param: 'model',
      },
    )
  }
  throw new Failure('model_not_allowed', `This key's group '${caller.group}' does not include the model '${model}'.`, {
    param: 'model',
  })
}

export function keyAllowsModel({ restrictions: { models } }: Caller, model: string): boolean {
  return models === undefined || models.includes(model)
}

/** Callers whose group includes the model get the reason; for all others the model does not exist. */
function rejectMediaModel({ group }: Caller, model: string, { config }: Catalogue): void {
  const media = config.mediaModels?.get(model)
  const own = config.groups.get(group)
  if (!media || !own || !groupIncludes(own, model)) return
  const message = `The model '${model}' generates ${media.type}s, which this gateway does not serve yet. Choose a text model.`
  throw new Failure('model_not_found', message, { param: 'model' })
}
