// Tasks: generations that last longer than a request. A row is written before its task is sent to an upstream and is the
// only answer that clients get about it. Every change is a compare-and-set by `version`, which also grows when a task is claimed:
// so of two processes that work on one task, whatever the reason, only one can change it.

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

type TaskFields = {
  state: TaskState
  status: TaskStatus
  /** The id of the upstream in the configuration. */
  upstream: string
  /** Tells which of the upstream's keys the task was sent with: a hash of it. */
  upstreamKey: string
  /** The upstream's id of the task. undefined: not known (yet). */
  upstreamTask: string | undefined
  /** JSON, for the tasks room alone. */
  data: string
}

/** Times in milliseconds since 1970, by the store's clock. */
export type TaskRow = TaskFields & {
  /** Which steps it takes: those of a `video`, or of another type. */
  type: string
  /** That of the request, and of its hold. */
  id: bigint
  account: bigint
  /** That of the request. */
  key: bigint
  model: string
  serviceTier: string | undefined
  version: number
  createdAt: number
  /** When `status` last changed. */
  updatedAt: number
  /** An unfinished task is closed then. */
  deadline: number
  /** The store's clock when the row was read. */
  now: number
}

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
