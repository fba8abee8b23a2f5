// Authorization: the key's group determines the available models and their prices; the key may restrict the models further.
import type { Caller } from '../storage/storage.ts'
import {
  type Catalogue,
  groupIncludes,
  type ImageOffer,
  imageOfferOf,
  modelExists,
  offerOf,
  type TextOffer,
} from './catalogue.ts'
import { Failure } from './failure.ts'

/** For a request that is answered with text. */
export function authorize(caller: Caller, model: string, catalogue: Catalogue): TextOffer {
  const offer = offerOf(catalogue, caller.group, model)
  if (!offer) return rejectModel(caller, model, catalogue)
  checkKey(caller, offer.model.id, model)
  return offer
}

/** For a request that is answered with images. */
export function authorizeImage(caller: Caller, model: string, catalogue: Catalogue): ImageOffer {
  const offer = imageOfferOf(catalogue, caller.group, model)
  if (!offer) return rejectModel(caller, model, catalogue)
  checkKey(caller, offer.model.id, model)
  return offer
}

/** Whatever the model generates. */
export function authorizeAny(caller: Caller, model: string, catalogue: Catalogue): TextOffer | ImageOffer {
  const isImage = imageOfferOf(catalogue, caller.group, model) !== undefined
  return isImage ? authorizeImage(caller, model, catalogue) : authorize(caller, model, catalogue)
}

export function keyAllowsModel({ restrictions: { models } }: Caller, model: string): boolean {
  return models === undefined || models.includes(model)
}

function checkKey(caller: Caller, id: string, model: string): void {
  if (keyAllowsModel(caller, id)) return
  throw new Failure('model_not_allowed', `Key ${caller.key} does not allow the model '${model}'.`, { param: 'model' })
}

/** Why a request of this kind cannot use the model. Callers that may not use it do not learn what it generates. */
function rejectModel(caller: Caller, model: string, catalogue: Catalogue): never {
  if (!catalogue.config.groups.has(caller.group)) {
    const message = `This key's group '${caller.group}' no longer exists, so the key cannot use any model. Ask the operator of this gateway for another key.`
    throw new Failure('model_not_allowed', message)
  }
  rejectWrongEndpoint(caller, model, catalogue)
  rejectVideoModel(caller, model, catalogue)
  if (!modelExists(catalogue, model)) {
    const message = `The model '${model}' does not exist. GET /v1/models lists the available models.`
    throw new Failure('model_not_found', message, { param: 'model' })
  }
  throw new Failure('model_not_allowed', `This key's group '${caller.group}' does not include the model '${model}'.`, {
    param: 'model',
  })
}

function rejectWrongEndpoint(caller: Caller, model: string, catalogue: Catalogue): void {
  const image = imageOfferOf(catalogue, caller.group, model)
  const other = image ?? offerOf(catalogue, caller.group, model)
  if (!other) return
  checkKey(caller, other.model.id, model)
  const message = image
    ? `The model '${model}' generates images. Use POST /v1/images/generations or POST /v1/images/edits, or generateContent with IMAGE in responseModalities.`
    : `The model '${model}' generates text. Use POST /v1/chat/completions, POST /v1/responses, POST /v1/messages or generateContent.`
  throw new Failure('bad_request', message, { param: 'model' })
}

/** Callers whose group includes the model get the reason; for all others the model does not exist. */
function rejectVideoModel({ group }: Caller, model: string, { config }: Catalogue): void {
  const own = config.groups.get(group)
  if (config.mediaModels?.get(model)?.type !== 'video' || !own || !groupIncludes(own, model)) return
  const message = `The model '${model}' generates videos, which this gateway does not serve yet. Choose a text or image model.`
  throw new Failure('model_not_found', message, { param: 'model' })
}
