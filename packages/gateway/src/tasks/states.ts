// The states of a task, the transitions between them, and what clients see of them.
//
//   accepted    the row exists, nothing is held or sent yet
//   submitting  the submit may be under way: from here on it is never sent again
//   unknown     whether the upstream has the task is not known
//   copying     the upstream has finished; the video is being copied
//   running     with the upstream, or run by the gateway itself: then its hold is settled before it ends
//   closing     how the task ends is decided; the hold is not settled yet
//
// A task whose submit was rejected has no row any more: the client got the error instead of an id.

import type { TaskRow, TaskState, TaskStatus } from '../storage/tasks.ts'

export const TRANSITIONS: Readonly<Record<TaskState, readonly TaskState[]>> = {
  accepted: ['submitting', 'queued'],
  submitting: ['submitting', 'unknown', 'queued', 'running', 'closing'],
  unknown: ['queued', 'running', 'copying', 'closing'],
  queued: ['running', 'copying', 'closing'],
  running: ['copying', 'closing', 'succeeded', 'failed', 'cancelled'],
  copying: ['closing'],
  closing: ['succeeded', 'failed', 'cancelled', 'expired'],
  succeeded: [],
  failed: [],
  cancelled: [],
  expired: [],
}

export type EndState = 'succeeded' | 'failed' | 'cancelled' | 'expired'

export const isEnded = (state: TaskState): state is EndState => TRANSITIONS[state].length === 0

/** Throws where the table has no such transition: that would be a fault of this room. */
export function checkTransition(from: TaskState, to: TaskState): void {
  if (from !== to && !TRANSITIONS[from].includes(to)) throw new Error(`a task cannot go from ${from} to ${to}`)
}

/** What clients see once the task is in this state. It never goes backwards: `running` is not followed by `queued`. */
export function statusIn(state: TaskState, task: Pick<TaskRow, 'status'>): TaskStatus {
  switch (state) {
    case 'accepted':
    case 'submitting':
    case 'unknown':
    case 'queued':
      return task.status
    case 'running':
    case 'copying':
      return 'running'
    case 'closing':
      return task.status
    default:
      return state
  }
}
