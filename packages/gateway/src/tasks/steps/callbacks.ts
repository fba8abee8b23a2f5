// Tells `callback_url` of each change of a task's status, in order: three tries each, with pauses between them.

import { encodeTask } from '@trivium/protocol/dialects/video-tasks/task/encode-task.ts'
import type { Catalogue } from '../../access/models/catalogue.ts'
import type { Log } from '../../observe/log.ts'
import type { Tasks } from '../../storage/tasks.ts'
import type { postPublic } from '../../upstreams/public/post-public.ts'
import { changeTask, formatTaskId, type PendingCallback, storeNow, type Task } from '../task.ts'
import { TASK_TIMING } from '../timing.ts'
import { type ViewDependencies, viewOf } from '../view.ts'

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

/** Callbacks that this process is sending, by task, status and try. */
const underWay = new Map<string, Promise<Posted>>()

/**
 * Sends the first pending callback and records how that went. undefined: another process has changed the task. `waiting`: the task
 * itself is due before the receiver has answered, and does not wait for it. The next call goes on waiting.
 */
export async function sendCallback(
  task: Task,
  callback: PendingCallback,
  deps: CallbackDependencies,
): Promise<Task | undefined | 'waiting'> {
  const name = `${task.id} ${callback.status} ${callback.tries}`
  const posting = underWay.get(name) ?? post(task, callback, deps)
  underWay.set(name, posting)
  const timer = Promise.withResolvers<undefined>()
  const { pollAt } = task.data
  const timeout = pollAt === undefined ? undefined : setTimeout(timer.resolve, Math.max(0, pollAt - storeNow(task)))
  const posted = await Promise.race([posting, timer.promise])
  clearTimeout(timeout)
  if (!posted) {
    // It may be another process that goes on with the task.
    void posting.then(() => setTimeout(() => underWay.delete(name), TASK_TIMING.claimMs))
    return 'waiting'
  }
  underWay.delete(name)
  return record(task, callback, posted, deps)
}

function record(
  task: Task,
  callback: PendingCallback,
  { error }: Posted,
  deps: CallbackDependencies,
): Promise<Task | undefined> {
  const tries = callback.tries + 1
  const isOver = error === undefined || tries >= MOST_TRIES
  if (error !== undefined) {
    deps.log.warn('callback not delivered', { task: formatTaskId(task.id), status: callback.status, tries, error })
  }
  const [, ...others] = task.data.callbacks ?? []
  const at = storeNow(task) + (TASK_TIMING.callbackPausesMs[tries - 1] ?? 0)
  // Those behind it wait: a client sees the changes in their order.
  const waiting = isOver ? others : [{ ...callback, tries, at }, ...others]
  const { pollAt } = task.data
  const dueInMs = pollAt === undefined ? undefined : Math.max(0, pollAt - storeNow(task))
  return changeTask(deps.store.tasks, task, { dueInMs, data: { callbacks: waiting } })
}

/** `error` undefined: delivered. */
type Posted = { error: string | undefined }

async function post(task: Task, { status, updatedAt }: PendingCallback, deps: CallbackDependencies): Promise<Posted> {
  const { callbackUrl } = task.data
  if (callbackUrl === undefined) return { error: undefined }
  const body = encodeTask(viewOf(task, deps, { status, updatedAt }))
  try {
    const answer = await deps.postPublic(callbackUrl, {
      ...{ body, contentType: 'application/json', timeoutMs: TASK_TIMING.acknowledgedWithinMs },
      allowPrivate: deps.catalogue().config.callbacks.allowPrivate,
    })
    return { error: answer >= 200 && answer < 300 ? undefined : `status ${answer}` }
  } catch (error) {
    return { error: String(error) }
  }
}
