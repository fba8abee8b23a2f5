// Tells `callback_url` of each change of a task's status, in order: three tries each, with pauses between them.

import { encodeTask } from '@trivium/protocol/dialects/video-tasks/task/encode-task.ts'
import type { Catalogue } from '../access/catalogue.ts'
import type { Log } from '../observe/log.ts'
import type { Tasks } from '../storage/tasks.ts'
import type { postPublic } from '../upstreams/public/post-public.ts'
import { changeTask, formatTaskId, type PendingCallback, storeNow, type Task } from './task.ts'
import { TASK_TIMING } from './timing.ts'
import { type ViewDependencies, viewOf } from './view.ts'

export type CallbackDependencies = ViewDependencies & {
  catalogue(): Catalogue
  postPublic: typeof postPublic
  store: { tasks: Tasks }
  log: Log
}

const MOST_TRIES = 3

export const dueCallback = (task: Task): PendingCallback | undefined => {
  const [next] = task.data.callbacks ?? []
  return next && next.at <= storeNow(task) ? next : undefined
}

/** Sends the first pending callback. undefined: another process has changed the task. */
export async function sendCallback(
  task: Task,
  callback: PendingCallback,
  deps: CallbackDependencies,
): Promise<Task | undefined> {
  const error = await post(task, callback, deps)
  const tries = callback.tries + 1
  const isOver = error === undefined || tries >= MOST_TRIES
  if (error !== undefined) {
    deps.log.warn('callback not delivered', { task: formatTaskId(task.id), status: callback.status, tries, error })
  }
  const [, ...others] = task.data.callbacks ?? []
  const at = storeNow(task) + (TASK_TIMING.callbackPausesMs[tries - 1] ?? 0)
  // Those behind it wait: a client sees the changes in their order.
  const waiting = isOver ? others : [{ ...callback, tries, at }, ...others.map((each) => ({ ...each, at }))]
  const { pollAt } = task.data
  const dueInMs = pollAt === undefined ? undefined : Math.max(0, pollAt - storeNow(task))
  return changeTask(deps.store.tasks, task, { dueInMs, data: { callbacks: waiting } })
}

/** undefined: delivered. */
async function post(task: Task, { status, updatedAt }: PendingCallback, deps: CallbackDependencies) {
  const { callbackUrl } = task.data
  if (callbackUrl === undefined) return undefined
  const body = encodeTask(viewOf(task, deps, { status, updatedAt }))
  try {
    const answer = await deps.postPublic(callbackUrl, {
      ...{ body, contentType: 'application/json', timeoutMs: TASK_TIMING.acknowledgedWithinMs },
      allowPrivate: deps.catalogue().config.callbacks.allowPrivate,
    })
    return answer >= 200 && answer < 300 ? undefined : `status ${answer}`
  } catch (error) {
    return String(error)
  }
}
