// Whether a client reads what is sent to it. Only the time in which bytes wait to be sent counts: a model that is silent for
// minutes is not the client's fault.

/** Without any progress for this long, the client does not read. */
export const STALLED_MS = 75_000
/** The least average rate, over every period of so much waiting. */
const LEAST_BYTES_PER_SECOND = 1024
const PERIOD_MS = 75_000

export class ReadPace {
  /** undefined: nothing waits. */
  #waitingSince: number | undefined
  /** When the socket last accepted bytes while others waited. */
  #progressAt = 0
  /** Time spent waiting in this period, before the current wait. */
  #waitedMs = 0
  /** What had been accepted when this period began. */
  #acceptedBefore: number | undefined

  /** Since when bytes wait without progress; undefined: nothing waits. */
  get stalledSince(): number | undefined {
    return this.#waitingSince === undefined ? undefined : this.#progressAt
  }

  /** Bytes wait from now on. `accepted`: what the socket has accepted in all, here and below. */
  begin(now: number, accepted: number): void {
    if (this.#waitingSince !== undefined) return
    this.#waitingSince = now
    this.#progressAt = now
    this.#acceptedBefore ??= accepted
  }

  progress(now: number): void {
    this.#progressAt = now
  }

  /** Nothing waits any more. */
  end(now: number): void {
    if (this.#waitingSince !== undefined) this.#waitedMs += now - this.#waitingSince
    this.#waitingSince = undefined
  }

  isTooSlow(now: number, accepted: number): boolean {
    if (this.#waitingSince === undefined) return false
    if (now - this.#progressAt > STALLED_MS) return true
    const waitedMs = this.#waitedMs + now - this.#waitingSince
    if (waitedMs < PERIOD_MS) return false
    // Also what was accepted without waiting: it needed room that the client had made by reading.
    const isTooSlow = accepted - (this.#acceptedBefore ?? 0) < (waitedMs / 1_000) * LEAST_BYTES_PER_SECOND
    this.#waitingSince = now
    this.#waitedMs = 0
    this.#acceptedBefore = accepted
    return isTooSlow
  }
}
