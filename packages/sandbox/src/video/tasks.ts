// The tasks of the sandbox. What a task is depends on its id and the clock alone: nothing runs between requests. Only which
// tasks are listed, cancelled, deleted or still hidden by a fault is in memory.

import { sizeOf } from './film.ts'
import { PROMISED_RATE, type VideoOrder } from './submit.ts'
import { type CreatedTask, decodeTaskId, encodeTaskId } from './task-id.ts'

export type TaskStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'

export type Task = CreatedTask & {
  id: string
  cancelledAt: number | undefined
  /** Queries that are still to be answered with 404. */
  hiddenFor: number
}

const QUEUED_MS = 500
const RUNNING_MS = 500
const RUNNING_MS_PER_SECOND = 400
const MOST_KEPT = 10_000

/** 0.9 s for 1 s of video after the queue, 5.3 s for 12 s. */
const endOf = ({ createdAt, order }: Task): number =>
  createdAt + QUEUED_MS + RUNNING_MS + order.seconds * RUNNING_MS_PER_SECOND

export function statusOf(task: Task, now: number): { status: TaskStatus; since: number } {
  const { createdAt, cancelledAt, order } = task
  if (cancelledAt !== undefined) return { status: 'cancelled', since: cancelledAt }
  const started = createdAt + QUEUED_MS
  const { flags } = order.faults
  if (now < started || flags.has('never-starts')) return { status: 'queued', since: createdAt }
  if (flags.has('never-ends') || now < endOf(task)) return { status: 'running', since: started }
  return { status: flags.has('fails') || flags.has('moderation') ? 'failed' : 'succeeded', since: endOf(task) }
}

export type Tasks = ReturnType<typeof openTasks>

export function openTasks(clock: () => number) {
  const kept = new Map<string, Task>()
  const removed = new Set<string>()
  const keep = (id: string, { order, createdAt }: CreatedTask): Task => {
    const hiddenFor = order.faults.numbers['not-found'] ?? 0
    const task = { id, order, createdAt, cancelledAt: undefined, hiddenFor }
    kept.set(id, task)
    dropOldest(kept)
    return task
  }
  return {
    add(order: VideoOrder): Task {
      const created = { order, createdAt: clock() }
      return keep(encodeTaskId(created), created)
    },
    /** Also a task of another process, or one from before a restart. */
    find(id: string): Task | undefined {
      if (removed.has(id)) return undefined
      const created = kept.has(id) ? undefined : decodeTaskId(id)
      return created === undefined ? kept.get(id) : keep(id, created)
    },
    remove(id: string): void {
      kept.delete(id)
      removed.add(id)
      dropOldest(removed)
    },
    /** The tasks that this process knows. */
    newestFirst: (): Task[] => [...kept.values()].reverse().sort((one, other) => other.createdAt - one.createdAt),
  }
}

function dropOldest(entries: Map<string, unknown> | Set<string>): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= MOST_KEPT) break
    entries.delete(oldest)
  }
}

/** `origin`: of the URLs. */
export function recordOf(task: Task, now: number, origin: string): Record<string, unknown> {
  const { id, order, createdAt } = task
  const { status, since } = statusOf(task, now)
  const { width, height } = sizeOf(order.resolution, order.ratio)
  const tokens = Math.floor((width * height * PROMISED_RATE * order.seconds) / 1024)
  const length = order.frames === undefined ? { duration: order.seconds } : { frames: order.frames }
  const urlOf = (kind: 'mp4' | 'png') => `${origin}/api/v3/sandbox-videos/${id}.${kind}`
  const content = { video_url: urlOf('mp4'), ...(order.lastFrame ? { last_frame_url: urlOf('png') } : {}) }
  const isEchoed = order.safetyIdentifier !== undefined && !order.faults.flags.has('no-echo')
  return {
    id,
    model: order.model,
    status,
    ...(status === 'failed' ? { error: errorOf(order) } : {}),
    ...(status === 'succeeded' ? { content, usage: { completion_tokens: tokens, total_tokens: tokens } } : {}),
    created_at: Math.floor(createdAt / 1000),
    updated_at: Math.floor(since / 1000),
    seed: order.seed,
    resolution: order.resolution,
    ratio: order.ratio,
    ...length,
    framespersecond: PROMISED_RATE,
    service_tier: 'default',
    sandbox: true,
    ...(isEchoed ? { safety_identifier: order.safetyIdentifier } : {}),
  }
}

const errorOf = ({ faults }: VideoOrder): { code: string; message: string } =>
  faults.flags.has('moderation')
    ? { code: 'OutputVideoSensitiveContentDetected', message: '[sandbox] The video may contain sensitive content.' }
    : { code: 'InternalServiceError', message: '[sandbox] The fault switch asked for a failure.' }
