// Asks the upstream how a task is doing, and what follows from the answer.

import type { UpstreamVideoTask, VideoResult, VideoTaskError } from '@trivium/protocol/canonical/video.ts'
import type { Log } from '../../observe/log.ts'
import type { Tasks } from '../../storage/tasks.ts'
import { type Change, changeTask, formatTaskId, storeNow, type Task } from '../task.ts'
import { TASK_TIMING } from '../timing.ts'
import { type Answer, queryTask, type UpstreamDependencies } from '../upstream.ts'

export type PollDependencies = UpstreamDependencies & { store: { tasks: Tasks }; random(): number; log: Log }

const GROWTH = 1.25
const JITTER = 0.1
/** An upstream may ask for more patience than its tasks have. */
const LONGEST_RETRY_AFTER_MS = 10 * 60_000

/** Longer after each query; varied, so that tasks that began together are not queried together. */
export function pollInterval(polls: number, random: () => number): number {
  const interval = Math.min(TASK_TIMING.longestPollMs, TASK_TIMING.firstPollMs * GROWTH ** polls)
  return Math.round(interval * (1 - JITTER + 2 * JITTER * random()))
}

export async function poll(task: Task, upstreamTask: string, deps: PollDependencies): Promise<Task | undefined> {
  const answer = await queryTask(task, upstreamTask, deps)
  return changeTask(deps.store.tasks, task, changeBy(answer, task, deps))
}

function changeBy(answer: Answer<UpstreamVideoTask>, task: Task, deps: PollDependencies): Change {
  const polls = task.data.polls + 1
  const retryAfter = answer.is === 'gone' ? 0 : (answer.retryAfterMs ?? 0)
  const wanted = Math.max(pollInterval(polls, deps.random), Math.min(retryAfter, LONGEST_RETRY_AFTER_MS))
  // It is closed at its deadline, however long the upstream wants to be left alone.
  const dueInMs = Math.min(wanted, Math.max(0, task.deadline - storeNow(task)))
  if (answer.is === 'answered') return changeByRecord(answer.value, task, dueInMs)
  const reason = answer.is === 'gone' ? answer.reason : `status ${answer.status}`
  deps.log.warn('video task not queried', { task: formatTaskId(task.id), upstream: task.upstream, reason })
  if (answer.is !== 'status' || answer.status !== 404) return { dueInMs, data: { polls } }
  const since = task.data.missingSince ?? storeNow(task)
  // It stays what it was: some services do not know their own tasks at first.
  if (storeNow(task) - since < TASK_TIMING.missingMs) return { dueInMs, data: { polls, missingSince: since } }
  return endWith({ state: 'failed', error: LOST, mayBeBilled: true })
}

/** What the upstream's record means. It is a verdict only where the upstream says that the task has ended. */
export function changeByRecord(record: UpstreamVideoTask, task: Task, later: number): Change {
  const { serviceTier, expiresAfter } = record
  const reported = {
    ...task.data.reported,
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(expiresAfter === undefined ? {} : { expiresAfter }),
  }
  const data = { polls: task.data.polls + 1, missingSince: undefined, reported }
  switch (record.status) {
    case 'succeeded':
      return { state: 'copying', dueInMs: 0, data: { ...data, result: storable(record), finishedAt: storeNow(task) } }
    case 'failed':
      return withData(endWith({ state: 'failed', error: shownError(record.error) }), data)
    case 'cancelled':
    case 'expired':
      return withData(
        endWith({ state: record.status, ...(record.error ? { error: shownError(record.error) } : {}) }),
        data,
      )
    case 'running':
      return { state: 'running', dueInMs: later, data }
    default: {
      // A task that was shown as running does not go back.
      const state = task.state === 'unknown' ? (task.status === 'queued' ? 'queued' : 'running') : task.state
      return { state, dueInMs: later, data }
    }
  }
}

const withData = (change: Change, data: Change['data']): Change => ({ ...change, data: { ...data, ...change.data } })

/** Without the video itself, which is queried again when it is copied, and without more than a row should have. */
function storable({ video, lastFrame, unknown, ...record }: UpstreamVideoTask): UpstreamVideoTask {
  const isSmall = unknown.reduce((sum, { name, text }) => sum + name.length + text.length, 0) <= MOST_UNKNOWN
  return {
    ...record,
    unknown: isSmall ? unknown : [],
    ...(isStorable(video) ? { video } : {}),
    ...(isStorable(lastFrame) ? { lastFrame } : {}),
  }
}

const MOST_UNKNOWN = 16 * 1024
const LONGEST_URL = 8 * 1024

const isStorable = (result: VideoResult | undefined): result is VideoResult =>
  result?.kind === 'url' && result.url.length <= LONGEST_URL

export const endWith = (end: NonNullable<Task['data']['end']>): Change => ({
  state: 'closing',
  dueInMs: 0,
  data: { end },
})

const LOST = { code: 'InternalServiceError', message: 'The upstream lost the task. Submit it again.' }

const LONGEST_CODE = 128

const shownError = (error: VideoTaskError | undefined): { code: string; message: string } => ({
  code: error?.code.slice(0, LONGEST_CODE) ?? 'InternalServiceError',
  message: error?.message ?? 'The upstream could not make the video.',
})
