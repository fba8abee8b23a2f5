// A call to an upstream: its concurrency slot, its time limits, and the one place that aborts it. The limits are checked by the
// shared ticker, not by timers.

import { Cancel } from '@trivium/http/cancel.ts'
import { type Ticker, Ticking } from '@trivium/http/ticker.ts'
import type { Timeouts, Upstream } from '../config/types.ts'
import { mayTake } from '../sharing/fair-share.ts'
import type { Reservation } from './limits/reservation.ts'

export type AbortReason = 'timeout' | 'client_disconnected' | 'shutdown'

export type UpstreamCalls = {
  /** Takes a concurrency slot of the upstream, which must not be full. Released by `releaseSlot` or `stop`. */
  start(upstream: LimitedUpstream, account: bigint, reservation?: Reservation): UpstreamCall
  /** The next attempt: its slot and its time limits are those of this upstream. The limit on the total time stays. */
  move(call: UpstreamCall, upstream: LimitedUpstream, reservation?: Reservation): void
  /** The upstream is at its concurrency limit, or the account has its share of it: see sharing/fair-share.ts. */
  isFull(upstream: LimitedUpstream, account: bigint): boolean
  /** Calls of the account at this upstream; counted only where concurrency is limited. */
  heldBy(account: bigint, upstream: LimitedUpstream): number
  /** Calls that run at this upstream. */
  runningAt(upstream: Pick<Upstream, 'id'>): number
  /** Aborts every running call. */
  abortAll(reason: AbortReason): void
  readonly size: number
}

export type LimitedUpstream = Pick<Upstream, 'id' | 'maxConcurrency' | 'maxConcurrencyPerKey' | 'keys' | 'timeouts'>

/** The concurrency limit over all keys of an upstream; undefined: none. */
function mostAtOnce({ maxConcurrency, maxConcurrencyPerKey: perKey, keys }: LimitedUpstream): number | undefined {
  if (perKey === undefined) return maxConcurrency
  return Math.min(maxConcurrency ?? Number.POSITIVE_INFINITY, perKey * Math.max(1, keys.length))
}

/** `onFreed` is called whenever a slot is released. */
export function createUpstreamCalls(ticker: Ticker, onFreed: () => void = () => {}): UpstreamCalls {
  /** By id, not by object: a reloaded configuration has new objects, and the calls of the former one still run. */
  const slots = new Map<string, UpstreamQueue>()
  function slotsAt(id: string): UpstreamQueue {
    let known = slots.get(id)
    if (!known) {
      known = new UpstreamQueue(onFreed)
      slots.set(id, known)
    }
    return known
  }
  return {
    start(upstream, account, reservation) {
      const call = new UpstreamCall(ticker, upstream, slotsAt(upstream.id), account)
      call.reservation = reservation
      return call
    },
    move(call, upstream, reservation) {
      call.moveTo(upstream, slotsAt(upstream.id), reservation)
    },
    isFull(upstream, account) {
      const most = mostAtOnce(upstream)
      if (most === undefined) return false
      const slots = slotsAt(upstream.id)
      return !mayTake(slots.heldBy(account), slots.taken, most)
    },
    heldBy: (account, { id }) => slotsAt(id).heldBy(account),
    runningAt: ({ id }) => slots.get(id)?.taken ?? 0,
    abortAll(reason) {
      ticker.each((item) => item instanceof UpstreamCall && item.abort(reason))
    },
    get size() {
      return slots.values().reduce((sum, { taken }) => sum + taken, 0)
    },
  }
}

const LINE_FEED = 0x0a
/** A line of an event stream may end with this alone. */
const CARRIAGE_RETURN = 0x0d
/** Almost always it is the last byte. */
const endsLine = (piece: Uint8Array): boolean =>
  piece[piece.length - 1] === LINE_FEED || piece.includes(LINE_FEED) || piece.includes(CARRIAGE_RETURN)
/** An upstream that sends a byte now and then must not keep a call open up to the limit on the total time. */
const WORTH_WAITING_FOR = 1024

/** The concurrency slots of one upstream. */
class UpstreamQueue {
  taken = 0
  readonly #byAccount = new Map<bigint, number>()
  readonly #onFreed: () => void

  constructor(onFreed: () => void) {
    this.#onFreed = onFreed
  }

  heldBy(account: bigint): number {
    return this.#byAccount.get(account) ?? 0
  }

  /** `account`: undefined where concurrency is not limited. */
  take(account: bigint | undefined): void {
    this.taken++
    if (account !== undefined) this.#byAccount.set(account, this.heldBy(account) + 1)
  }

  free(account: bigint | undefined): void {
    this.taken--
    if (account !== undefined) {
      const held = this.heldBy(account) - 1
      if (held > 0) this.#byAccount.set(account, held)
      else this.#byAccount.delete(account)
    }
    this.#onFreed()
  }
}

