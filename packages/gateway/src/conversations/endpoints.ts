// GET and DELETE of stored responses, and the items that one was made from.

import { type HttpResponse, json } from '@trivium/http/response.ts'
import { type AuthenticateDependencies, authenticate } from '../access/authenticate.ts'
import { Failure } from '../access/failure.ts'
import type { IncomingRequest } from '../access/incoming-request.ts'
import { decodeSegment } from '../access/path-segment.ts'
import type { StoredResponse } from '../storage/responses.ts'
import type { ConversationDependencies } from './continue.ts'
import { inputItems, type ListedItem, openRecord, outputItems, readItem } from './open-stored.ts'

export type ResponseEndpointDependencies = AuthenticateDependencies & ConversationDependencies

export async function showResponse(
  id: string,
  incoming: IncomingRequest,
  deps: ResponseEndpointDependencies,
): Promise<HttpResponse> {
  const { account } = await authenticate(incoming, 'responses', deps)
  if (/(?:^|&)stream=(?:true|1)(?:&|$)/.test(incoming.query))
    throw new Failure('unsupported', 'A stored response is not streamed again. Leave stream out.', { param: 'stream' })
  const stored = await deps.store.responses.find(account, decodeId(id))
  const record = stored && (await openRecord(stored, deps))
  if (!record) throw unknown(id)
  incoming.headers.set('content-type', 'application/json')
  return { status: 200, headers: incoming.headers, body: record }
}

export async function deleteResponse(
  id: string,
  incoming: IncomingRequest,
  deps: ResponseEndpointDependencies,
): Promise<HttpResponse> {
  const { account } = await authenticate(incoming, 'responses', deps)
  const response = decodeId(id)
  if (!(await deps.store.responses.hide(account, response))) throw unknown(id)
  return json(200, incoming.headers, { id: response, object: 'response', deleted: true })
}

const [DEFAULT_LIMIT, MOST_ITEMS] = [20, 100]

/** The whole conversation up to the response, the newest first unless asked otherwise. */
export async function listInputItems(
  id: string,
  incoming: IncomingRequest,
  deps: ResponseEndpointDependencies,
): Promise<HttpResponse> {
  const { account } = await authenticate(incoming, 'responses', deps)
  const query = new URLSearchParams(incoming.query)
  const chain = await deps.store.responses.wholeChain(account, decodeId(id))
  const last = chain.at(-1)
  if (!last) throw unknown(id)
  const items = chain.flatMap((stored) => [
    ...withIds(stored, inputItems(stored, deps)),
    ...(stored === last ? [] : outputItems(stored, deps)),
  ])
  const ordered = orderOf(query) === 'asc' ? items : items.toReversed()
  const limit = limitOf(query)
  const from = startOf(query, ordered)
  const page = await Promise.all(ordered.slice(from, from + limit).map((item) => readItem(item, deps)))
  const data = page.filter((item) => item !== undefined)
  return json(200, incoming.headers, {
    ...{ object: 'list', data, first_id: data.at(0)?.id ?? null, last_id: data.at(-1)?.id ?? null },
    has_more: from + limit < ordered.length,
  })
}

/** Items that came without an id get one, always the same. */
function withIds({ id }: StoredResponse, items: readonly ListedItem[]): ListedItem[] {
  const suffix = id.replace(/^resp_/, '')
  return items.map(({ item, ...stored }, index) => ({
    ...{ item: { id: `item_${suffix}_${index}`, type: 'message', ...item }, ...stored },
  }))
}

function orderOf(query: URLSearchParams): 'asc' | 'desc' {
  const order = query.get('order') ?? 'desc'
  if (order === 'asc' || order === 'desc') return order
  throw new Failure('bad_request', 'order must be asc or desc.', { param: 'order' })
}

function limitOf(query: URLSearchParams): number {
  const limit = Number(query.get('limit') ?? DEFAULT_LIMIT)
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST_ITEMS) return limit
  throw new Failure('bad_request', `limit must be a whole number between 1 and ${MOST_ITEMS}.`, { param: 'limit' })
}

/** `before` is the same from the other end: clients that page backwards turn the order around. */
function startOf(query: URLSearchParams, items: readonly ListedItem[]): number {
  const after = query.get('after')
  if (after === null) return 0
  const index = items.findIndex(({ item }) => item.id === after)
  if (index >= 0) return index + 1
  throw new Failure('bad_request', 'after must be the id of an item of this list.', { param: 'after' })
}

function decodeId(segment: string): string {
  const id = decodeSegment(segment)
  if (id === undefined) throw unknown(segment)
  return id
}

const unknown = (id: string): Failure =>
  new Failure('not_found', `There is no response with the id '${id.slice(0, 100)}'.`, { param: 'response_id' })
