// The model list endpoints: only models that the caller's key and group allow.

import { type HttpResponse, json } from '@trivium/http/response.ts'
import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import { generateContentModelEntry, type ListedModel, modelEntry } from '@trivium/protocol/dialects/model-list.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Failure } from '../request/failure.ts'
import { clientHas } from '../request/header-lists.ts'
import { decodeSegment } from '../request/path-segment.ts'
import type { AuthenticateDependencies } from './authenticate.ts'
import { authenticate } from './authenticate.ts'
import { authorize } from './authorize.ts'
import { listedModel, type WrittenList, writtenList } from './model-lists.ts'

export async function listModels(incoming: ApiRequest, deps: AuthenticateDependencies): Promise<HttpResponse> {
  const caller = await authenticate(incoming, 'chat', deps)
  const query = new URLSearchParams(incoming.query)
  const limit = Number(query.get('limit') ?? Number.NaN)
  const [afterId, beforeId] = [query.get('after_id'), query.get('before_id')]
  const page = {
    ...(limit > 0 ? { limit } : {}),
    ...(afterId === null ? {} : { afterId }),
    ...(beforeId === null ? {} : { beforeId }),
  }
  return sendList(writtenList('chat', caller, page, deps.catalogue()), incoming)
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
  const caller = await authenticate(incoming, 'generate-content', deps)
  return sendList(writtenList('generate-content', caller, {}, deps.catalogue()), incoming)
}

export function sendList({ bytes, tag }: WrittenList, { http, responseHeaders: headers }: ApiRequest): HttpResponse {
  headers.set('etag', tag)
  if (clientHas(tag, http.headers)) return { status: 304, headers, body: NOTHING }
  headers.set('content-type', 'application/json; charset=utf-8')
  return { status: 200, headers, body: bytes }
}

const NOTHING = new Uint8Array()

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

async function visibleModel(
  segment: string,
  incoming: ApiRequest,
  dialect: DialectId,
  deps: AuthenticateDependencies,
): Promise<ListedModel> {
  const caller = await authenticate(incoming, dialect, deps)
  const catalogue = deps.catalogue()
  return listedModel(authorize(caller, decodeModelId(segment), undefined, catalogue), catalogue)
}

/** Ids may contain a slash, which SDKs send as %2F. */
export function decodeModelId(segment: string): string {
  const id = decodeSegment(segment)
  if (id !== undefined) return id
  throw new Failure('bad_request', 'The model id in the path is not valid percent-encoding.', { param: 'model' })
}
