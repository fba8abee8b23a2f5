// Metrics of the process itself: memory, CPU, and how late its timers fire.
import { type Ticker, Ticking } from '@trivium/http/ticker.ts'
import { VERSION } from '../version.ts'
import type { Metrics } from './names.ts'

class EventLoopDelay extends Ticking {
  readonly #metrics: Pick<Metrics, 'eventLoop'>
  readonly #intervalMs: number
  #tickedAt: number

  constructor(metrics: Pick<Metrics, 'eventLoop'>, ticker: Ticker) {
    super()
    this.#metrics = metrics
    this.#intervalMs = ticker.intervalMs
    this.#tickedAt = ticker.exactNow()
  }

  tick(now: number): void {
    this.#metrics.eventLoop.observe(Math.max(0, now - this.#tickedAt - this.#intervalMs) / 1_000)
    this.#tickedAt = now
  }
}

export function startProcessMetrics(metrics: Metrics, ticker: Ticker): void {
  ticker.add(new EventLoopDelay(metrics, ticker))
  metrics.build.set(1, VERSION, Bun.version)
  metrics.started.set(Math.round((Date.now() - performance.now()) / 1_000))
  metrics.processes.set(1)
}

export function readProcess({ memory, cpu }: Metrics): void {
  memory.set(process.memoryUsage.rss())
  const { user, system } = process.cpuUsage()
  cpu.set((user + system) / 1_000_000)
}
