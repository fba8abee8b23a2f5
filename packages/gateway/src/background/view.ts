// A background response as clients see it while it is not stored, and as the last event of its stream.

import type { Json } from '@trivium/protocol/canonical/reading.ts'
import { echoOf } from '@trivium/protocol/dialects/responses/request/echo.ts'
import { hideInResponse } from '@trivium/protocol/dialects/responses/state/hide-encrypted.ts'
import { codec } from '../bytes/codec.ts'
import { openRecord } from '../conversations/open-stored.ts'
import { readPiece } from '../conversations/pieces.ts'
import type { TaskStatus } from '../storage/tasks.ts'
import type { BackgroundDependencies } from './dependencies.ts'
import { ownerOf, type ResponseTask, VIEW_PIECE } from './response-task.ts'

/** As it is when it is queued. `body`: of its request. */
export const queuedResponse = (task: ResponseTask, body: Json): Json => ({
  ...firstView(task),
  ...echoOf(body),
  background: true,
  store: true,
})

const firstView = (task: Pick<ResponseTask, 'account' | 'key' | 'id' | 'createdAt' | 'model'>): Json => ({
  id: ownerOf(task).id,
  object: 'response',
  created_at: Math.floor(task.createdAt / 1_000),
  status: 'queued',
  background: true,
  model: task.model,
  output: [],
  error: null,
  incomplete_details: null,
  usage: null,
})

const STATUSES: Readonly<Record<TaskStatus, string>> = {
  queued: 'queued',
  running: 'in_progress',
  succeeded: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  expired: 'failed',
}

/** One that is not stored as a response: it has not ended, or has nothing to show. */
export async function viewOf(task: ResponseTask, deps: BackgroundDependencies): Promise<Json> {
  const piece = await readPiece(ownerOf(task), VIEW_PIECE, deps)
  const first: Json = piece ? JSON.parse(codec.decode(piece, 0, piece.length)) : firstView(task)
  const { error } = task.data.end ?? {}
  return { ...first, status: STATUSES[task.status], error: task.status === 'failed' && error ? error : null }
}

/** The stored response. undefined: there is none (any more). */
export async function storedResponse(
  task: ResponseTask,
  showsEncrypted: boolean,
  deps: BackgroundDependencies,
): Promise<Json | undefined> {
  const { account, id } = ownerOf(task)
  const stored = await deps.store.responses.record(account, id)
  const record = stored && (await openRecord(stored, deps))
  if (!record) return undefined
  const shown = showsEncrypted ? record : hideInResponse(record, codec)
  return JSON.parse(codec.decode(shown, 0, shown.length))
}

/** The event that ends the stream of one that has ended. */
export async function lastEvent(task: ResponseTask, deps: BackgroundDependencies): Promise<Json & { type: string }> {
  const stored = task.state === 'succeeded' ? await storedResponse(task, task.data.showsEncrypted, deps) : undefined
  const response = stored ?? (await viewOf(task, deps))
  return { type: `response.${response.status}`, response }
}
