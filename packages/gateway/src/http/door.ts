// Where requests are turned away before anything is made of them.
import type { Waiter } from './pace.ts'
import type { PreparedAnswer } from './prepared-answer.ts'

export type Door = {
  /** Some are turned away at the moment. */
  readonly isShut: boolean
  /** What `who`, posting to this path, is to be told when it is time; undefined: let in all the same. */
  turnAway(path: string, who: Waiter): PreparedAnswer | undefined
  /** For the one who is told. */
  nextId(): string
}

export const OPEN_DOOR: Door = { isShut: false, turnAway: () => undefined, nextId: () => '' }
