// Where requests wait, or are turned away, before anything is made of them.

import type { PreparedResponse } from '../prepared-response.ts'
import type { Client } from '../request.ts'
import type { PacedItem } from './paced-queue.ts'

/** A request as it stands at the door: bytes that nobody has read. As a waiter it is told what it was turned away with. */
export type UnreadRequest = Client &
  PacedItem & {
    /** It is read now. */
    admit(queuedMs: number): void
    /** Its turn did not come in time. */
    reject(answer: PreparedResponse): void
  }

export type AdmissionGate = {
  /** Some wait there at the moment, or are turned away. */
  readonly isActive: boolean
  /**
   * What becomes of `who`, posting so many bytes to this path: waits until it is let in or sent home; or is to be told this
   * when it is time. undefined: let in.
   */
  submit(path: string, bytes: number, who: UnreadRequest): PreparedResponse | 'waits' | undefined
  /** For the one who is told. */
  nextRequestId(): string
}

export const ADMIT_ALL: AdmissionGate = { isActive: false, submit: () => undefined, nextRequestId: () => '' }
