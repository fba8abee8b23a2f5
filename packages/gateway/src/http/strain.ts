// Whether the processor is what there is too little of. Then more requests at once are not served sooner: they wait inside
// instead of in line, each with its body and its hold, and all of them get dearer by the memory that they take together.
//
// A store that is slow for a moment also keeps many waiting, and nobody should be refused for it: that leaves the processor
// with time to spare, or passes.

/** So many at work, those not counted that wait for their upstream, keep a processor and the store busy. */
export const ENOUGH_AT_WORK = 256
/** Of one processor. A process has one thread that does most of its work. */
const BUSY = 0.8
/** A burst is not worth turning anybody away. */
const LASTING_MS = 2_000

export class Strain {
  /** No more than ENOUGH_AT_WORK should be at work. */
  isBehind = false
  #easyAt: number
  #waitedAt: number

  constructor(now: number) {
    this.#easyAt = now
    this.#waitedAt = now
  }

  /** A few times a second. `busy`: the share of a processor that could have been used since the last time. `waiting`: in line. */
  tick(now: number, atWork: number, busy: number, waiting: number): void {
    if (atWork <= ENOUGH_AT_WORK || busy < BUSY) this.#easyAt = now
    if (waiting > 0) this.#waitedAt = now
    if (!this.isBehind) this.isBehind = now - this.#easyAt >= LASTING_MS
    else if (now - this.#waitedAt >= LASTING_MS) {
      this.isBehind = false
      this.#easyAt = now
    }
  }
}
