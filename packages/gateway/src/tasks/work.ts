// What is to be done next for a task that is due, by its state.

import type { TaskWorkDependencies } from './dependencies.ts'
import { closeTask } from './steps/close.ts'
import { findSubmitted } from './steps/find-submitted.ts'
import { endWith, poll } from './steps/poll.ts'
import { changeTask, type Task } from './task.ts'
import type { OwnTaskType, TaskType } from './task-type.ts'

/** One step, of any state but `copying`, and not the run of a task of the gateway's own: see worker.ts. undefined: another process has changed the task, or it does not exist any more. */
export async function workOn(
  task: Task,
  type: TaskType | OwnTaskType,
  deps: TaskWorkDependencies,
): Promise<Task | undefined> {
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
      if ('run' in type) return type.lookAfter(task)
      if (isOver) return expire(task, type, deps)
      const { upstreamTask } = task
      return upstreamTask === undefined ? findSubmitted(task, type, deps) : poll(task, upstreamTask, type, deps)
    }
    case 'closing':
      return closeTask(task, deps)
    default:
      return changeTask(tasks, task, { dueInMs: undefined })
  }
}

/**
 * The deadline of the task has passed. It may have finished since the last query; otherwise it is asked to stop, because what it makes
 * after this is not paid for.
 */
export async function expire(
  task: Task,
  type: TaskType,
  deps: Pick<TaskWorkDependencies, 'store'>,
  message = 'The task was not finished in time. It was not charged.',
): Promise<Task | undefined> {
  const { upstreamTask } = task
  if (upstreamTask !== undefined) {
    const answer = await type.query(task, upstreamTask)
    const change = answer.is === 'answered' ? type.changeByRecord(answer.value, task, 0) : undefined
    if (change?.state === 'copying' || change?.state === 'closing') return changeTask(deps.store.tasks, task, change)
    await type.cancel(task, upstreamTask)
  }
  const error = { code: 'TaskExpired', message }
  return changeTask(deps.store.tasks, task, endWith({ state: 'expired', error, mayBeBilled: true }))
}

async function closeAbandoned(task: Task, deps: TaskWorkDependencies): Promise<Task | undefined> {
  const end = { state: 'rejected' as const }
  return closeTask({ ...task, data: { ...task.data, end } }, deps)
}
