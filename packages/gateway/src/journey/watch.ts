// The time limits of one call, and the one place that ends it early. Checked by the shared ticker, not by timers.
import type { Timeouts } from '../config/types.ts'
import type { Ticker, Ticking } from '../http/ticker.ts'

export type AbortReason = 'timeout' | 'client_gone' | 'shutdown'

export type Watch = Ticking & {
  readonly signal: AbortSignal
  readonly reason: AbortReason | undefined
  abort(reason: AbortReason): void
  /** Lets the upstream go, for no other reason than that nothing more is wanted of it. */
  cancel(): void
  /** Upstream headers are here: from now on the idle limit holds instead of the first-byte limit. */
  headersArrived(): void
  byteArrived(): void
  /** While the client does not read, silence is not the upstream's fault. */
  clientBlocks(blocked: boolean): void
  /** Ends the call with `reason` at the latest in `ms`. */
  within(ms: number, reason: AbortReason): void
  /** Called at each tick while the call lasts: heartbeats. */
  onTick: ((now: number) => void) | undefined
  stop(): void
}

export type Watches = {
  start(timeouts: Timeouts): Watch
  /** Ends everything that runs. */
  abortAll(reason: AbortReason): void
  readonly size: number
}

export function createWatches(ticker: Ticker): Watches {
  const running = new Set<Watch>()
  return {
    start(timeouts) {
      const watch = startWatch(ticker, timeouts, () => running.delete(watch))
      running.add(watch)
      return watch
    },
    abortAll(reason) {
      for (const watch of running) watch.abort(reason)
    },
    get size() {
      return running.size
    },
  }
}

function startWatch(ticker: Ticker, timeouts: Timeouts, onStop: () => void): Watch {
  const controller = new AbortController()
  let reason: AbortReason | undefined
  let endsAt = ticker.now() + timeouts.totalMs
  let endsWith: AbortReason = 'timeout'
  let lastByteAt = ticker.now()
  let silenceMs = timeouts.firstByteMs
  let blocked = false

  const watch: Watch = {
    signal: controller.signal,
    onTick: undefined,
    get reason() {
      return reason
    },
    abort(why) {
      if (reason) return
      reason = why
      controller.abort()
    },
    cancel: () => controller.abort(),
    headersArrived() {
      silenceMs = timeouts.idleMs
      lastByteAt = ticker.now()
    },
    byteArrived() {
      lastByteAt = ticker.now()
    },
    clientBlocks(now) {
      blocked = now
      lastByteAt = ticker.now()
    },
    within(ms, why) {
      const at = ticker.now() + ms
      if (at < endsAt) [endsAt, endsWith] = [at, why]
    },
    tick(now) {
      if (now >= endsAt) watch.abort(endsWith)
      else if (!blocked && now - lastByteAt >= silenceMs) watch.abort('timeout')
      else watch.onTick?.(now)
    },
    stop() {
      ticker.remove(watch)
      onStop()
    },
  }
  ticker.add(watch)
  return watch
}
