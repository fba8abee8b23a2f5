// Whether the processor is what there is too little of. Then more requests at once are not served sooner: they wait inside
// instead of in line, each with its body and its hold, and all of them get dearer by the memory that they take together.
//
// A store that is slow for a moment also keeps many waiting, and nobody should be refused for it: that leaves the processor
// with time to spare, or passes.

/** So many at work, those not counted that wait for their upstream, keep a processor and the store busy. */
export const ENOUGH_AT_WORK = 128
/** Of one processor. A process has one thread that does most of its work. */
const BUSY = 0.8
/** A burst is not worth keeping anybody out: all places are served once in less. */
const BEHIND_AFTER_MS = 500
const CAUGHT_UP_AFTER_MS = 2_000

export class CpuSaturation {
  /** No more than ENOUGH_AT_WORK should be at work. */
  isSaturated = false
  #easyAt: number
  #pressedAt: number

  constructor(now: number) {
    this.#easyAt = now
    this.#pressedAt = now
  }

  /** A few times a second. `busy`: the share of a processor that could have been used since the last time. `waiting`: in line. */
  tick(now: number, atWork: number, busy: number, waiting: number): void {
    const isBusy = busy >= BUSY
    if (!isBusy || atWork <= ENOUGH_AT_WORK) this.#easyAt = now
    // With time to spare, those in line had better be let in: it is something else that those at work are waiting for.
    if (isBusy && waiting > 0) this.#pressedAt = now
    if (!this.isSaturated) {
      this.isSaturated = now - this.#easyAt >= BEHIND_AFTER_MS
      this.#pressedAt = now
    } else if (now - this.#pressedAt >= CAUGHT_UP_AFTER_MS) {
      this.isSaturated = false
      this.#easyAt = now
    }
  }
}
