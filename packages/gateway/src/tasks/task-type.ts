// What a type of task does in its own way. The rows, claims, slots, callbacks and the settlement are the same for all types.

import type { TaskStatus } from '../storage/tasks.ts'
import type { Change, Task } from './task.ts'
import type { Answer } from './upstream.ts'

/** A task as its upstream shows it. */
export type UpstreamTask = {
  id: string
  /** `unknown`: a word without a known meaning, which is no verdict about the task. */
  status: TaskStatus | 'unknown'
  /** Our own id of the task, where the upstream repeats it. */
  reference?: string
  /** Seconds since 1970. */
  createdAt?: number
}

/** The steps of one type. `T` and `U` are its own tasks and the upstream's records of them. */
export type TaskType<T extends Task = Task, U extends UpstreamTask = UpstreamTask> = {
  query(task: T, upstreamTask: string): Promise<Answer<U>>
  list(task: T, page: { page: number; pageSize: number }): Promise<Answer<{ tasks: readonly U[] }>>
  cancel(task: T, upstreamTask: string): Promise<Answer<undefined>>
  /** What the upstream's record means. `later`: when the task is queried again unless it has ended. */
  changeByRecord(record: U, task: T, later: number): Change<T['data']>
  /** For a task in `copying`: fetches the result and ends the task. undefined: another process has changed it. */
  copy(task: T): Promise<T | undefined>
  /** What is read again from its upstream when it is copied may be the whole result, in memory. */
  isCopiedInMemory(task: T): boolean
  /** The task is deleted, and its result with it. */
  removeResult(task: T): Promise<void>
  /** As its clients see it. `as`: as it was when it got this status. */
  encode(task: T, as?: ShownStatus): string
}

export type ShownStatus = { status: TaskStatus; updatedAt: number }

/** A type that the gateway runs itself, in one long step, as the request that it is. */
export type OwnTaskType<T extends Task = Task> = {
  /** For a task in `queued` that has a slot: runs it to its end. undefined: another process has changed it. */
  run(task: T): Promise<T | undefined>
  /** For one that is due and cannot be run: in `queued` past its deadline, or in `running`, by this process or another one. */
  lookAfter(task: T): Promise<T | undefined>
  /** For an operator: ends it, queued or running. false: it has changed meanwhile. */
  cancel(task: T): Promise<boolean>
}

/** By the type that rows name. */
export type TaskTypes = Readonly<Record<string, TaskType | OwnTaskType>>

export function typeOf({ data }: Task, types: TaskTypes): TaskType | OwnTaskType {
  const type = types[data.type]
  if (!type) throw new Error(`there is no task type ${data.type}`)
  return type
}

/** The type of a task that is with an upstream. */
export function upstreamTypeOf(task: Task, types: TaskTypes): TaskType {
  const type = typeOf(task, types)
  if ('run' in type) throw new Error(`tasks of the type ${task.data.type} are with no upstream`)
  return type
}
