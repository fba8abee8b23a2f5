// Where requests wait, or are turned away, before anything is made of them.

import type { PreparedAnswer } from '../prepared-response.ts'
import type { Client } from '../request.ts'
import type { Waiter } from './paced-queue.ts'

/** A request as it stands at the door: bytes that nobody has read. As a waiter it is told what it was turned away with. */
export type Visitor = Client &
  Waiter & {
    /** It is read now. */
    comeIn(waitedMs: number): void
    /** Its turn did not come in time. */
    sendHome(answer: PreparedAnswer): void
  }

export type Door = {
  /** Some wait there at the moment, or are turned away. */
  readonly isCrowded: boolean
  /**
   * What becomes of `who`, posting so many bytes to this path: waits until it is let in or sent home; or is to be told this
   * when it is time. undefined: let in.
   */
  meet(path: string, bytes: number, who: Visitor): PreparedAnswer | 'waits' | undefined
  /** For the one who is told. */
  nextId(): string
}

export const OPEN_DOOR: Door = { isCrowded: false, meet: () => undefined, nextId: () => '' }
