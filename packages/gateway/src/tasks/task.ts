// A task as this room works with it: the row of the store, with its data decoded.

import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import type { Attribution } from '../money/budgets/attribution.ts'
import type { Parent, Span } from '../observe/traces/context.ts'
import type { AttemptFacts } from '../observe/upstream-attempt.ts'
import type { AttemptEntry } from '../paid-call/paid-request.ts'
import type { Tasks } from '../storage/storage.ts'
import type { TaskChange, TaskRow, TaskState, TaskStatus } from '../storage/tasks.ts'
import { checkTransition, type EndState, statusIn } from './states.ts'
import { TASK_TIMING } from './timing.ts'

/** Everything about a task that the store need not understand. Amounts are decimal texts in nano-USD. */
export type TaskData = {
  /** Which `TaskType` its steps are. */
  type: string
  /** The dialect of its upstream. */
  dialect: DialectId
  /** The model's name at the upstream. */
  upstreamModel: string
  /** As it was at the submit. */
  price: { group: string; model: string; version: string; configuration?: string; multiplierMillionths: string }
  held: string
  callbackUrl?: string
  /** The span of the request that submitted it, where that is traced. */
  trace?: Pick<Span, 'traceId' | 'spanId'>
  /** What the caller calls the request, and the span in which it was sent. */
  clientRequestId?: string
  /** Whom and what it is for. */
  attribution?: Attribution
  /** What its receipt says of its budgets. */
  budgets?: string
  parent?: Parent
  /** What the upstream called the last submit. */
  upstreamRequestId?: string
  /** For the receipt. */
  warnings: readonly string[]
  failedAttempts?: readonly AttemptEntry[]
  /** Queries so far: their intervals grow. */
  polls: number
  /** When there is more to do than to send callbacks; by the store's clock. Absent: nothing. */
  pollAt?: number
  /** Since when the upstream says that there is no such task. */
  missingSince?: number | undefined
  end?: TaskEnd
  callbacks?: readonly PendingCallback[]
}

/** `rejected`: the client got an error in place of the task, whose row is removed. */
export type TaskEnd = {
  state: EndState | 'rejected'
  error?: { code: string; message: string }
  /** What the upstream said when it rejected the submit, for the receipt. */
  facts?: AttemptFacts
  /** Nano-USD. Absent: nothing is charged. */
  cost?: string
  units?: string
  figures?: string
  /** Members of the receipt that only this type of task has, in JSON, each after a comma. */
  details?: string
  /** The upstream may charge the operator all the same. */
  mayBeBilled?: true
}

/** A change that `callback_url` has not been told of yet. `at`: milliseconds since 1970. */
export type PendingCallback = { status: TaskStatus; updatedAt: number; tries: number; at: number }

/** `readAt`: monotonic, when the row was read. */
export type Task<D extends TaskData = TaskData> = Omit<TaskRow, 'data'> & { data: D; readAt: number }

export const decodeTaskRow = <D extends TaskData>(row: TaskRow): Task<D> => ({
  ...row,
  data: JSON.parse(row.data) as D,
  readAt: performance.now(),
})

/** The store's clock now, in milliseconds since 1970. */
export const storeNow = ({ now, readAt }: Task): number => Math.round(now + performance.now() - readAt)

export type Change<D extends TaskData = TaskData> = Omit<TaskChange, 'data' | 'status' | 'state'> & {
  state?: TaskState
  data?: Partial<D>
}

/** One transition: a compare-and-set. `dueInMs`: when there is more to do than to send callbacks. undefined: another process has changed the task. */
export async function changeTask<D extends TaskData>(
  tasks: Pick<Tasks, 'update'>,
  task: Task<D>,
  change: Change<D>,
): Promise<Task<D> | undefined> {
  const state = change.state ?? task.state
  checkTransition(task.state, state)
  const status = statusIn(state, task)
  const now = storeNow(task)
  const callbacks = withCallback(task, status, now)
  const { pollAt: _, ...before } = task.data
  const pollAt = change.dueInMs === undefined ? {} : { pollAt: now + change.dueInMs }
  const data = { ...before, ...pollAt, ...(callbacks ? { callbacks } : {}), ...change.data }
  // Callbacks are sent in order: those behind the first wait for it.
  const dueAt = Math.min(...[data.pollAt ?? [], data.callbacks?.[0]?.at ?? []].flat())
  const dueInMs = Number.isFinite(dueAt) ? Math.max(0, dueAt - now) : undefined
  // What follows at once is done by the same process.
  const isNext = change.dueInMs === 0 && (state === 'copying' || state === 'closing')
  const claim = isNext ? { claimMs: TASK_TIMING.claimMs } : {}
  const text = JSON.stringify(data)
  const row = await tasks.update(task.id, task.version, { ...claim, ...change, state, status, data: text, dueInMs })
  return row && decodeTaskRow<D>(row)
}

/** A change of the status is announced. undefined: there is nothing to announce, or no URL to announce it to. */
function withCallback({ data, status: before }: Task, status: TaskStatus, now: number): PendingCallback[] | undefined {
  if (data.callbackUrl === undefined || status === before) return undefined
  return [...(data.callbacks ?? []), { status, updatedAt: now, tries: 0, at: now }]
}

/** Whether the process that changed the task last goes on with it. */
export const isClaimed = ({ state, data, ...task }: Task): boolean =>
  (state === 'copying' || state === 'closing') &&
  (data.pollAt ?? Number.POSITIVE_INFINITY) <= storeNow({ ...task, state, data })

const TASK_ID = /^cgt-[0-7][0-9a-f]{15}$/

/** The id for clients. */
export const formatTaskId = (id: bigint): string => `cgt-${id.toString(16).padStart(16, '0')}`
export const parseTaskId = (text: string): bigint | undefined =>
  TASK_ID.test(text) ? BigInt(`0x${text.slice('cgt-'.length)}`) : undefined
