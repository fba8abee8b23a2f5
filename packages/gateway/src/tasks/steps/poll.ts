import type { TaskWorkDependencies } from '../dependencies.ts'
import { type Change, changeTask, formatTaskId, storeNow, type Task } from '../task.ts'
import type { TaskType, UpstreamTask } from '../task-type.ts'
import { TASK_TIMING } from '../timing.ts'
import type { Answer } from '../upstream.ts'

const GROWTH = 1.25
const JITTER = 0.1
/** An upstream may ask for more patience than its tasks have. */
const LONGEST_RETRY_AFTER_MS = 10 * 60_000

/** Longer after each query; varied, so that tasks that began together are not queried together. */
export function pollInterval(polls: number, random: () => number): number {
  const interval = Math.min(TASK_TIMING.longestPollMs, TASK_TIMING.firstPollMs * GROWTH ** polls)
  return Math.round(interval * (1 - JITTER + 2 * JITTER * random()))
}

export async function poll(
  task: Task,
  upstreamTask: string,
  type: TaskType,
  deps: TaskWorkDependencies,
): Promise<Task | undefined> {
  const answer = await type.query(task, upstreamTask)
  return changeTask(deps.store.tasks, task, changeBy(answer, task, type, deps))
}

function changeBy(answer: Answer<UpstreamTask>, task: Task, type: TaskType, deps: TaskWorkDependencies): Change {
  const polls = task.data.polls + 1
  const retryAfter = answer.is === 'gone' ? 0 : (answer.retryAfterMs ?? 0)
  const wanted = Math.max(pollInterval(polls, deps.random), Math.min(retryAfter, LONGEST_RETRY_AFTER_MS))
  // It is closed at its deadline, whatever retry-after the upstream sent.
  const dueInMs = Math.min(wanted, Math.max(0, task.deadline - storeNow(task)))
  if (answer.is === 'answered') return type.changeByRecord(answer.value, task, dueInMs)
  const reason = answer.is === 'gone' ? answer.reason : `status ${answer.status}`
  deps.log.warn('task not queried', { task: formatTaskId(task.id), upstream: task.upstream, reason })
  if (answer.is !== 'status' || answer.status !== 404) return { dueInMs, data: { polls } }
  const since = task.data.missingSince ?? storeNow(task)
  // It stays what it was: some services do not know their own tasks at first.
  if (storeNow(task) - since < TASK_TIMING.missingMs) return { dueInMs, data: { polls, missingSince: since } }
  return endWith({ state: 'failed', error: LOST, mayBeBilled: true })
}

export const endWith = (
  end: NonNullable<Task['data']['end']>,
): Pick<Change, 'state' | 'dueInMs'> & {
  data: { end: NonNullable<Task['data']['end']> }
} => ({
  state: 'closing',
  dueInMs: 0,
  data: { end },
})

const LOST = { code: 'InternalServiceError', message: 'The upstream lost the task. Submit it again.' }
