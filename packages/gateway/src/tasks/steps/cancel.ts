// Cancels a task that is queued: at its upstream, then here.

import { Failure } from '../../request/failure.ts'
import type { TaskWorkDependencies } from '../dependencies.ts'
import { changeTask, decodeTaskRow, type Task } from '../task.ts'
import type { TaskType } from '../task-type.ts'
import { closeTask } from './close.ts'
import { endWith } from './poll.ts'

/** false: the task has changed meanwhile. Throws Failure if it cannot be cancelled. */
export async function cancelTask(task: Task, type: TaskType, deps: TaskWorkDependencies): Promise<boolean> {
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
async function closeCancelled(task: Task, deps: TaskWorkDependencies): Promise<boolean> {
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

export const inState = (state: string): Failure =>
  new Failure('conflict', `The task is ${state} and cannot be deleted.`, { param: 'task_id' })
