// Admission control before a request is parsed. The server owns the interface; overload protection implements it.

import type { PreparedResponse } from '../prepared-response.ts'
import type { Client } from '../request.ts'
import type { PacedItem } from './paced-queue.ts'

/** A complete request whose bytes have not been parsed. If it was rejected, `proceed` sends the response. */
export type UnreadRequest = Client &
  PacedItem & {
    /** Parses and serves the request. */
    admit(queuedMs: number): void
    /** Ends a queued request with this response. */
    reject(response: PreparedResponse): void
  }

export type AdmissionGate = {
  /** False: all requests are admitted, and the server does not submit them. */
  readonly isActive: boolean
  /**
   * Decides about a POST of so many bytes to this path. `queued`: the gate calls `admit` or `reject` later. A response: the
   * request is rejected with it when the gate calls `proceed`. undefined: the request is admitted.
   */
  submit(path: string, bytes: number, request: UnreadRequest): PreparedResponse | 'queued' | undefined
  /** The id of a request that is rejected unread. */
  nextRequestId(): string
}

export const ADMIT_ALL: AdmissionGate = { isActive: false, submit: () => undefined, nextRequestId: () => '' }
