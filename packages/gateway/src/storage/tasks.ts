// Tasks: generations that last longer than a request. A row is written before its task is sent to an upstream and is the
// only answer that clients get about it. Every change is a compare-and-set by `version`, which also grows when a task is claimed:
// so of two processes that work on one task, whatever the reason, only one can change it.

import { fieldsOf, integer, maybe, small, text, word } from './fields.ts'
import type { MadeWith } from './keys.ts'

/** The transitions between them are in tasks/states.ts. */
export const TASK_STATES = [
  'accepted',
  'submitting',
  'unknown',
  'queued',
  'running',
  'copying',
  'closing',
  'succeeded',
  'failed',
  'cancelled',
  'expired',
] as const
export type TaskState = (typeof TASK_STATES)[number]
/** A task in one of these has ended. */
export const LAST_STATES = ['succeeded', 'failed', 'cancelled', 'expired'] as const satisfies TaskState[]

/** The state as clients see it. */
export type TaskStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'expired'

/** Times in milliseconds since 1970, by the store's clock. */
export const toTask = fieldsOf({
  /** That of the request, and of its hold. */
  id: integer,
  account: integer,
  /** That of the request. */
  key: integer,
  /** Which steps it takes: those of a `video`, or of another type. */
  type: text,
  version: small,
  state: word<TaskState>(),
  status: word<TaskStatus>(),
  model: text,
  serviceTier: maybe(text),
  /** The id of the upstream in the configuration. */
  upstream: text,
  /** Tells which of the upstream's keys the task was sent with: a hash of it. */
  upstreamKey: text,
  /** The upstream's id of the task. undefined: not known (yet). */
  upstreamTask: maybe(text),
  createdAt: small,
  /** When `status` last changed. */
  updatedAt: small,
  /** An unfinished task is closed then. */
  deadline: small,
  /** JSON, for the tasks room alone. */
  data: text,
  /** The store's clock when the row was read. */
  now: small,
})
export type TaskRow = ReturnType<typeof toTask>
type TaskFields = Pick<TaskRow, 'state' | 'status' | 'upstream' | 'upstreamKey' | 'upstreamTask' | 'data'>

export type NewTask = TaskFields &
  Pick<TaskRow, 'id' | 'account' | 'key' | 'type' | 'model' | 'serviceTier'> & {
    deadlineInMs: number
    /** When a process must take up the task, if the one that inserts it does not. */
    dueInMs: number
  }

/** Fields that are absent stay. */
export type TaskChange = Partial<TaskFields> & {
  /** When the task is claimed next. undefined: there is nothing left to do. */
  dueInMs: number | undefined
  /** The claim is kept for so long. Absent: it is released. */
  claimMs?: number
  /** The row is removed by `sweep` after this long. Absent: as before. */
  keepMs?: number
}

export type TaskFilter = {
  type?: string
  statuses?: readonly TaskStatus[]
  ids?: readonly bigint[]
  model?: string
  serviceTier?: string
  /** Only tasks that were submitted with this key, since then. */
  madeWith?: MadeWith
}

/** Which of the tasks that are due are claimed, so that no account and no upstream takes everything. */
export type ClaimShares = {
  /** The most of one account, and of one upstream. */
  mostOfEach: number
  /** Tasks of these are not claimed. */
  exceptAccounts: readonly bigint[]
  exceptUpstreams: readonly string[]
}

/**
 * No task waits for longer than this until it is due, and no claim lasts longer. One that seems to was written before the store's
 * clock was set back, and is due now.
 */
export const LONGEST_PAUSE_MS = 15 * 60_000
