import { attemptFacts } from '../observe/upstream-attempt.ts'
import { unavailable } from '../paid-call/hold-errors.ts'
import { releaseSlots } from '../paid-call/open.ts'
import type { Kind, PaidRequest } from '../paid-call/paid-request.ts'
import type { FailedAttempt } from '../routing/failed-attempt.ts'
import { endAttempt } from '../routing/next-attempt.ts'
import type { TaskWorkDependencies } from './dependencies.ts'
import type { TaskHold } from './reserve.ts'
import { closeTask } from './steps/close.ts'
import { endWith, pollInterval } from './steps/poll.ts'
import { type Change, changeTask, decodeTaskRow, formatTaskId, type Task, type TaskData } from './task.ts'
import type { UpstreamTask } from './task-type.ts'
import { TASK_TIMING } from './timing.ts'

/** One submit, over all its attempts. */
export type TaskSubmit<T extends Task = Task> = PaidRequest<Kind & { hold: TaskHold<T>; own: { task: T } }>

/** `rejected`: no task was made. `unknown`: one may have been. */
export type Submitted =
  | { is: 'taken'; record: Pick<UpstreamTask, 'id' | 'status'> }
  | { is: 'unknown'; failed: FailedAttempt }
  | { is: 'rejected'; failed: FailedAttempt }

/** What a type of task does in its own way. */
export type SubmitSteps<C extends TaskSubmit> = {
  /** Sends the submit, once. */
  attempt(call: C): Promise<Submitted>
  /** Makes another candidate the call's attempt, and writes that into the task. false: there is none. */
  moveOn(call: C, failed: FailedAttempt): Promise<boolean>
}

/** Resolves once the task is with an upstream, or may be. Throws Failure if none takes it; the hold is voided then. */
export async function submitTask<C extends TaskSubmit>(
  call: C,
  steps: SubmitSteps<C>,
  deps: TaskWorkDependencies,
): Promise<void> {
  const { tasks } = deps.store
  await begin(call, deps)
  const renewal = setInterval(
    () => void tasks.renew(call.own.task.id, call.own.task.version, TASK_TIMING.submitClaimMs).catch(() => {}),
    TASK_TIMING.submitClaimMs / 3,
  )
  try {
    for (;;) {
      const submitted = await steps.attempt(call)
      // What it costs is known when it ends: until then it counts as was expected.
      if (submitted.is !== 'rejected') call.upstreamCall.reservation?.used({})
      if (submitted.is === 'taken') return await taken(call, submitted.record, deps)
      endAttempt(call, submitted.failed, deps)
      if (submitted.is === 'unknown')
        return await record(call, { state: 'unknown', dueInMs: TASK_TIMING.firstSearchMs, data: namedBy(call) }, deps)
      if (!(await steps.moveOn(call, submitted.failed))) {
        await reject(call, submitted.failed, deps)
        throw submitted.failed.failure
      }
    }
  } finally {
    clearInterval(renewal)
    call.upstreamCall.stop()
  }
}

/** The intent is durable before it is sent. */
async function begin(call: TaskSubmit, deps: TaskWorkDependencies): Promise<void> {
  const change = { state: 'submitting' as const, dueInMs: TASK_TIMING.submitClaimMs }
  let task: Task | undefined
  try {
    task = await changeTask(deps.store.tasks, call.own.task, change)
  } finally {
    if (!task) releaseSlots({ upstreamCall: call.upstreamCall, health: call.attempt.health }, deps)
  }
  if (!task) throw unavailable()
  call.own.task = task
}

async function taken(
  call: TaskSubmit,
  { id, status }: Pick<UpstreamTask, 'id' | 'status'>,
  deps: TaskWorkDependencies,
): Promise<void> {
  const now = deps.ticker.now()
  call.attempt.health.answered(now, undefined)
  call.attempt.health.end(now)
  const state = status === 'running' ? 'running' : 'queued'
  await record(call, { state, upstreamTask: id, dueInMs: pollInterval(0, deps.random), data: namedBy(call) }, deps)
}

/** No upstream has the task. */
async function reject(call: TaskSubmit, { failure }: FailedAttempt, deps: TaskWorkDependencies): Promise<void> {
  const { code, message } = failure.info
  const change = endWith({ state: 'rejected', error: { code, message }, facts: attemptFacts(call.record) })
  const data = { ...change.data, ...namedBy(call) }
  const closing = await changeTask(deps.store.tasks, call.own.task, { ...change, data })
  if (closing) await closeTask(closing, deps)
}

/** What the upstream called the submit. */
function namedBy({ record }: TaskSubmit): Pick<TaskData, 'upstreamRequestId'> {
  const id = record.attempts.at(-1)?.requestId
  return id === undefined ? {} : { upstreamRequestId: id }
}

const STORE_PAUSE_MS = 500
const STORE_TRIES = 120

/** The upstream may have the task by now, so what is known of it must not get lost: the store is tried for a minute. */
async function record(call: TaskSubmit, change: Change, deps: TaskWorkDependencies): Promise<void> {
  const { tasks } = deps.store
  for (let tries = 1; ; tries++) {
    try {
      const changed = await changeTask(tasks, call.own.task, change)
      if (changed) {
        call.own.task = changed
        return
      }
      // Another process took this one for dead.
      const row = await tasks.find(call.own.task.id)
      if (!row || row.upstreamTask !== undefined || row.state !== 'unknown' || change.upstreamTask === undefined) return
      call.own.task = decodeTaskRow(row)
    } catch (error) {
      deps.log.error('submitted task not recorded', { task: formatTaskId(call.id), error: String(error) })
      if (tries >= STORE_TRIES) return
      await Bun.sleep(STORE_PAUSE_MS)
    }
  }
}
