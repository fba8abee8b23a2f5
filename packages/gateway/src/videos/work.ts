// What is to be done next for a task that is due, by its state.

import { type CloseDependencies, closeTask } from './steps/close.ts'
import type { CopyDependencies } from './steps/copy-result.ts'
import { findSubmitted } from './steps/find-submitted.ts'
import { changeByRecord, endWith, poll } from './steps/poll.ts'
import { changeTask, type Task } from './task.ts'
import { cancelTask, queryTask } from './upstream.ts'

export type WorkDependencies = CloseDependencies & CopyDependencies

/** One step, of any state but `copying`: see worker.ts. undefined: another process has changed the task, or it does not exist any more. */
export async function workOn(task: Task, deps: WorkDependencies): Promise<Task | undefined> {
  const { tasks } = deps.store
  const isOver = task.now >= task.deadline
  switch (task.state) {
    case 'accepted':
      // Its process died before anything was sent: if there is a hold, it is voided.
      return closeAbandoned(task, deps)
    case 'submitting':
      // Its process died, and perhaps after the submit was sent.
      return changeTask(tasks, task, { state: 'unknown', dueInMs: 0 })
    case 'unknown':
    case 'queued':
    case 'running': {
      if (isOver) return expire(task, deps)
      return task.upstreamTask === undefined ? findSubmitted(task, deps) : poll(task, task.upstreamTask, deps)
    }
    case 'closing':
      return closeTask(task, deps)
    default:
      return changeTask(tasks, task, { dueInMs: undefined })
  }
}

/**
 * The upstream has had its time. It may have finished since the last query; otherwise it is asked to stop, because what it makes
 * after this is not paid for.
 */
async function expire(task: Task, deps: WorkDependencies): Promise<Task | undefined> {
  const { upstreamTask } = task
  if (upstreamTask !== undefined) {
    const answer = await queryTask(task, upstreamTask, deps)
    const change = answer.is === 'answered' ? changeByRecord(answer.value, task, 0) : undefined
    if (change?.state === 'copying' || change?.state === 'closing') return changeTask(deps.store.tasks, task, change)
    await cancelTask(task, upstreamTask, deps)
  }
  const error = { code: 'TaskExpired', message: 'The task was not finished in time. It was not charged.' }
  return changeTask(deps.store.tasks, task, endWith({ state: 'expired', error, mayBeBilled: true }))
}

async function closeAbandoned(task: Task, deps: WorkDependencies): Promise<Task | undefined> {
  const end = { state: 'rejected' as const }
  return closeTask({ ...task, data: { ...task.data, end } }, deps)
}
