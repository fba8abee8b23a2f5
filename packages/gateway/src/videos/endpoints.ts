// GET and DELETE of tasks. All answers come from the store: clients may ask as often as they like.

import type { HttpResponse } from '@trivium/http/response.ts'
import { encodeList, encodeTask } from '@trivium/protocol/dialects/video-tasks/task/encode-task.ts'
import { decodeListQuery } from '@trivium/protocol/dialects/video-tasks/task/list-query.ts'
import { type AuthenticateDependencies, authenticate } from '../access/authenticate.ts'
import { isVisibleTo, visibleKey } from '../access/visible-key.ts'
import type { MediaStore } from '../media/media-store.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Failure } from '../request/failure.ts'
import { decodeSegment } from '../request/path-segment.ts'
import type { TaskDeletes } from './sharing/task-deletes.ts'
import { type CloseDependencies, closeTask } from './steps/close.ts'
import { endWith } from './steps/poll.ts'
import { changeTask, decodeTaskRow, parseTaskId, type Task } from './task.ts'
import { cancelTask, queryTask, type UpstreamDependencies } from './upstream.ts'
import { type ViewDependencies, viewOf } from './view.ts'

export type TaskEndpointDependencies = AuthenticateDependencies &
  ViewDependencies &
  CloseDependencies &
  UpstreamDependencies & { mediaStore: MediaStore; taskDeletes: TaskDeletes }

export async function showTask(
  id: string,
  incoming: ApiRequest,
  deps: TaskEndpointDependencies,
): Promise<HttpResponse> {
  const task = await ownTask(id, incoming, deps)
  return jsonText(incoming, encodeTask(viewOf(task, deps)))
}

export async function listTasks(incoming: ApiRequest, deps: TaskEndpointDependencies): Promise<HttpResponse> {
  const caller = await authenticate(incoming, 'video-tasks', deps)
  const key = visibleKey(caller)
  const { page, pageSize, statuses, ids, model, serviceTier } = decodeListQuery(new URLSearchParams(incoming.query))
  const filter = {
    ...(statuses.length > 0 ? { statuses } : {}),
    // What is no id of ours names no task.
    ...(ids.length > 0 ? { ids: ids.flatMap((id) => parseTaskId(id) ?? []) } : {}),
    ...(model === undefined ? {} : { model }),
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(key === undefined ? {} : { key }),
  }
  const offset = (page - 1) * pageSize
  const { total, tasks } = await deps.store.tasks.list(caller.account, filter, { offset, limit: pageSize })
  const items = tasks.map((row) => viewOf(decodeTaskRow(row), deps))
  return jsonText(incoming, encodeList(total, items))
}

/** Cancels a task that is queued; removes the record of one that has ended. */
export async function deleteTask(
  id: string,
  incoming: ApiRequest,
  deps: TaskEndpointDependencies,
): Promise<HttpResponse> {
  deps.taskDeletes.count(await authenticate(incoming, 'video-tasks', deps))
  // The worker may change the task meanwhile: then what it is now decides.
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const task = await ownTask(id, incoming, deps)
    const isDone = await deleteOrCancel(task, deps)
    if (isDone) return { status: 204, headers: incoming.responseHeaders, body: NOTHING }
  }
  throw inState('changing')
}

const MOST_TRIES = 3
const NOTHING = new Uint8Array(0)

/** false: the task has changed meanwhile. */
async function deleteOrCancel(task: Task, deps: TaskEndpointDependencies): Promise<boolean> {
  switch (task.status) {
    case 'queued':
      return cancel(task, deps)
    case 'running':
    case 'cancelled':
      throw inState(task.status)
    default: {
      const { video, lastFrame } = task.data.media ?? {}
      for (const media of [video, lastFrame]) if (media) await deps.mediaStore.remove(media.id)
      return deps.store.tasks.remove(task.id, task.version)
    }
  }
}

async function cancel(task: Task, deps: TaskEndpointDependencies): Promise<boolean> {
  const { upstreamTask } = task
  if (task.state === 'closing') throw inState('ending')
  if (upstreamTask === undefined || task.state !== 'queued') throw inState('being submitted')
  return deps.taskDeletes.run(task, async () => {
    await cancelAtUpstream(task, upstreamTask, deps)
    return closeCancelled(task, deps)
  })
}

async function cancelAtUpstream(task: Task, upstreamTask: string, deps: TaskEndpointDependencies): Promise<void> {
  // What is known here may be old. An upstream removes a task that has ended, and its video with it, instead of cancelling it.
  const current = await queryTask(task, upstreamTask, deps)
  const status = current.is === 'answered' ? current.value.status : undefined
  if (status === undefined) throw notCancelled()
  if (status === 'cancelled') return
  if (status !== 'queued' && status !== 'unknown') throw inState('no longer queued')
  const answer = await cancelTask(task, upstreamTask, deps)
  if (answer.is === 'status' && BEGUN.includes(answer.status)) throw inState('no longer queued')
  if (answer.is !== 'answered') throw notCancelled()
}

/** How upstreams say that a task is not queued any more, or is not there any more. */
const BEGUN: readonly number[] = [400, 403, 404, 409]

/** The upstream has cancelled the task, so that the worker's next query would find the same. */
async function closeCancelled(task: Task, deps: TaskEndpointDependencies): Promise<boolean> {
  for (let current = task; ; ) {
    const closing = await changeTask(deps.store.tasks, current, endWith({ state: 'cancelled' }))
    if (closing) await closeTask(closing, deps)
    if (closing) return true
    // It was claimed meanwhile. If it is not open any more, the next try tells what it is.
    const row = await deps.store.tasks.find(task.id)
    if (row?.state === 'cancelled') return true
    if (row?.state !== 'queued') return false
    current = decodeTaskRow(row)
  }
}

const notCancelled = (): Failure =>
  new Failure('conflict', 'The task could not be cancelled at its upstream. It goes on; query it for its result.', {
    param: 'task_id',
    retryAfter: 5,
  })

const inState = (state: string): Failure =>
  new Failure('conflict', `The task is ${state} and cannot be deleted.`, { param: 'task_id' })

async function ownTask(id: string, incoming: ApiRequest, deps: TaskEndpointDependencies): Promise<Task> {
  const caller = await authenticate(incoming, 'video-tasks', deps)
  const segment = decodeSegment(id)
  const known = segment === undefined ? undefined : parseTaskId(segment)
  const row = known === undefined ? undefined : await deps.store.tasks.find(known)
  const isVisible = row !== undefined && isVisibleTo(caller, row) && row.state !== 'accepted'
  if (!isVisible) throw new Failure('not_found', 'There is no such task.', { param: 'task_id' })
  return decodeTaskRow(row)
}

function jsonText({ responseHeaders: headers }: ApiRequest, text: string): HttpResponse {
  headers.set('content-type', 'application/json')
  return { status: 200, headers, body: Buffer.from(text) }
}
