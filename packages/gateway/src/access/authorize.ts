// Authorization: the key's group determines the available models and their prices; the key may restrict the models further.

import {
  type AnyOffer,
  type Catalogue,
  type ImageOffer,
  imageOfferOf,
  modelExists,
  offerOf,
  type TextOffer,
  type VideoOffer,
  videoOfferOf,
} from '../catalogue/catalogue.ts'
import { Failure } from '../request/failure.ts'
import type { Caller } from '../storage/storage.ts'

/** For a request that is answered with text. */
export const authorize = (caller: Caller, model: string, catalogue: Catalogue): TextOffer =>
  allowed(offerOf(catalogue, caller.group, model), caller, model, catalogue)

/** For a request that is answered with images. */
export const authorizeImage = (caller: Caller, model: string, catalogue: Catalogue): ImageOffer =>
  allowed(imageOfferOf(catalogue, caller.group, model), caller, model, catalogue)

/** For a task that makes a video. */
export const authorizeVideo = (caller: Caller, model: string, catalogue: Catalogue): VideoOffer =>
  allowed(videoOfferOf(catalogue, caller.group, model), caller, model, catalogue)

function allowed<O extends AnyOffer>(offer: O | undefined, caller: Caller, model: string, catalogue: Catalogue): O {
  if (!offer) return rejectModel(caller, model, catalogue)
  checkKey(caller, offer.model.id, model)
  return offer
}

/** Whatever the model generates. */
export function authorizeAny(caller: Caller, model: string, catalogue: Catalogue): AnyOffer {
  if (imageOfferOf(catalogue, caller.group, model)) return authorizeImage(caller, model, catalogue)
  if (videoOfferOf(catalogue, caller.group, model)) return authorizeVideo(caller, model, catalogue)
  return authorize(caller, model, catalogue)
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
  if (!modelExists(catalogue, model)) {
    const message = `The model '${model}' does not exist. GET /v1/models lists the available models.`
    throw new Failure('model_not_found', message, { param: 'model' })
  }
  throw new Failure('model_not_allowed', `This key's group '${caller.group}' does not include the model '${model}'.`, {
    param: 'model',
  })
}

const RIGHT_ENDPOINTS = {
  text: 'text. Use POST /v1/chat/completions, POST /v1/responses, POST /v1/messages or generateContent.',
  image:
    'images. Use POST /v1/images/generations or POST /v1/images/edits, or generateContent with IMAGE in responseModalities.',
  video: 'videos. Use POST /api/v3/contents/generations/tasks.',
} as const

function rejectWrongEndpoint(caller: Caller, model: string, catalogue: Catalogue): void {
  const find = { text: offerOf, image: imageOfferOf, video: videoOfferOf }
  for (const type of ['text', 'image', 'video'] as const) {
    const other = find[type](catalogue, caller.group, model)
    if (!other) continue
    checkKey(caller, other.model.id, model)
    const message = `The model '${model}' generates ${RIGHT_ENDPOINTS[type]}`
    throw new Failure('bad_request', message, { param: 'model' })
  }
}
