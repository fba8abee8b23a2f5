// The model list endpoints: only models that the caller's key and group allow.

import { type HttpResponse, json } from '@trivium/http/response.ts'
import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import {
  generateContentModelEntry,
  generateContentModelList,
  type ListedModel,
  modelEntry,
  modelList,
} from '@trivium/protocol/dialects/model-list.ts'
import type { AnyOffer, Catalogue } from '../catalogue/catalogue.ts'
import { describeModel } from '../catalogue/describe-model.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Failure } from '../request/failure.ts'
import { decodeSegment } from '../request/path-segment.ts'
import type { AuthenticateDependencies } from './authenticate.ts'
import { authenticate } from './authenticate.ts'
import { authorize, keyAllowsModel } from './authorize.ts'

export async function listModels(incoming: ApiRequest, deps: AuthenticateDependencies): Promise<HttpResponse> {
  const models = await visibleModels(incoming, 'chat', deps)
  const query = new URLSearchParams(incoming.query)
  const limit = Number(query.get('limit') ?? Number.NaN)
  const [afterId, beforeId] = [query.get('after_id'), query.get('before_id')]
  const page = {
    ...(limit > 0 ? { limit } : {}),
    ...(afterId === null ? {} : { afterId }),
    ...(beforeId === null ? {} : { beforeId }),
  }
  return json(200, incoming.responseHeaders, modelList(models, page))
}

export async function showModel(
  segment: string,
  incoming: ApiRequest,
  deps: AuthenticateDependencies,
): Promise<HttpResponse> {
  return json(200, incoming.responseHeaders, modelEntry(await visibleModel(segment, incoming, 'chat', deps)))
}

export async function listGenerateContentModels(
  incoming: ApiRequest,
  deps: AuthenticateDependencies,
): Promise<HttpResponse> {
  return json(
    200,
    incoming.responseHeaders,
    generateContentModelList(await visibleModels(incoming, 'generate-content', deps)),
  )
}

export async function showGenerateContentModel(
  segment: string,
  incoming: ApiRequest,
  deps: AuthenticateDependencies,
): Promise<HttpResponse> {
  return json(
    200,
    incoming.responseHeaders,
    generateContentModelEntry(await visibleModel(segment, incoming, 'generate-content', deps)),
  )
}

async function visibleModels(
  incoming: ApiRequest,
  dialect: DialectId,
  deps: AuthenticateDependencies,
): Promise<ListedModel[]> {
  const caller = await authenticate(incoming, dialect, deps)
  const catalogue = deps.catalogue()
  const offers = [...(catalogue.offers.get(caller.group)?.values() ?? [])]
  return offers.filter(({ model }) => keyAllowsModel(caller, model.id)).map((offer) => listed(offer, catalogue))
}

async function visibleModel(
  segment: string,
  incoming: ApiRequest,
  dialect: DialectId,
  deps: AuthenticateDependencies,
): Promise<ListedModel> {
  const caller = await authenticate(incoming, dialect, deps)
  const catalogue = deps.catalogue()
  return listed(authorize(caller, decodeModelId(segment), undefined, catalogue), catalogue)
}

function listed(offer: AnyOffer, catalogue: Catalogue): ListedModel {
  const { id } = offer.model
  const created = Math.floor(catalogue.loadedAt / 1000)
  return { id, displayName: id, owner: 'trivium', created, ...describeModel(offer) }
}

/** Ids may contain a slash, which SDKs send as %2F. */
export function decodeModelId(segment: string): string {
  const id = decodeSegment(segment)
  if (id !== undefined) return id
  throw new Failure('bad_request', 'The model id in the path is not valid percent-encoding.', { param: 'model' })
}
