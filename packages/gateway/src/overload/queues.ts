// The queues of requests, driven by the ticker: for a slot in this process, for a slot at an upstream, and for a read.

import { type Ticker, Ticking } from '@trivium/http/ticker.ts'
import { cpuDemandMs } from '../observe/cpu-time.ts'
import type { Log } from '../observe/log.ts'
import { createUpstreamQueue, type UpstreamQueue } from '../upstreams/upstream-queue.ts'
import { type Admission, createAdmission, type Limits } from './admission.ts'
import { createReadSlots, type ReadSlots } from './reads/read-slots.ts'

export type Queues = { admission: Admission; upstreamQueue: UpstreamQueue; readSlots: ReadSlots }

/** Interval of the warning about rejected requests. */
const WARN_EVERY_MS = 60_000

class QueueTicker extends Ticking {
  readonly #queues: Queues
  readonly #log: Log
  #cpuMs = cpuDemandMs()
  #tickedAt: number
  #warnedAt = Number.NEGATIVE_INFINITY
  readonly #onShed: (count: number) => void
  /** Rejections already reported to `onShed`. */
  #counted = 0

  constructor(queues: Queues, log: Log, now: number, onShed: (count: number) => void) {
    super()
    this.#onShed = onShed
    this.#tickedAt = now
    this.#queues = queues
    this.#log = log
  }

  tick(now: number): void {
    const { admission, upstreamQueue, readSlots } = this.#queues
    admission.tick(now, this.#busy(now))
    upstreamQueue.tick(now)
    readSlots.tick(now)
    const { rejected, inFlight, queued } = admission
    if (rejected > this.#counted) this.#onShed(rejected - this.#counted)
    this.#counted = rejected
    if (rejected === 0 || now - this.#warnedAt < WARN_EVERY_MS) return
    this.#warnedAt = now
    admission.rejected = 0
    this.#counted = 0
    const counts = { refused: rejected, in_flight: inFlight, waiting: queued }
    this.#log.warn('overloaded: some requests were rejected', counts)
  }

  /** The share of one CPU that this process demanded since the last tick. */
  #busy(now: number): number {
    const cpuMs = cpuDemandMs()
    const share = (cpuMs - this.#cpuMs) / Math.max(1, now - this.#tickedAt)
    this.#cpuMs = cpuMs
    this.#tickedAt = now
    return share
  }
}

/** `onShed` is called with the number of requests rejected since its last call. */
export function createQueues(
  limits: Limits,
  ticker: Ticker,
  log: Log,
  onShed: (count: number) => void = () => {},
): Queues {
  const admission = createAdmission(limits)
  const readSlots = createReadSlots({
    clock: () => performance.now(),
    cpuMs: cpuDemandMs,
    isContended: (running) => admission.inFlight > running,
    later: (ms, run) => (ms > 0 ? setTimeout(run, ms) : setImmediate(run)),
  })
  const queues = { admission, upstreamQueue: createUpstreamQueue(), readSlots }
  ticker.add(new QueueTicker(queues, log, ticker.now(), onShed))
  return queues
}
