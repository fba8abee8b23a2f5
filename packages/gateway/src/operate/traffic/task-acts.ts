// What operators do with a task of any account: cancel it, ask its upstream now, or end it and release its hold. Tasks have a store of their
// own, so the audit row follows the change.
import { formatUsd } from '../../money/amount.ts'
import { Failure } from '../../request/failure.ts'
import { fields } from '../../request/schema/schema.ts'
import { cancelTask } from '../../tasks/steps/cancel.ts'
import { closeTask } from '../../tasks/steps/close.ts'
import { endWith } from '../../tasks/steps/poll.ts'
import { changeTask, decodeTaskRow, formatTaskId, storeNow, type Task } from '../../tasks/task.ts'
import { typeOf, upstreamTypeOf } from '../../tasks/task-type.ts'
import { expire } from '../../tasks/work.ts'
import { auditEntry, type OperationContext, operation, preview, type TaskActs } from '../operation.ts'
import type { Permission } from '../permissions.ts'
import { rejected } from '../rejections.ts'
import { findTask, showTask, TASK } from '../reports/tasks.ts'
import { TASK_SHOWN } from '../resources/traffic.ts'

/** `act` resolves with false if the task has changed meanwhile: then what it is now decides. */
type Act = {
  summary: string
  /** As in `The task is running and cannot be cancelled.` */
  done: string
  isPossible(task: Task): boolean
  act(task: Task, acts: TaskActs): Promise<boolean>
}

const MOST_TRIES = 3

const taskAct = <const Name extends string>(
  name: Name,
  permission: Permission,
  { summary, done, isPossible, act }: Act,
) =>
  operation({
    name,
    permission,
    route: { at: `POST tasks/{task}/${name.slice('task '.length)}`, summary, output: TASK_SHOWN },
    input: fields({ task: TASK }),
    async run(context, { task: named }) {
      const { tasks: acts } = context
      if (!acts) throw rejected('needs_server', {})
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const task = decodeTaskRow(await findTask(context, named))
        if (!isPossible(task)) throw rejected('task_in_state', { state: task.state, act: done })
        const change = { object: `task/${formatTaskId(task.id)}`, before: { state: task.state } }
        const held_usd = formatUsd(BigInt(task.data.held))
        preview(context, name, { ...change, effects: { held_usd } })
        if (!(await described(act(task, acts)))) continue
        await note(context, name, task, change)
        return await showTask.run(context, { task: named })
      }
      throw rejected('task_in_state', { state: 'changing', act: done })
    },
  })

async function note(context: OperationContext, action: string, { id }: Task, change: { object: string }) {
  const { storage } = context
  const after = { state: (await storage.tasks.find(id))?.state ?? 'removed' }
  await storage.auditLog.add(auditEntry(context, action, { ...change, after }))
}

/** What a client would be told of the task is told to the operator. */
async function described(act: Promise<boolean>): Promise<boolean> {
  try {
    return await act
  } catch (error) {
    if (error instanceof Failure) throw rejected('task_rejected', { message: error.message })
    throw error
  }
}

/** At its upstream, which does so only while the task is queued. Nothing is charged. */
export const cancelOperatedTask = taskAct('task cancel', 'accounts', {
  summary: 'Cancels a queued task at its upstream; nothing is charged',
  done: 'cancelled',
  isPossible: ({ state }) => state === 'queued',
  act(task, { types, deps }) {
    const type = typeOf(task, types)
    return 'run' in type ? type.cancel(task) : cancelTask(task, type, deps)
  },
})

/** A worker of any node asks at once. A copy that is under way would begin again: that one is left alone. */
export const queryTask = taskAct('task query', 'accounts', {
  summary: 'Queries the upstream for the state of a task now',
  done: 'queried',
  isPossible: (task) =>
    ['unknown', 'queued', 'running'].includes(task.state) ||
    (task.state === 'copying' && (task.data.pollAt ?? 0) > storeNow(task)),
  act: async (task, { deps }) => (await changeTask(deps.store.tasks, task, { dueInMs: SOON_MS })) !== undefined,
})

/** Not 0: this process would keep the task claimed as its next step. */
const SOON_MS = 1

/**
 * Ends a task as its deadline would: one that has finished at its upstream meanwhile is copied and charged; of any other the hold is voided,
 * and the upstream is asked to stop. A result that cannot be copied is given up.
 */
export const releaseTask = taskAct('task release', 'money', {
  summary: 'Ends a task and its hold: one that has finished is charged, any other is not',
  done: 'released',
  isPossible: ({ state }) => ['unknown', 'queued', 'running', 'copying', 'closing'].includes(state),
  async act(task, { types, deps }) {
    const type = typeOf(task, types)
    if ('run' in type) return type.cancel(task)
    const ended = await endNow(task, { types, deps })
    if (ended?.state === 'closing') await closeTask(ended, deps)
    if (ended?.state === 'copying') await changeTask(deps.store.tasks, ended, { dueInMs: SOON_MS })
    return ended !== undefined
  },
})

async function endNow(task: Task, { types, deps }: TaskActs): Promise<Task | undefined> {
  if (task.state === 'closing') return task
  const isMade = task.state === 'copying'
  if (!isMade) return await expire(task, upstreamTypeOf(task, types), deps, RELEASED)
  const error = { code: 'InternalServiceError', message: NOT_COPIED }
  return await changeTask(deps.store.tasks, task, endWith({ state: 'failed', error, mayBeBilled: true }))
}

const RELEASED = 'The operator ended the task. It was not charged.'
const NOT_COPIED = 'The result could not be downloaded from the upstream. It was not charged.'
