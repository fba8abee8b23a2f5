// The time limits of one call, and the one place that ends it early. Checked by the shared ticker, not by timers.

import { Cancel } from '@trivium/http/cancel.ts'
import { type Ticker, Ticking } from '@trivium/http/ticker.ts'
import type { Timeouts, Upstream } from '../config/types.ts'
import { mayTake } from '../overload/fair-share.ts'

export type AbortReason = 'timeout' | 'client_gone' | 'shutdown'

export type UpstreamCalls = {
  /** The call's place among those that its upstream takes at once: not to be asked of a full one. Given back by `leave`, or `stop`. */
  start(upstream: LimitedUpstream, account: bigint): UpstreamCall
  /** The call goes to another upstream, or there again: its place and its limits are there now. The limit for all stays. */
  move(watch: UpstreamCall, upstream: LimitedUpstream): void
  /** The upstream has as many calls as it may have, or the account has its share of them: see http/fair-share.ts. */
  isFull(upstream: LimitedUpstream, account: bigint): boolean
  /** Calls of the account there; counted only where the number of calls is limited. */
  heldBy(account: bigint, upstream: LimitedUpstream): number
  /** Ends everything that runs. */
  abortAll(reason: AbortReason): void
  readonly size: number
}

export type LimitedUpstream = Pick<Upstream, 'id' | 'maxConcurrency' | 'maxConcurrencyPerKey' | 'keys' | 'timeouts'>

/** Calls that an upstream may have at once, with all of its keys; undefined: any number. */
function mostAtOnce({ maxConcurrency, maxConcurrencyPerKey: perKey, keys }: LimitedUpstream): number | undefined {
  if (perKey === undefined) return maxConcurrency
  return Math.min(maxConcurrency ?? Number.POSITIVE_INFINITY, perKey * Math.max(1, keys.length))
}

/** `onFreed`: called whenever an upstream has one call less. */
export function createUpstreamCalls(ticker: Ticker, onFreed: () => void = () => {}): UpstreamCalls {
  /** By id, not by object: a reloaded configuration has new objects, and the calls of the former one still run. */
  const places = new Map<string, Places>()
  function placesAt(id: string): Places {
    let known = places.get(id)
    if (!known) {
      known = new Places(onFreed)
      places.set(id, known)
    }
    return known
  }
  return {
    start: (upstream, account) => new UpstreamCall(ticker, upstream, placesAt(upstream.id), account),
    move: (watch, upstream) => watch.moveTo(upstream, placesAt(upstream.id)),
    isFull(upstream, account) {
      const most = mostAtOnce(upstream)
      if (most === undefined) return false
      const places = placesAt(upstream.id)
      return !mayTake(places.heldBy(account), places.taken, most)
    },
    heldBy: (account, { id }) => placesAt(id).heldBy(account),
    abortAll(reason) {
      ticker.each((item) => item instanceof UpstreamCall && item.abort(reason))
    },
    get size() {
      return places.values().reduce((sum, { taken }) => sum + taken, 0)
    },
  }
}

const LINE_FEED = 0x0a
/** Alone, it ends a line of an event stream as well. */
const CARRIAGE_RETURN = 0x0d
/** Almost always the last byte tells. */
const endsLine = (piece: Uint8Array): boolean =>
  piece.at(-1) === LINE_FEED || piece.includes(LINE_FEED) || piece.includes(CARRIAGE_RETURN)
/** Somebody who sends a byte now and then would otherwise keep a call open up to the limit for all of it. */
const WORTH_WAITING_FOR = 1024

/** Of one upstream. */
class Places {
  taken = 0
  readonly #byAccount = new Map<bigint, number>()
  readonly #onFreed: () => void

  constructor(onFreed: () => void) {
    this.#onFreed = onFreed
  }

  heldBy(account: bigint): number {
    return this.#byAccount.get(account) ?? 0
  }

