// What the endpoints of every type of task share: whose a task is, and DELETE.

import type { HttpResponse } from '@trivium/http/response.ts'
import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import { authenticate } from '../access/authenticate.ts'
import { isVisibleTo } from '../access/visible-key.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Failure } from '../request/failure.ts'
import { decodeSegment } from '../request/path-segment.ts'
import type { TaskWorkDependencies } from './dependencies.ts'
import { cancelTask, inState } from './steps/cancel.ts'
import { decodeTaskRow, parseTaskId, type Task, type TaskData } from './task.ts'
import type { TaskType } from './task-type.ts'

/** Cancels a task that is queued; removes the record of one that has ended. */
export async function deleteTask(
  id: string,
  incoming: ApiRequest,
  dialect: DialectId,
  kind: string,
  type: TaskType,
  deps: TaskWorkDependencies,
): Promise<HttpResponse> {
  deps.taskDeletes.count(await authenticate(incoming, dialect, deps))
  // The worker may change the task meanwhile: then what it is now decides.
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const task = await ownTask(id, incoming, dialect, kind, deps)
    const isDone = await deleteOrCancel(task, type, deps)
    if (isDone) return { status: 204, headers: incoming.responseHeaders, body: NOTHING }
  }
  throw inState('changing')
}

const MOST_TRIES = 3
const NOTHING = new Uint8Array(0)

/** false: the task has changed meanwhile. */
async function deleteOrCancel(task: Task, type: TaskType, deps: TaskWorkDependencies): Promise<boolean> {
  switch (task.status) {
    case 'queued':
      return cancelTask(task, type, deps)
    case 'running':
    case 'cancelled':
      throw inState(task.status)
    default:
      await type.removeResult(task)
      return deps.store.tasks.remove(task.id, task.version)
  }
}

/** The task of this kind and of the caller's account that has this id. Throws Failure if there is none, or the key does not see it. */
export async function ownTask<D extends TaskData>(
  id: string,
  incoming: ApiRequest,
  dialect: DialectId,
  kind: string,
  deps: TaskWorkDependencies,
): Promise<Task<D>> {
  const caller = await authenticate(incoming, dialect, deps)
  const segment = decodeSegment(id)
  const known = segment === undefined ? undefined : parseTaskId(segment)
  const row = known === undefined ? undefined : await deps.store.tasks.find(known)
  const isVisible = row?.type === kind && isVisibleTo(caller, row) && row.state !== 'accepted'
  if (!isVisible) throw new Failure('not_found', 'There is no such task.', { param: 'task_id' })
  return decodeTaskRow<D>(row)
}
