// A response that is generated in the background, as a task: its row, and the limits of all that it stores.

import type { Sealed } from '../conversations/sealed.ts'
import { formatResponseId } from '../request/ids.ts'
import type { Task, TaskData } from '../tasks/task.ts'

export const RESPONSE = 'response'

export type ResponseTaskData = TaskData & {
  type: typeof RESPONSE
  /** A client or an operator wants it to end. */
  isCancelled?: true
  /** The client asked for encrypted reasoning. */
  showsEncrypted: boolean
  /** How often it could not begin. */
  tries?: number
}
export type ResponseTask = Task<ResponseTaskData>

/** Queued and running ones of an account, on all nodes. */
export const MOST_OPEN = 100
/** One that has not begun by then has failed. */
export const BEGIN_WITHIN_MS = 6 * 3_600_000
/** Events that are kept for clients that read the stream later. */
export const MOST_EVENT_BYTES = 4 * 1024 * 1024

/** Names of the pieces that are stored of it. */
export const REQUEST_PIECE = 'request'
export const VIEW_PIECE = 'response'
export const eventPiece = (index: number): string => `events-${index}`

/** Whom its pieces belong to. */
export const ownerOf = ({ account, key, id }: Pick<Task, 'account' | 'key' | 'id'>): Sealed & { key: bigint } => ({
  account,
  key,
  id: formatResponseId(id),
})
