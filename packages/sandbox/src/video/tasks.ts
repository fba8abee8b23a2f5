// The tasks of the sandbox. What a task is depends on its id and the clock alone: nothing runs between requests. Only which
// tasks are listed, cancelled, deleted or still hidden by a fault is in memory.

import { createHash, randomBytes } from 'node:crypto'
import { readVideoFaults, writeVideoFaults } from './faults.ts'
import { sizeOf } from './film.ts'
import { PROMISED_RATE, type VideoOrder } from './submit.ts'

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
    : { code: 'InternalServiceError', message: '[sandbox] Injected fault: failure.' }

// The id of a task says everything about the task, so that any process can answer for it, also after a restart.
/** `createdAt`: milliseconds since 1970. */
type CreatedTask = { order: VideoOrder; createdAt: number }

const CHECK_BYTES = 6
const NONCE_BYTES = 4
const ID = /^cgt-\d{14}-([\w-]{20,4000})$/

/** Two tasks of the same order have different ids. */
function encodeTaskId({ order, createdAt }: CreatedTask): string {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url')
  const written = { ...order, faults: writeVideoFaults(order.faults) }
  const payload = Buffer.from(JSON.stringify([createdAt, nonce, written]))
  return idOf(createdAt, Buffer.concat([checkOf(payload), payload]).toString('base64url'))
}

/** undefined: no sandbox has made this id. */
function decodeTaskId(id: string): CreatedTask | undefined {
  const [, token] = ID.exec(id) ?? []
  if (token === undefined) return undefined
  const bytes = Buffer.from(token, 'base64url')
  const payload = bytes.subarray(CHECK_BYTES)
  if (!checkOf(payload).equals(bytes.subarray(0, CHECK_BYTES))) return undefined
  const [createdAt, , { faults, ...order }] = JSON.parse(payload.toString())
  // Base64 has several spellings of the same bytes; the task has one id.
  if (idOf(createdAt, bytes.toString('base64url')) !== id) return undefined
  return { order: { ...order, faults: readVideoFaults([faults], true) }, createdAt }
}

function idOf(createdAt: number, token: string): string {
  const stamp = new Date(createdAt).toISOString().replaceAll(/\D/g, '').slice(0, 14)
  return `cgt-${stamp}-${token}`
}

const checkOf = (payload: Uint8Array): Buffer =>
  createHash('sha256').update('sandbox-video task ').update(payload).digest().subarray(0, CHECK_BYTES)
