// Tells `callback_url` of each change of a task's status, in order: three tries each, with pauses between them. Callbacks have
// slots that accounts and receivers share, so that a slow receiver delays no others.

import { signatureHeaders } from '../../access/secrets/callback-secret.ts'
import { createSharedSlots, type Share } from '../../sharing/shared-slots.ts'
import { LONGEST_PAUSE_MS } from '../../storage/tasks.ts'
import type { TaskWorkDependencies } from '../dependencies.ts'
import { changeTask, formatTaskId, type PendingCallback, storeNow, type Task } from '../task.ts'
import { type TaskTypes, upstreamTypeOf } from '../task-type.ts'
import { TASK_TIMING } from '../timing.ts'

const MOST_TRIES = 3
/** Callbacks at once, in all and to one receiver. */
const MOST_AT_ONCE = 64
const MOST_TO_RECEIVER = 16
const MOST_WAITING = 4_096

type Waiting = { id: bigint; version: number }

export type Callbacks = {
  /**
   * Sends the first pending callback and records how that went. undefined: another process has changed the task. `waiting`: the
   * task itself is due before the receiver has answered, and does not wait for it. The next call goes on waiting.
   */
  send(task: Task, callback: PendingCallback): Promise<Task | undefined | 'waiting'>
  /** The same for a task that has waited for a slot, which this releases. */
  sendWaiting(task: Task, release: () => void): Promise<Task | undefined>
  /** The task has changed: if it waits for a slot, that is the version which waits. */
  changed(task: Task): void
  close(): void
}

/** One that is due later than any callback waits was postponed before the store's clock was set back. */
export const dueCallback = (task: Task): PendingCallback | undefined => {
  const [next] = task.data.callbacks ?? []
  const now = storeNow(task)
  return next && (next.at <= now || next.at > now + LONGEST_PAUSE_MS) ? next : undefined
}

/** `woken` gets a task that has waited for a slot, with the slot. */
export function createCallbacks(
  types: TaskTypes,
  deps: TaskWorkDependencies,
  woken: (waiting: Waiting, release: () => void) => void,
): Callbacks {
  /** Callbacks that this process is sending, by task, status and try. */
  const underWay = new Map<string, Promise<Posted>>()
  const waiting = new Set<bigint>()
  const slots = createSharedSlots<Waiting>({
    limit: MOST_AT_ONCE,
    limitOf: () => MOST_TO_RECEIVER,
    mostWaiting: MOST_WAITING,
    woken(item, release) {
      waiting.delete(item.id)
      woken(item, release)
    },
  })

  const nameOf = ({ id }: Task, { status, tries }: PendingCallback): string => `${id} ${status} ${tries}`

  async function send(task: Task, callback: PendingCallback): Promise<Task | undefined | 'waiting'> {
    if (!underWay.has(nameOf(task, callback))) {
      const release = slots.take(shareOf(task))
      if (!release) return waitForSlot(task, callback)
      begin(task, callback, release)
    }
    return outcome(task, callback)
  }

  function begin(task: Task, callback: PendingCallback, release: () => void): void {
    underWay.set(nameOf(task, callback), post(task, callback, types, deps).finally(release))
  }

  async function outcome(task: Task, callback: PendingCallback): Promise<Task | undefined | 'waiting'> {
    const name = nameOf(task, callback)
    const posting = underWay.get(name)
    const timer = Promise.withResolvers<undefined>()
    const { pollAt } = task.data
    const timeout = pollAt === undefined ? undefined : setTimeout(timer.resolve, Math.max(0, pollAt - storeNow(task)))
    const posted = await Promise.race([posting, timer.promise])
    clearTimeout(timeout)
    if (!posted) {
      // It may be another process that goes on with the task.
      void posting?.then(() => setTimeout(() => underWay.delete(name), TASK_TIMING.claimMs))
      return 'waiting'
    }
    underWay.delete(name)
    return record(task, callback, posted, deps)
  }

  /** The task goes on. If there is nothing else to do for it now, it is due again later, unless it is woken before. */
  async function waitForSlot(task: Task, callback: PendingCallback): Promise<Task | undefined | 'waiting'> {
    const now = storeNow(task)
    const { pollAt, callbacks: [, ...others] = [] } = task.data
    if (pollAt !== undefined && pollAt <= now) return 'waiting'
    const postponed = { ...callback, at: now + TASK_TIMING.slotWaitMs }
    const dueInMs = pollAt === undefined ? undefined : pollAt - now
    const after = await changeTask(deps.store.tasks, task, { dueInMs, data: { callbacks: [postponed, ...others] } })
    if (after) wait(after)
    return after
  }

  function wait(task: Task): void {
    const { id, version } = task
    waiting.add(id)
    if (!slots.wait(id, shareOf(task), { id, version })) waiting.delete(id)
  }

  return {
    send,
    async sendWaiting(task, release) {
      const [callback] = task.data.callbacks ?? []
      if (!callback) return task
      if (underWay.has(nameOf(task, callback))) release()
      else begin(task, callback, release)
      const sent = await outcome(task, callback)
      // It is due by now, and was claimed for the callback alone.
      return sent === 'waiting' ? changeTask(deps.store.tasks, task, { dueInMs: 0 }) : sent
    },
    changed(task) {
      if (waiting.has(task.id)) wait(task)
    },
    close: () => slots.close(),
  }
}

function shareOf({ account, data: { callbackUrl = '' } }: Task): Share {
  return { account, pools: [`receiver ${URL.canParse(callbackUrl) ? new URL(callbackUrl).host : callbackUrl}`] }
}

function record(
  task: Task,
  callback: PendingCallback,
  { error }: Posted,
  deps: TaskWorkDependencies,
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

async function post(
  task: Task,
  { status, updatedAt }: PendingCallback,
  types: TaskTypes,
  deps: TaskWorkDependencies,
): Promise<Posted> {
  const { callbackUrl } = task.data
  if (callbackUrl === undefined) return { error: undefined }
  const body = upstreamTypeOf(task, types).encode(task, { status, updatedAt })
  const message = { id: `${formatTaskId(task.id)}_${status}`, timestamp: Math.floor(deps.clock() / 1_000), body }
  try {
    const answer = await deps.postPublic(callbackUrl, {
      body,
      contentType: 'application/json',
      timeoutMs: TASK_TIMING.acknowledgedWithinMs,
      headers: signatureHeaders(message, task.account, deps.accountCipher),
      allowPrivate: deps.catalogue().config.callbacks.allowPrivate,
    })
    return { error: answer >= 200 && answer < 300 ? undefined : `status ${answer}` }
  } catch (error) {
    return { error: String(error) }
  }
}
