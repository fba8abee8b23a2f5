// For how long which models are not asked for: what a 429 does to a quota (a credential has one of its own, unless it shares it
// with others), and what makes a lane rest. Pure; the clock is passed in, in milliseconds.

/** Too much was asked: `waitMs` if the upstream said for how long; `all`: of every model, not only this. */
export type Limited = { waitMs: number | undefined; all: boolean }

/** What a 429 without a word on when to come back means, and the most that is believed. */
const USUAL_COOLING_MS = 2_000
const LONGEST_COOLING_MS = 60_000

export class Cooling {
  /** For all models. */
  #until = 0
  readonly #models = new Map<string, number>()
  /** Until when the upstream wants to be left alone, in its own words: for a model, or for all. */
  readonly #toldModels = new Map<string, number>()
  #toldUntil = 0

  limited(model: string, { waitMs, all }: Limited, now: number): void {
    const until = now + Math.min(LONGEST_COOLING_MS, Math.max(0, waitMs ?? USUAL_COOLING_MS))
    for (const models of [this.#models, this.#toldModels]) forgetEnded(models, now)
    const wasTold = waitMs !== undefined
    if (all) {
      this.#until = Math.max(this.#until, until)
      if (wasTold) this.#toldUntil = Math.max(this.#toldUntil, until)
    } else {
      extend(this.#models, model, until)
      if (wasTold) extend(this.#toldModels, model, until)
    }
  }

  /** Whether `model` may be asked for. */
  isOver(model: string, now: number): boolean {
    return now >= this.#until && (this.#models.size === 0 || now >= (this.#models.get(model) ?? 0))
  }

  /** The upstream has said when to come back, and it is too early. */
  asksToWait(model: string, now: number): boolean {
    return now < this.#toldUntil || (this.#toldModels.size > 0 && now < (this.#toldModels.get(model) ?? 0))
  }

  /** When `asksToWait` becomes false. */
  toldUntil(model: string): number {
    return Math.max(this.#toldUntil, this.#toldModels.get(model) ?? 0)
  }

  /** When `isOver` becomes true. */
  until(model: string): number {
    return Math.max(this.#until, this.#models.get(model) ?? 0)
  }

  /** Whether nothing at all may be asked for. */
  isForAll(now: number): boolean {
    return now < this.#until
  }

  models(now: number): { model: string; until: number }[] {
    return [...this.#models].flatMap(([model, until]) => (now < until ? [{ model, until }] : []))
  }
}

function extend(models: Map<string, number>, model: string, until: number): void {
  models.set(model, Math.max(models.get(model) ?? 0, until))
}

function forgetEnded(models: Map<string, number>, now: number): void {
  for (const [model, end] of models) if (end <= now) models.delete(model)
}
