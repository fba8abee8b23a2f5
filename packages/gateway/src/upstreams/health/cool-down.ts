// Cool-downs by model: after a 429 for a quota (of one key, or shared by several), or pauses of one key. Pure; the clock is
// passed in, in milliseconds.

/** `waitMs`: the upstream's retry-after, if it sent one. `all`: applies to every model, not only to this one. */
export type RateLimited = { waitMs: number | undefined; all: boolean }

/** Duration without a retry-after, and the longest that is believed. */
const DEFAULT_MS = 2_000
const MAX_MS = 60_000

export class CoolDown {
  /** For all models. */
  #until = 0
  readonly #models = new Map<string, number>()
  /** The retry-afters that the upstream has sent: for a model, or for all. */
  readonly #retryAfterModels = new Map<string, RetryAfter>()
  #retryAfter: RetryAfter = NO_RETRY_AFTER

  start(model: string, { waitMs, all }: RateLimited, now: number): void {
    const until = now + Math.min(MAX_MS, Math.max(0, waitMs ?? DEFAULT_MS))
    for (const [name, end] of this.#models) if (end <= now) this.#models.delete(name)
    for (const [name, retryAfter] of this.#retryAfterModels)
      if (retryAfter.until <= now) this.#retryAfterModels.delete(name)
    const retryAfter = waitMs === undefined ? NO_RETRY_AFTER : { until, sentUntil: now + Math.max(0, waitMs) }
    if (all) {
      this.#until = Math.max(this.#until, until)
      this.#retryAfter = later(this.#retryAfter, retryAfter)
    } else {
      this.#models.set(model, Math.max(this.#models.get(model) ?? 0, until))
      if (waitMs !== undefined)
        this.#retryAfterModels.set(model, later(this.#retryAfterModels.get(model) ?? NO_RETRY_AFTER, retryAfter))
    }
  }

  clear(): void {
    this.#until = 0
    this.#models.clear()
    this.#retryAfterModels.clear()
    this.#retryAfter = NO_RETRY_AFTER
  }

  isOver(model: string, now: number): boolean {
    return now >= this.#until && (this.#models.size === 0 || now >= (this.#models.get(model) ?? 0))
  }

  /** The upstream has sent a retry-after that is not over. */
  hasRetryAfter(model: string, now: number): boolean {
    return (
      now < this.#retryAfter.until ||
      (this.#retryAfterModels.size > 0 && now < (this.#retryAfterModels.get(model)?.until ?? 0))
    )
  }

  /** While `hasRetryAfter`: the end of the retry-after as sent, even if it is longer than what is believed. Else 0. */
  retryAfterUntil(model: string, now: number): number {
    const { until, sentUntil } = later(this.#retryAfter, this.#retryAfterModels.get(model) ?? NO_RETRY_AFTER)
    return now < until ? sentUntil : 0
  }

  /** When `isOver` becomes true. */
  until(model: string): number {
    return Math.max(this.#until, this.#models.get(model) ?? 0)
  }

  coversAllModels(now: number): boolean {
    return now < this.#until
  }

  models(now: number): { model: string; until: number }[] {
    return [...this.#models].flatMap(([model, until]) => (now < until ? [{ model, until }] : []))
  }
}

/** `until`: the end of the cool-down. `sentUntil`: as the upstream sent it and as callers are retryAfter; never earlier. */
type RetryAfter = { until: number; sentUntil: number }
const NO_RETRY_AFTER: RetryAfter = { until: 0, sentUntil: 0 }

const later = (one: RetryAfter, other: RetryAfter): RetryAfter => ({
  until: Math.max(one.until, other.until),
  sentUntil: Math.max(one.sentUntil, other.sentUntil),
})