  /** `account`: absent where nothing is limited. */
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

/** A class, and not closures as elsewhere: one is made for every request, and methods on a prototype cost nothing to make. */
export class UpstreamCall extends Ticking {
  reason: AbortReason | undefined
  /** Called at each tick while the call lasts: heartbeats. */
  onTick: ((now: number) => void) | undefined
  /** What ends the call; whoever works for it listens here. */
  readonly cancellation = new Cancel()
  readonly #ticker: Ticker
  #timeouts: Timeouts
  readonly #account: bigint
  /** undefined: it has no place anywhere. */
  #places: Places | undefined
  /** The account that its place there was counted for: the limit may be set or removed while it runs. */
  #countedFor: bigint | undefined
  #endsAt: number
  #endsWith: AbortReason = 'timeout'
  #lastByteAt: number
  #silenceMs: number
  /** Bytes since the last line end, or since there were enough of them. */
  #trickle = 0
  #suspended = false
  #stopped = false

  constructor(ticker: Ticker, upstream: LimitedUpstream, places: Places, account: bigint) {
    super()
    const { timeouts } = upstream
    this.#ticker = ticker
    this.#timeouts = timeouts
    this.#account = account
    this.#take(upstream, places)
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

  /** Lets the upstream go, for no other reason than that nothing more is wanted of it. */
  cancel(): void {
    this.cancellation.cancel()
  }

  /** The request leaves now: the limits count from here. */
  sent(): void {
    this.#lastByteAt = this.#ticker.now()
    this.#endsAt = this.#lastByteAt + this.#timeouts.totalMs + this.#ticker.intervalMs
  }

  /** Another upstream is asked next, which has its own time for the first byte. */
  moveTo(upstream: LimitedUpstream, places: Places): void {
    if (this.#stopped) return
    this.releaseSlot()
    this.#take(upstream, places)
    const { timeouts } = upstream
    this.#timeouts = timeouts
    this.#silenceMs = timeouts.firstByteMs
    this.#lastByteAt = this.#ticker.now()
  }

  /** Upstream headers are here: from now on the idle limit holds instead of the first-byte limit. */
  headersArrived(): void {
    this.#silenceMs = this.#timeouts.idleMs
    this.#lastByteAt = this.#ticker.now()
  }

  /** A piece of the answer. One that ends no line is little better than silence until there are more of them. */
  received(piece: Uint8Array): void {
    this.#trickle += piece.length
    if (this.#trickle < WORTH_WAITING_FOR && !endsLine(piece)) return
    this.resetIdle()
  }

  /** The time until now is nobody's fault, or a sign of life has come. */
  resetIdle(): void {
    this.#trickle = 0
    this.#lastByteAt = this.#ticker.now()
  }

  /** While the client does not read, or a limit makes us wait, silence is not the upstream's fault. */
  suspendIdle(suspended: boolean): void {
    this.#suspended = suspended
    this.#lastByteAt = this.#ticker.now()
  }

  /** Ends the call with `reason` at the latest in `ms`. */
  endWithin(ms: number, reason: AbortReason): void {
    const at = this.#ticker.now() + ms
    if (at >= this.#endsAt) return
    this.#endsAt = at
    this.#endsWith = reason
  }

  tick(now: number): void {
    if (now >= this.#endsAt) this.abort(this.#endsWith)
    // The times were noted by a clock that may have been a tick behind: nobody gets less than what is configured.
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

  /** Gives the place back, before the end: for somebody else, or for another try of the same call. */
  releaseSlot(): void {
    const places = this.#places
    if (!places) return
    this.#places = undefined
    places.free(this.#countedFor)
  }

  #take(upstream: LimitedUpstream, places: Places): void {
    this.#places = places
    this.#countedFor = mostAtOnce(upstream) === undefined ? undefined : this.#account
    places.take(this.#countedFor)
  }
}

/** Waits for what is not the upstream's doing, or until the call has ended for another reason: nothing comes of it then. */
export async function unlessAborted<T>(watch: UpstreamCall, promise: Promise<T>): Promise<T | undefined> {
  watch.suspendIdle(true)
  const result = await new Promise<T | undefined>((resolve) => {
    const over = () => resolve(undefined)
    const { signal } = watch.cancellation
    signal.addEventListener('abort', over)
    promise.then(resolve, over).finally(() => signal.removeEventListener('abort', over))
    if (signal.aborted) over()
  })
  watch.suspendIdle(false)
  return result
}
