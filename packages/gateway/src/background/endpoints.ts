// GET, cancel and DELETE of responses that were generated in the background; all others are as conversations/endpoints.ts has them.

import { type HttpResponse, json } from '@trivium/http/response.ts'
import { authenticate } from '../access/authenticate.ts'
import { isVisibleTo } from '../access/visible-key.ts'
import { decodeId, deleteResponse, readerOf, showResponse, unknown } from '../conversations/endpoints.ts'
import { hidePiece } from '../conversations/pieces.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Failure } from '../request/failure.ts'
import { parseResponseId } from '../request/ids.ts'
import type { Caller } from '../storage/storage.ts'
import { isEnded } from '../tasks/states.ts'
import { decodeTaskRow } from '../tasks/task.ts'
import type { ResponseTaskDependencies } from './dependencies.ts'
import { followResponse } from './follow.ts'
import {
  eventPiece,
  ownerOf,
  REQUEST_PIECE,
  RESPONSE,
  type ResponseTask,
  type ResponseTaskData,
  VIEW_PIECE,
} from './response-task.ts'
import { cancelResponse as cancelTask } from './response-tasks.ts'
import { viewOf } from './view.ts'

export async function showAnyResponse(
  id: string,
  incoming: ApiRequest,
  deps: ResponseTaskDependencies,
): Promise<HttpResponse> {
  const query = new URLSearchParams(incoming.query)
  const isStreamed = ['true', '1'].includes(query.get('stream') ?? '')
  const caller = await authenticate(incoming, 'responses', deps)
  const task = await find(id, caller, deps)
  if (!task || (task.state === 'succeeded' && !isStreamed)) return showResponse(id, incoming, deps)
  readerOf(caller, deps)
  if (isStreamed) return followResponse(task, { caller, incoming, after: startingAfter(query) }, deps)
  return json(200, incoming.responseHeaders, await viewOf(task, deps))
}

function startingAfter(query: URLSearchParams): number {
  const text = query.get('starting_after')
  if (text === null) return -1
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new Failure('bad_request', 'starting_after must be the sequence_number of an event.', {
    param: 'starting_after',
  })
}

/** What was ended before stays as it is, and is shown: to cancel a response twice is no mistake. */
export async function cancelResponse(
  id: string,
  incoming: ApiRequest,
  deps: ResponseTaskDependencies,
): Promise<HttpResponse> {
  const caller = await authenticate(incoming, 'responses', deps)
  deps.taskDeletes.count(caller)
  const task = await find(id, caller, deps)
  if (!task) {
    const isStored = await deps.store.responses.length(caller.account, decodeId(id))
    if (!isStored) throw unknown(id)
    throw new Failure('bad_request', 'Only a background response can be cancelled.', { param: 'response_id' })
  }
  await end(task, deps)
  return showAnyResponse(id, { ...incoming, query: '' }, deps)
}

export async function deleteAnyResponse(
  id: string,
  incoming: ApiRequest,
  deps: ResponseTaskDependencies,
): Promise<HttpResponse> {
  const caller = await authenticate(incoming, 'responses', deps)
  const task = await find(id, caller, deps)
  if (!task) return deleteResponse(id, incoming, deps)
  const ended = await end(task, deps)
  if (ended && !isEnded(ended.state)) throw stillEnding()
  await removeAll(task, deps)
  if (ended) await deps.store.tasks.remove(ended.id, ended.version)
  return json(200, incoming.responseHeaders, { id: ownerOf(task).id, object: 'response', deleted: true })
}

async function removeAll(task: ResponseTask, deps: ResponseTaskDependencies): Promise<void> {
  const owner = ownerOf(task)
  await deps.store.responses.hide(owner.account, owner.id)
  await Promise.all([REQUEST_PIECE, VIEW_PIECE].map((name) => hidePiece(owner, name, deps)))
  for (let index = 0; await hidePiece(owner, eventPiece(index), deps); ) index++
}

/** How often, and for how long, the end of one that was cancelled is awaited. */
const [LOOK_MS, ENDED_WITHIN_MS] = [50, 8_000]
/** Whoever else works on it changes it a few times; for longer only if the store hardly answers. */
const CANCELLED_WITHIN_MS = 45_000

/**
 * Cancels it, and waits for its end. undefined: it does not exist any more. Throws if it could not be cancelled: an answer without
 * an error would leave it running, and the caller paying.
 */
async function end(task: ResponseTask, deps: ResponseTaskDependencies): Promise<ResponseTask | undefined> {
  let current: ResponseTask | undefined = task
  let isCancelled = false
  for (let until = performance.now() + CANCELLED_WITHIN_MS; current && performance.now() < until; ) {
    if (isEnded(current.state)) return current
    if (isCancelled) await Bun.sleep(LOOK_MS)
    else if (await cancelTask(current, deps)) {
      isCancelled = true
      until = performance.now() + ENDED_WITHIN_MS
    }
    const row = await deps.store.tasks.find(task.id)
    current = row && decodeTaskRow<ResponseTaskData>(row)
  }
  if (current && !isCancelled && !isEnded(current.state)) throw notCancelled()
  return current
}

const notCancelled = (): Failure =>
  new Failure('conflict', 'The response could not be cancelled: it changes too often. Try again in a moment.', {
    param: 'response_id',
    retryAfter: 5,
  })

const stillEnding = (): Failure =>
  new Failure('conflict', 'The response is being cancelled. Delete it again in a moment.', {
    param: 'response_id',
    retryAfter: 5,
  })

/** undefined: it was not generated in the background, or the caller does not see it. */
async function find(
  id: string,
  caller: Caller,
  { store }: ResponseTaskDependencies,
): Promise<ResponseTask | undefined> {
  const request = parseResponseId(decodeId(id))
  const row = request === undefined ? undefined : await store.tasks.find(request)
  const isShown = row?.type === RESPONSE && row.state !== 'accepted' && isVisibleTo(caller, row)
  return isShown ? decodeTaskRow<ResponseTaskData>(row) : undefined
}
