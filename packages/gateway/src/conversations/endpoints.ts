// GET and DELETE of stored responses, and the items that one was made from.

import { type HttpResponse, json } from '@trivium/http/response.ts'
import type { Json } from '@trivium/protocol/canonical/reading.ts'
import { hideInResponse } from '@trivium/protocol/dialects/responses/state/hide-encrypted.ts'
import { type AuthenticateDependencies, authenticate } from '../access/authenticate.ts'
import { visibleKey } from '../access/visible-key.ts'
import { codec } from '../bytes/codec.ts'
import { type FreeCallLimit, freeCallFailure } from '../overload/free-call-limit.ts'
import type { ThreadTime } from '../overload/thread-time.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Failure } from '../request/failure.ts'
import { decodeSegment } from '../request/path-segment.ts'
import type { Caller, MadeWith } from '../storage/storage.ts'
import type { ConversationDependencies } from './dependencies.ts'
import { bytesToList, itemsOf } from './list-items.ts'
import { type ListedItem, openRecord, readItem } from './open-stored.ts'
import { isPieceId } from './pieces.ts'
import { type StoredRead, type StoredReads, sentFrom } from './stored-reads.ts'

export type ResponseEndpointDependencies = AuthenticateDependencies &
  ConversationDependencies & {
    admission: { threadTime: Pick<ThreadTime, 'run'> }
    storedReads: StoredReads
    storedReadLimit: FreeCallLimit
    /** Milliseconds since 1970. */
    clock(): number
  }

export async function showResponse(
  id: string,
  incoming: ApiRequest,
  deps: ResponseEndpointDependencies,
): Promise<HttpResponse> {
  const { account, made } = readerOf(await authenticate(incoming, 'responses', deps), deps)
  const response = decodeId(id)
  const length = await deps.store.responses.length(account, response, made)
  if (!length) throw unknown(id)
  if (/(?:^|&)stream=(?:true|1)(?:&|$)/.test(incoming.query))
    throw new Failure('unsupported_parameter', 'Only background responses can be streamed again. Remove `stream`.', {
      param: 'stream',
    })
  // Encrypted, and decrypted.
  return inMemory(account, 2 * length.record, deps, async (read) => {
    const stored = await deps.store.responses.record(account, response)
    const record = stored && (await openRecord(stored, deps))
    if (!record) throw unknown(id)
    return sentFrom(read, incoming.responseHeaders, asksForEncrypted(incoming) ? record : hideInResponse(record, codec))
  })
}

/** `made`: only responses that were made with this. */
type Reader = { account: bigint; made: MadeWith | undefined }
const readerBy = (caller: Caller): Reader => ({ account: caller.account, made: visibleKey(caller) })

/** Counted by the limits of the key, apart from paid requests. Throws Failure. */
export function readerOf(
  caller: Caller,
  deps: Pick<ResponseEndpointDependencies, 'storedReadLimit' | 'clock'>,
): Reader {
  const rejection = deps.storedReadLimit.take(caller)
  if (rejection) throw freeCallFailure(rejection, 'reads of stored responses', deps.clock())
  return readerBy(caller)
}

/** Releases the memory if `work` fails; otherwise the response does. */
async function inMemory(
  account: bigint,
  bytes: number,
  { storedReads }: ResponseEndpointDependencies,
  work: (read: StoredRead) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const read = storedReads.enter(account, bytes)
  try {
    return await work(read)
  } catch (error) {
    read.release()
    throw error
  }
}

export async function deleteResponse(
  id: string,
  incoming: ApiRequest,
  deps: ResponseEndpointDependencies,
): Promise<HttpResponse> {
  const { account, made } = readerBy(await authenticate(incoming, 'responses', deps))
  const response = decodeId(id)
  if (!(await deps.store.responses.hide(account, response, made))) throw unknown(id)
  return json(200, incoming.responseHeaders, { id: response, object: 'response', deleted: true })
}

/** As for a new response, the client says so. */
export const asksForEncrypted = ({ query }: ApiRequest): boolean =>
  [...new URLSearchParams(query)].some(
    ([name, value]) => /^include(?:\[\d*\])?$/.test(name) && value.split(',').includes('reasoning.encrypted_content'),
  )

function withoutEncrypted(item: Json): Json {
  if (item.type !== 'reasoning') return item
  const { encrypted_content: _, ...shown } = item
  return shown
}

const [DEFAULT_LIMIT, MOST_ITEMS] = [20, 100]

/** The whole conversation up to the response, the newest first unless asked otherwise. */
export async function listInputItems(
  id: string,
  incoming: ApiRequest,
  deps: ResponseEndpointDependencies,
): Promise<HttpResponse> {
  const { account, made } = readerOf(await authenticate(incoming, 'responses', deps), deps)
  const query = new URLSearchParams(incoming.query)
  if (query.has('before'))
    throw new Failure('unsupported_parameter', 'before is not available. Turn order around and use after.', {
      param: 'before',
    })
  const [order, limit, after] = [orderOf(query), limitOf(query), query.get('after')]
  const chain = await deps.store.responses.chainLengths(account, decodeId(id), made)
  if (chain.length === 0) throw unknown(id)
  return inMemory(account, bytesToList(chain), deps, async (read) => {
    const { items, isMore } = await pageOf(itemsOf(account, chain, order, deps), after, limit)
    const page = await Promise.all(items.map((item) => readItem(item, deps)))
    const shown = asksForEncrypted(incoming) ? page : page.map((item) => item && withoutEncrypted(item))
    const data = shown.filter((item) => item !== undefined)
    const list = { object: 'list', data, first_id: data.at(0)?.id ?? null, last_id: data.at(-1)?.id ?? null }
    return sentFrom(read, incoming.responseHeaders, Buffer.from(JSON.stringify({ ...list, has_more: isMore })))
  })
}

/** No more is read than is needed to know whether there is more. */
async function pageOf(
  lists: AsyncGenerator<ListedItem[], void>,
  after: string | null,
  limit: number,
): Promise<{ items: ListedItem[]; isMore: boolean }> {
  const items: ListedItem[] = []
  let isSkipping = after !== null
  for await (const list of lists) {
    const index = isSkipping ? list.findIndex(({ item }) => item.id === after) : -1
    if (isSkipping && index < 0) continue
    isSkipping = false
    items.push(...list.slice(index + 1))
    if (items.length > limit) return { items: items.slice(0, limit), isMore: true }
  }
  if (isSkipping) throw new Failure('bad_request', 'after must be the id of an item of this list.', { param: 'after' })
  return { items, isMore: false }
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

export function decodeId(segment: string): string {
  const id = decodeSegment(segment)
  if (id === undefined || isPieceId(id)) throw unknown(segment)
  return id
}

export const unknown = (id: string): Failure =>
  new Failure('not_found', `There is no response with the id '${id.slice(0, 100)}'.`, { param: 'response_id' })