/** A class, not closures as elsewhere: there is one for every request, and methods on a prototype cost nothing to create. */
export class UpstreamCall extends Ticking {
  reason: AbortReason | undefined
  /** Called at each tick while the call lasts: heartbeats. */
  onTick: ((now: number) => void) | undefined
  /** What it uses of the limits of the upstream and the route. undefined: they have none. */
  reservation: Reservation | undefined
  /** Cancelled when the call is aborted or no longer needed. */
  readonly cancellation = new Cancel()
  readonly #ticker: Ticker
  #timeouts: Timeouts
  readonly #account: bigint
  /** undefined: it has no slot. */
  #slots: UpstreamQueue | undefined
  /** The account that its slot was counted for: the limit may be set or removed while it runs. */
  #countedFor: bigint | undefined
  #endsAt: number
  #endsWith: AbortReason = 'timeout'
  #lastByteAt: number
  #silenceMs: number
  /** Bytes since the idle time was last reset. */
  #trickle = 0
  #suspended = false
  #stopped = false

  constructor(ticker: Ticker, upstream: LimitedUpstream, slots: UpstreamQueue, account: bigint) {
    super()
    const { timeouts } = upstream
    this.#ticker = ticker
    this.#timeouts = timeouts
    this.#account = account
    this.#take(upstream, slots)
    this.#lastByteAt = ticker.now()
    this.#endsAt = this.#lastByteAt + timeouts.totalMs + ticker.intervalMs
    this.#silenceMs = timeouts.firstByteMs
    ticker.add(this)
  }

  abort(reason: AbortReason): void {
    if (this.reason) return
    this.reason = reason
    this.cancellation.cancel()
  }

  /** Nothing more is needed from the upstream. */
  cancel(): void {
    this.cancellation.cancel()
  }

  /** The request is sent now: the time limits begin. */
  sent(): void {
    this.reservation?.sent()
    this.#lastByteAt = this.#ticker.now()
    this.#endsAt = this.#lastByteAt + this.#timeouts.totalMs + this.#ticker.intervalMs
  }

  /** The next attempt has its own time limit for the first byte. */
  moveTo(upstream: LimitedUpstream, slots: UpstreamQueue, reservation: Reservation | undefined): void {
    if (this.#stopped) {
      reservation?.end(this.#ticker.now())
      return
    }
    this.releaseSlot()
    this.reservation = reservation
    this.#take(upstream, slots)
    const { timeouts } = upstream
    this.#timeouts = timeouts
    this.#silenceMs = timeouts.firstByteMs
    this.#lastByteAt = this.#ticker.now()
  }

  /** The upstream's headers arrived: from now on the idle timeout applies instead of that for the first byte. */
  headersArrived(): void {
    this.#silenceMs = this.#timeouts.idleMs
    this.#lastByteAt = this.#ticker.now()
  }

  /** A piece of the response. Pieces that end no line reset the idle time only once they are large enough together. */
  received(piece: Uint8Array): void {
    this.#trickle += piece.length
    if (this.#trickle < WORTH_WAITING_FOR && !endsLine(piece)) return
    this.resetIdle()
  }

  /** The time until now does not count as silence of the upstream. */
  resetIdle(): void {
    this.#trickle = 0
    this.#lastByteAt = this.#ticker.now()
  }

  /** While the client does not read, or a rate limit delays output, silence is not the upstream's fault. */
  suspendIdle(suspended: boolean): void {
    this.#suspended = suspended
    this.#lastByteAt = this.#ticker.now()
  }

  /** Aborts the call with `reason` in `ms` at the latest. */
  endWithin(ms: number, reason: AbortReason): void {
    const at = this.#ticker.now() + ms
    if (at >= this.#endsAt) return
    this.#endsAt = at
    this.#endsWith = reason
  }

  /** Until the limit on the total time ends the call. */
  get leftMs(): number {
    return Math.max(0, this.#endsAt - this.#ticker.now())
  }

  /** Something else takes this long at most: until then the limit on the total time does not end the call. */
  endNotBefore(ms: number): void {
    if (this.#endsWith === 'timeout') this.#endsAt = Math.max(this.#endsAt, this.#ticker.now() + ms)
  }

  tick(now: number): void {
    if (now >= this.#endsAt) this.abort(this.#endsWith)
    // The times were read from a clock that may have been a tick behind: a limit is never shorter than configured.
    else if (!this.#suspended && now - this.#lastByteAt >= this.#silenceMs + this.#ticker.intervalMs)
      this.abort('timeout')
    else this.onTick?.(now)
  }

  /** Once, however often it is called. */
  stop(): void {
    if (this.#stopped) return
    this.#stopped = true
    this.#ticker.remove(this)
    this.releaseSlot()
  }

  /** Before the end of the call: for other calls, or for the next attempt of this one. */
  releaseSlot(): void {
    const slots = this.#slots
    if (!slots) return
    this.#slots = undefined
    this.reservation?.end(this.#ticker.now())
    slots.free(this.#countedFor)
  }

  #take(upstream: LimitedUpstream, slots: UpstreamQueue): void {
    this.#slots = slots
    this.#countedFor = mostAtOnce(upstream) === undefined ? undefined : this.#account
    slots.take(this.#countedFor)
  }
}

/** Waits for something other than the upstream. undefined: the call was aborted meanwhile, or the promise rejected. */
export async function unlessAborted<T>(call: UpstreamCall, promise: Promise<T>): Promise<T | undefined> {
  call.suspendIdle(true)
  const result = await new Promise<T | undefined>((resolve) => {
    const over = () => resolve(undefined)
    const { signal } = call.cancellation
    signal.addEventListener('abort', over)
    promise.then(resolve, over).finally(() => signal.removeEventListener('abort', over))
    if (signal.aborted) over()
  })
  call.suspendIdle(false)
  return result
}
