// What the endpoints of every type of task share: whose a task is, and DELETE.

import type { HttpResponse } from '@trivium/http/response.ts'
import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import { type AuthenticateDependencies, authenticate } from '../access/authenticate.ts'
import { isVisibleTo } from '../access/visible-key.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Failure } from '../request/failure.ts'
import { decodeSegment } from '../request/path-segment.ts'
import type { Tasks } from '../storage/tasks.ts'
import { type CloseDependencies, closeTask } from './steps/close.ts'
import { endWith } from './steps/poll.ts'
import { changeTask, decodeTaskRow, parseTaskId, type Task, type TaskData } from './task.ts'
import type { TaskDeletes } from './task-deletes.ts'
import type { TaskType } from './task-type.ts'

type OwnTaskDependencies = AuthenticateDependencies & { store: { tasks: Pick<Tasks, 'find'> } }
export type DeleteDependencies = AuthenticateDependencies & CloseDependencies & { taskDeletes: TaskDeletes }

/** Cancels a task that is queued; removes the record of one that has ended. */
export async function deleteTask(
  id: string,
  incoming: ApiRequest,
  dialect: DialectId,
  type: TaskType,
  deps: DeleteDependencies,
): Promise<HttpResponse> {
  deps.taskDeletes.count(await authenticate(incoming, dialect, deps))
  // The worker may change the task meanwhile: then what it is now decides.
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const task = await ownTask(id, incoming, dialect, deps)
    const isDone = await deleteOrCancel(task, type, deps)
    if (isDone) return { status: 204, headers: incoming.responseHeaders, body: NOTHING }
  }
  throw inState('changing')
}

const MOST_TRIES = 3
const NOTHING = new Uint8Array(0)

/** false: the task has changed meanwhile. */
async function deleteOrCancel(task: Task, type: TaskType, deps: DeleteDependencies): Promise<boolean> {
  switch (task.status) {
    case 'queued':
      return cancel(task, type, deps)
    case 'running':
    case 'cancelled':
      throw inState(task.status)
    default:
      await type.removeResult(task)
      return deps.store.tasks.remove(task.id, task.version)
  }
}

async function cancel(task: Task, type: TaskType, deps: DeleteDependencies): Promise<boolean> {
  const { upstreamTask } = task
  if (task.state === 'closing') throw inState('ending')
  if (upstreamTask === undefined || task.state !== 'queued') throw inState('being submitted')
  return deps.taskDeletes.run(task, async () => {
    await cancelAtUpstream(task, upstreamTask, type)
    return closeCancelled(task, deps)
  })
}

async function cancelAtUpstream(task: Task, upstreamTask: string, type: TaskType): Promise<void> {
  // What is known here may be old. An upstream removes a task that has ended, and its video with it, instead of cancelling it.
  const current = await type.query(task, upstreamTask)
  const status = current.is === 'answered' ? current.value.status : undefined
  if (status === undefined) throw notCancelled()
  if (status === 'cancelled') return
  if (status !== 'queued' && status !== 'unknown') throw inState('no longer queued')
  const answer = await type.cancel(task, upstreamTask)
  if (answer.is === 'status' && BEGUN.includes(answer.status)) throw inState('no longer queued')
  if (answer.is !== 'answered') throw notCancelled()
}

/** How upstreams say that a task is not queued any more, or is not there any more. */
const BEGUN: readonly number[] = [400, 403, 404, 409]

/** The upstream has cancelled the task, so that the worker's next query would find the same. */
async function closeCancelled(task: Task, deps: DeleteDependencies): Promise<boolean> {
  const end = performance.now() + CLOSED_WITHIN_MS
  for (let current = task; ; ) {
    const closing = await changeTask(deps.store.tasks, current, endWith({ state: 'cancelled' }))
    if (closing) await closeTask(closing, deps)
    if (closing) return true
    // It was claimed meanwhile. If it is not open any more, the next try tells what it is.
    const row = await deps.store.tasks.find(task.id)
    const found = row && decodeTaskRow(row)
    if (found?.state === 'cancelled') return true
    // The worker's query found the same, and it is closing the task.
    const isClosing = found?.state === 'closing' && found.data.end?.state === 'cancelled'
    if (isClosing && performance.now() > end) return true
    if (isClosing) await Bun.sleep(CLOSING_LOOK_MS)
    else if (found?.state === 'queued') current = found
    else return false
  }
}

/** How often the end of a close is looked for, and for how long. */
const [CLOSING_LOOK_MS, CLOSED_WITHIN_MS] = [20, 5_000]

const notCancelled = (): Failure =>
  new Failure('conflict', 'The task could not be cancelled at its upstream. It goes on; query it for its result.', {
    param: 'task_id',
    retryAfter: 5,
  })

const inState = (state: string): Failure =>
  new Failure('conflict', `The task is ${state} and cannot be deleted.`, { param: 'task_id' })

/** The task of the caller's account that has this id. Throws Failure if there is none, or the key does not see it. */
export async function ownTask<D extends TaskData>(
  id: string,
  incoming: ApiRequest,
  dialect: DialectId,
  deps: OwnTaskDependencies,
): Promise<Task<D>> {
  const caller = await authenticate(incoming, dialect, deps)
  const segment = decodeSegment(id)
  const known = segment === undefined ? undefined : parseTaskId(segment)
  const row = known === undefined ? undefined : await deps.store.tasks.find(known)
  const isVisible = row !== undefined && isVisibleTo(caller, row) && row.state !== 'accepted'
  if (!isVisible) throw new Failure('not_found', 'There is no such task.', { param: 'task_id' })
  return decodeTaskRow<D>(row)
}
