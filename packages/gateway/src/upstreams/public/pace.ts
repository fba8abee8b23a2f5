// The least rate of a download. A host that trickles would otherwise keep a slot, and what waits for it, for as long as it likes.

export type Pace = {
  /** Every download may take this long, at any rate. */
  freeMs: number
  /** The rate is an average over this long. */
  windowMs: number
  bytesPerSecond: number
}

/** As for the bodies of requests. */
export const LEAST_PACE: Pace = { freeMs: 30_000, windowMs: 60_000, bytesPerSecond: 8 * 1024 }

/** The window moves in so many steps. */
const STEPS = 60

type Step = { ms: number; bytes: number }

/** Only time that is spent waiting for the host counts: how slowly the bytes are used says nothing about it. */
export class PaceMeter {
  readonly #pace: Pace
  readonly #steps: Step[] = []
  #totalMs = 0
  #window: Step = { ms: 0, bytes: 0 }

  constructor(pace: Pace) {
    this.#pace = pace
  }

  /** `bytes` arrived after a wait of `ms`. false: that is too slow. */
  arrived(bytes: number, ms: number): boolean {
    const { freeMs, windowMs, bytesPerSecond } = this.#pace
    const last = this.#steps.at(-1)
    if (last && last.ms + ms <= windowMs / STEPS) {
      last.ms += ms
      last.bytes += bytes
    } else this.#steps.push({ ms, bytes })
    this.#totalMs += ms
    this.#window = { ms: this.#window.ms + ms, bytes: this.#window.bytes + bytes }
    for (let [first] = this.#steps; first && this.#window.ms - first.ms >= windowMs; [first] = this.#steps) {
      this.#window = { ms: this.#window.ms - first.ms, bytes: this.#window.bytes - first.bytes }
      this.#steps.shift()
    }
    return this.#totalMs < freeMs || this.#window.bytes >= (bytesPerSecond * this.#window.ms) / 1_000
  }
}
