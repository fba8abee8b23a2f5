// The two lines in which requests may wait, kept going by the ticker: for a place in this process, and for room at an upstream.

import { type Ticker, Ticking } from '@trivium/http/ticker.ts'
import { cpuDemandMs } from '../observe/cpu-time.ts'
import type { Log } from '../observe/log.ts'
import { type Admission, createAdmission, type Limits } from './admission.ts'
import { createUpstreamSlots, type UpstreamSlots } from './upstream-slots.ts'

export type Queues = { admission: Admission; upstreamSlots: UpstreamSlots }

/** An operator who reads it once a minute knows enough. */
const TELL_EVERY_MS = 60_000

class QueueTicker extends Ticking {
  readonly #waiting: Queues
  readonly #log: Log
  #wantedMs = cpuDemandMs()
  #lookedAt: number
  #toldAt = Number.NEGATIVE_INFINITY
  readonly #shed: (count: number) => void
  /** Of those that were refused since they were last told of. */
  #counted = 0

  constructor(waiting: Queues, log: Log, now: number, shed: (count: number) => void) {
    super()
    this.#shed = shed
    this.#lookedAt = now
    this.#waiting = waiting
    this.#log = log
  }

  tick(now: number): void {
    const { admission, upstreamSlots: room } = this.#waiting
    admission.tick(now, this.#busy(now))
    room.tick(now)
    const { rejected: refused, inFlight, queued: waiting } = admission
    if (refused > this.#counted) this.#shed(refused - this.#counted)
    this.#counted = refused
    if (refused === 0 || now - this.#toldAt < TELL_EVERY_MS) return
    this.#toldAt = now
    admission.rejected = 0
    this.#counted = 0
    const counts = { refused, in_flight: inFlight, waiting }
    this.#log.warn('more requests than can be taken: some were told to come back', counts)
  }

  /** The share of one processor that this process could have used since the last tick. */
  #busy(now: number): number {
    const wanted = cpuDemandMs()
    const share = (wanted - this.#wantedMs) / Math.max(1, now - this.#lookedAt)
    this.#wantedMs = wanted
    this.#lookedAt = now
    return share
  }
}

/** `shed`: told how many requests were rejected since it was last told. */
export function createQueues(
  limits: Limits,
  ticker: Ticker,
  log: Log,
  shed: (count: number) => void = () => {},
): Queues {
  const waiting = { admission: createAdmission(limits), upstreamSlots: createUpstreamSlots() }
  ticker.add(new QueueTicker(waiting, log, ticker.now(), shed))
  return waiting
}
