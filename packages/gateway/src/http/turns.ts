// How long the event loop takes for one turn: the wait that everything in this process has while more work arrives than it
// can do. Timers that fire late would tell it, too, but only a part of it, and by chance: here one whole turn is timed.
import { type Ticker, Ticking } from './ticker.ts'

class TurnTimer extends Ticking {
  readonly #tell: (now: number, turnMs: number) => void
  #turnMs = 0
  #timing = false

  constructor(tell: (now: number, turnMs: number) => void) {
    super()
    this.#tell = tell
  }

  tick(now: number): void {
    this.#tell(now, this.#turnMs)
    if (this.#timing) return
    this.#timing = true
    // The first comes before sockets are looked at, the second after all that was there has been dealt with.
    setImmediate(() => {
      const begun = performance.now()
      setImmediate(() => {
        this.#turnMs = performance.now() - begun
        this.#timing = false
      })
    })
  }
}

/** `tell`: called at each tick, with the time of the last turn that was timed. */
export function timeTurns(ticker: Ticker, tell: (now: number, turnMs: number) => void): void {
  ticker.add(new TurnTimer(tell))
}
