// For how long which models are not asked for: what a 429 does to a quota (a credential has one of its own, unless it shares it
// with others), and what makes a lane rest. Pure; the clock is passed in, in milliseconds.

/** Too much was asked: `waitMs` if the upstream said for how long; `all`: of every model, not only this. */
export type RateLimited = { waitMs: number | undefined; all: boolean }

/** What a 429 without a word on when to come back means, and the most that is believed. */
const USUAL_COOLING_MS = 2_000
const LONGEST_COOLING_MS = 60_000

export class CoolDown {
  /** For all models. */
  #until = 0
  readonly #models = new Map<string, number>()
  /** The waits that the upstream itself has named: for a model, or for all. */
  readonly #toldModels = new Map<string, Told>()
  #told: Told = NEVER_TOLD

  start(model: string, { waitMs, all }: RateLimited, now: number): void {
    const until = now + Math.min(LONGEST_COOLING_MS, Math.max(0, waitMs ?? USUAL_COOLING_MS))
    for (const [name, end] of this.#models) if (end <= now) this.#models.delete(name)
    for (const [name, told] of this.#toldModels) if (told.until <= now) this.#toldModels.delete(name)
    const told = waitMs === undefined ? NEVER_TOLD : { until, saidUntil: now + Math.max(0, waitMs) }
    if (all) {
      this.#until = Math.max(this.#until, until)
      this.#told = later(this.#told, told)
    } else {
      this.#models.set(model, Math.max(this.#models.get(model) ?? 0, until))
      if (waitMs !== undefined) this.#toldModels.set(model, later(this.#toldModels.get(model) ?? NEVER_TOLD, told))
    }
  }

  /** Whether `model` may be asked for. */
  isOver(model: string, now: number): boolean {
    return now >= this.#until && (this.#models.size === 0 || now >= (this.#models.get(model) ?? 0))
  }

  /** The upstream has said when to come back, and it is too early. */
  hasRetryAfter(model: string, now: number): boolean {
    return now < this.#told.until || (this.#toldModels.size > 0 && now < (this.#toldModels.get(model)?.until ?? 0))
  }

  /** While `asksToWait`: the time that the upstream has named, also where it is asked again before that. Else 0. */
  retryAfterUntil(model: string, now: number): number {
    const { until, saidUntil } = later(this.#told, this.#toldModels.get(model) ?? NEVER_TOLD)
    return now < until ? saidUntil : 0
  }

  /** When `isOver` becomes true. */
  until(model: string): number {
    return Math.max(this.#until, this.#models.get(model) ?? 0)
  }

  /** Whether nothing at all may be asked for. */
  coversAllModels(now: number): boolean {
    return now < this.#until
  }

  models(now: number): { model: string; until: number }[] {
    return [...this.#models].flatMap(([model, until]) => (now < until ? [{ model, until }] : []))
  }
}

/** `until`: not asked before. `saidUntil`: what the upstream said, which callers are told; never earlier. */
type Told = { until: number; saidUntil: number }
const NEVER_TOLD: Told = { until: 0, saidUntil: 0 }

const later = (one: Told, other: Told): Told => ({
  until: Math.max(one.until, other.until),
  saidUntil: Math.max(one.saidUntil, other.saidUntil),
})
