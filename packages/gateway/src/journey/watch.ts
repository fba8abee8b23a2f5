// The time limits of one call, and the one place that ends it early. Checked by the shared ticker, not by timers.
import type { Timeouts, Upstream } from '../config/types.ts'
import type { Ticker, Ticking } from '../http/ticker.ts'

export type AbortReason = 'timeout' | 'client_gone' | 'shutdown'

export type Watch = Ticking & {
  readonly signal: AbortSignal
  readonly reason: AbortReason | undefined
  abort(reason: AbortReason): void
  /** Lets the upstream go, for no other reason than that nothing more is wanted of it. */
  cancel(): void
  /** The request leaves now: the limits count from here. */
  sent(): void
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
  /** The call's place among those that its upstream takes at once: not to be asked of a full one. Given back by `stop`. */
  start(upstream: Limited): Watch
  /** The upstream has as many calls as it may have. */
  isFull(upstream: Limited): boolean
  /** Ends everything that runs. */
  abortAll(reason: AbortReason): void
  readonly size: number
}

export type Limited = Pick<Upstream, 'id' | 'maxConcurrency' | 'timeouts'>

export function createWatches(ticker: Ticker): Watches {
  const running = new Set<Watch>()
  /** By id, not by object: a reloaded configuration has new objects, and the calls of the former one still run. */
  const callsOf = new Map<string, number>()
  return {
    start({ id, timeouts }) {
      const watch = startWatch(ticker, timeouts, () => {
        if (running.delete(watch)) callsOf.set(id, (callsOf.get(id) ?? 1) - 1)
      })
      running.add(watch)
      callsOf.set(id, (callsOf.get(id) ?? 0) + 1)
      return watch
    },
    isFull: ({ id, maxConcurrency }) => maxConcurrency !== undefined && (callsOf.get(id) ?? 0) >= maxConcurrency,
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
    sent() {
      lastByteAt = ticker.now()
      endsAt = lastByteAt + timeouts.totalMs
    },
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
