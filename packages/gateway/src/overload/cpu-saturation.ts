// Detects CPU saturation. While the CPU is the bottleneck, admitting more requests does not serve them sooner: each waits with
// its body and its hold in memory, which makes all of them slower.
//
// A brief database stall also keeps many requests waiting, and must not cause rejections: it leaves the CPU idle, or passes.

/** Enough running requests, without those that wait for their upstream, to keep one CPU and the store busy. */
export const ENOUGH_AT_WORK = 128
/** Share of one CPU: a process does most of its work on one thread. */
const BUSY = 0.8
/** Shorter bursts are ignored: all slots are served once in less. */
const SATURATED_AFTER_MS = 500
const RECOVERED_AFTER_MS = 2_000

export class CpuSaturation {
  /** While true, at most ENOUGH_AT_WORK requests should run. */
  isSaturated = false
  #unsaturatedAt: number
  #pressureAt: number

  constructor(now: number) {
    this.#unsaturatedAt = now
    this.#pressureAt = now
  }

  /** Called a few times a second. `busy`: the share of a CPU that was demanded since the last call. */
  tick(now: number, atWork: number, busy: number, queued: number): void {
    const isBusy = busy >= BUSY
    if (!isBusy || atWork <= ENOUGH_AT_WORK) this.#unsaturatedAt = now
    // With an idle CPU, queued requests should be admitted: the running ones wait for something else.
    if (isBusy && queued > 0) this.#pressureAt = now
    if (!this.isSaturated) {
      this.isSaturated = now - this.#unsaturatedAt >= SATURATED_AFTER_MS
      this.#pressureAt = now
    } else if (now - this.#pressureAt >= RECOVERED_AFTER_MS) {
      this.isSaturated = false
      this.#unsaturatedAt = now
    }
  }
}
