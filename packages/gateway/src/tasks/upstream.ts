// Calls to the upstream that has a task: short ones, outside of any request.

import { createHash } from 'node:crypto'
import { Cancel } from '@trivium/http/cancel.ts'
import { readAtMost } from '@trivium/http/client/read-response.ts'
import { codec } from '../bytes/codec.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Upstream } from '../config/types.ts'
import { RequestRecord, type TaskOperation } from '../observe/request-record.ts'
import { endAttempt } from '../observe/upstream-attempt.ts'
import { retryAfterIn } from '../routing/upstream-errors.ts'
import { NO_KEY } from '../upstreams/health/health.ts'
import type { TaskWorkDependencies } from './dependencies.ts'
import { formatTaskId, type Task } from './task.ts'

const ANSWER_WITHIN_MS = 30_000

/** `gone`: the configuration has no such upstream any more, or it did not answer. `retryAfterMs`: what the upstream asks for. */
export type Answer<T> =
  | { is: 'answered'; value: T; retryAfterMs: number | undefined }
  | { is: 'status'; status: number; retryAfterMs: number | undefined }
  | { is: 'gone'; reason: string }

/** One call, and how its answer is read. */
export type TaskCall<T> = {
  operation: TaskOperation
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  mostBytes: number
  decode(body: Uint8Array, by: typeof codec): { ok: true; value: T } | { ok: false; error: { message: string } }
}

/** A task stays with the key that it was submitted with. */
export const hashOfKey = (key: string): string => createHash('sha256').update(key).digest('base64url').slice(0, 22)

export type Located = { upstream: Upstream; key: string }

/** Where the task is. A key that was replaced in the configuration belongs to the same vendor account, most likely. */
export function locate({ upstream: id, upstreamKey }: Task, { config }: Catalogue): Located | undefined {
  const upstream = config.upstreams.get(id)
  if (!upstream) return undefined
  return { upstream, key: upstream.keys.find((each) => hashOfKey(each) === upstreamKey) ?? upstream.keys[0] ?? NO_KEY }
}

export const NO_SUCH_CALL = 'the upstream has no such call'

/** `call` undefined: the upstream has none like it. */
export async function ask<T>(
  task: Task,
  call: TaskCall<T> | undefined,
  deps: TaskWorkDependencies,
): Promise<Answer<T>> {
  const located = locate(task, deps.catalogue())
  if (!located) return { is: 'gone', reason: 'the configuration has no such upstream' }
  if (!call) return { is: 'gone', reason: NO_SUCH_CALL }
  const { operation, method, path, decode, mostBytes } = call
  const record = deps.tracer && tracedRecord(task, method, path)
  const cancel = new Cancel()
  const callOff = deps.ticker.after(ANSWER_WITHIN_MS, () => cancel.cancel())
  try {
    const { upstream, key } = located
    const verb = method === 'POST' ? {} : { method }
    const outgoing = { ...verb, path, dialect: task.data.dialect, body: [], stream: false, headers: {}, key, cancel }
    const origin = record && { record, model: task.data.upstreamModel, operation }
    const reply = await deps.send(upstream, origin ? { ...outgoing, origin } : outgoing)
    const { status } = reply
    const seconds = retryAfterIn(reply, deps.clock())
    const retryAfterMs = seconds === undefined ? undefined : seconds * 1_000
    if (status < 200 || status >= 300) {
      reply.cancel()
      if (record) endAttempt(record, 'upstream_error')
      return { is: 'status', status, retryAfterMs }
    }
    const body = await readAtMost(reply, mostBytes)
    if (body === undefined) return { is: 'gone', reason: 'the answer is too large' }
    const decoded = decode(body, codec)
    if (record) endAttempt(record, decoded.ok ? undefined : 'upstream_error')
    return decoded.ok
      ? { is: 'answered', value: decoded.value, retryAfterMs }
      : { is: 'gone', reason: decoded.error.message }
  } catch (error) {
    return { is: 'gone', reason: String(error) }
  } finally {
    callOff()
    if (record) traced(record, deps)
  }
}

/** A record for the calls of one step, in the trace of the request that submitted the task. */
function tracedRecord({ id, data: { trace } }: Task, method: string, path: string): RequestRecord | undefined {
  if (!trace) return undefined
  const record = new RequestRecord(method, path, formatTaskId(id), performance.now())
  record.trace = { parent: undefined, own: { ...trace, isSampled: true } }
  return record
}

/** A call whose answer did not arrive has failed. */
function traced(record: RequestRecord, { tracer }: TaskWorkDependencies): void {
  if (record.attempts.at(-1)?.endedAt === undefined) endAttempt(record, 'upstream_error')
  tracer?.called(record)
}
