// Where requests are turned away before anything is made of them.

import type { Waiter } from './pace.ts'
import type { PreparedAnswer } from './prepared-answer.ts'

export type Door = {
  /** There are such requests at the moment. */
  readonly isShut: boolean
  /** What whoever posts to this path is to be told when it is time, and by what id; undefined: he is let in all the same. */
  turnAway(path: string, who: Waiter): PreparedAnswer | undefined
  nextId(): string
}

export const OPEN_DOOR: Door = { isShut: false, turnAway: () => undefined, nextId: () => '' }
