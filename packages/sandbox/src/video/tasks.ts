// The tasks of the sandbox, in memory. What a task is depends on the clock alone: nothing runs between requests.

import { sizeOf } from './film.ts'
import type { VideoOrder } from './submit.ts'

export type TaskStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'

export type Task = {
  id: string
  order: VideoOrder
  /** Milliseconds since 1970. */
  createdAt: number
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
  if (now < started) return { status: 'queued', since: createdAt }
  const { flags } = order.faults
  if (flags.has('never-ends') || now < endOf(task)) return { status: 'running', since: started }
  return { status: flags.has('fails') || flags.has('moderation') ? 'failed' : 'succeeded', since: endOf(task) }
}

export function openTasks(clock: () => number) {
  const tasks = new Map<string, Task>()
  let count = 0
  return {
    add(order: VideoOrder): Task {
      const createdAt = clock()
      const stamp = new Date(createdAt).toISOString().replaceAll(/\D/g, '').slice(0, 14)
      const id = `cgt-${stamp}-${(count++).toString(36).padStart(5, '0')}`
      const task = { id, order, createdAt, cancelledAt: undefined, hiddenFor: order.faults.numbers['not-found'] ?? 0 }
      tasks.set(id, task)
      for (const oldest of tasks.keys()) {
        if (tasks.size <= MOST_KEPT) break
        tasks.delete(oldest)
      }
      return task
    },
    find: (id: string): Task | undefined => tasks.get(id),
    remove: (id: string): boolean => tasks.delete(id),
    newestFirst: (): Task[] => [...tasks.values()].reverse(),
  }
}

/** `origin`: of the URLs. */
export function recordOf(task: Task, now: number, origin: string): Record<string, unknown> {
  const { id, order, createdAt } = task
  const { status, since } = statusOf(task, now)
  const url = `${origin}/sandbox-videos/${id}`
  const { width, height } = sizeOf(order.resolution, order.ratio)
  const tokens = Math.floor((width * height * 24 * order.seconds) / 1024)
  const content = { video_url: `${url}.mp4`, ...(order.lastFrame ? { last_frame_url: `${url}.png` } : {}) }
  const isEchoed = order.safetyIdentifier !== undefined && !order.faults.flags.has('no-echo')
  return {
    ...{ id, model: order.model, status },
    ...(status === 'failed' ? { error: errorOf(order) } : {}),
    ...(status === 'succeeded' ? { content, usage: { completion_tokens: tokens, total_tokens: tokens } } : {}),
    ...{ created_at: Math.floor(createdAt / 1000), updated_at: Math.floor(since / 1000) },
    ...{ seed: order.seed, resolution: order.resolution, ratio: order.ratio, duration: order.seconds },
    ...{ framespersecond: 24, service_tier: 'default', sandbox: true },
    ...(isEchoed ? { safety_identifier: order.safetyIdentifier } : {}),
  }
}

const errorOf = ({ faults }: VideoOrder): { code: string; message: string } =>
  faults.flags.has('moderation')
    ? { code: 'OutputVideoSensitiveContentDetected', message: '[sandbox] The video may contain sensitive content.' }
    : { code: 'InternalServiceError', message: '[sandbox] The fault switch asked for a failure.' }
