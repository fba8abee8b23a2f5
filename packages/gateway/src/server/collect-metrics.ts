// Reads the values that nothing counts as they happen: queues, upstreams, process, database.

import type { GatewayDependencies } from '../handler.ts'
import { OTHER } from '../observe/metrics/metric.ts'
import { METRICS } from '../observe/metrics/names.ts'
import { readProcess, startProcessMetrics } from '../observe/metrics/process-metrics.ts'
import { createScrape, type Scrape } from '../observe/metrics/scrape.ts'
import { type Snapshot, snapshotOf } from '../observe/metrics/snapshot.ts'
import type { Cleanup } from '../process/cleanup.ts'
import type { Worker } from '../process/worker.ts'
import { answerWithin } from '../storage/node/deadlines.ts'
import type { Storage } from '../storage/storage.ts'
import { TRANSITIONS } from '../tasks/states.ts'
import { reportLimits } from '../upstreams/limits/report.ts'
import type { ConnectionCount } from './listen.ts'
import type { LiveConfig } from './live-config.ts'

/** The database is asked no more often, however often it is scraped. */
const ASK_EVERY_MS = 5_000
const ANSWER_WITHIN_MS = 2_000
/** Upstreams whose costs begin at 0: most of the series are for those that are used. */
const MOST_BEGUN = METRICS.cost.mostSeries / 4

type Sources = Pick<
  GatewayDependencies,
  'metrics' | 'admission' | 'upstreamQueue' | 'journal' | 'ticker' | 'send' | 'clock'
>

/** The metrics of this process, which other workers' scrapes include, and the text of a scrape. */
export function collectMetrics(
  deps: Sources,
  live: LiveConfig,
  storage: Pick<Storage, 'ledger' | 'tasks'>,
  isReady: () => boolean,
  connections: () => ConnectionCount | undefined,
  worker: Worker | undefined,
  cleanup: Cleanup,
): Scrape {
  const { metrics, ticker } = deps
  startProcessMetrics(metrics, ticker)
  metrics.configuration.set(1)
  let askedAt = Number.NEGATIVE_INFINITY
  const begun = new Set<string>()

  function read(): Snapshot {
    readProcess(metrics)
    metrics.ready.set(isReady() ? 1 : 0)
    metrics.queueLength.set(deps.admission.queued + deps.upstreamQueue.length)
    metrics.running.set(deps.admission.inFlight)
    const { chargedMs, delayed, rejected } = deps.admission.threadTime.totals
    metrics.largeSeconds.set(chargedMs / 1_000)
    metrics.largeHeld.set(delayed, 'delayed')
    metrics.largeHeld.set(rejected, 'rejected')
    metrics.journal.set(deps.journal.pending())
    metrics.connections.set(connections()?.connections ?? 0)
    readUpstreams()
    return snapshotOf(metrics)
  }

  function readUpstreams(): void {
    const now = ticker.now()
    metrics.upstreamState.clear()
    metrics.credentialLeft.clear()
    metrics.limitUsed.clear()
    for (const { upstream, model, kind, used, limit } of reportLimits(live.config(), live.upstreamHealth.limits, now))
      metrics.limitUsed.set(used / limit, upstream, model, kind)
    for (const upstream of live.config().upstreams.values()) {
      const keys = live.upstreamHealth.report(upstream, now)
      const isCalled = keys.some(({ state }) => state !== 'open' && state !== 'rejected')
      metrics.upstreamState.set(isCalled ? 1 : 0, upstream.id)
      const { expiresAt, problem } = (upstream.auth && deps.send.credentialState?.(upstream)) || {}
      const leftMs = problem === undefined && expiresAt !== undefined ? expiresAt - deps.clock() : 0
      if (problem !== undefined || expiresAt !== undefined)
        metrics.credentialLeft.set(Math.max(0, leftMs / 1_000), upstream.id)
    }
    // Each begins at 0, under no model of its own, so that the first cost is an increase of the upstream's sum.
    for (const id of live.config().upstreams.keys()) {
      if (begun.size >= MOST_BEGUN) break
      if (!begun.has(id)) metrics.cost.add(0n, OTHER, id)
      begun.add(id)
    }
  }

  /** What the database does not say in time is absent. */
  async function askDatabase(): Promise<void> {
    if (performance.now() - askedAt < ASK_EVERY_MS) return
    askedAt = performance.now()
    const { holds, heldUsd, oldestHold, shortfall, tasks } = metrics
    const answers = Promise.all([storage.ledger.totals(), storage.tasks.unfinished()])
    const found = await answerWithin(ANSWER_WITHIN_MS, ticker.after, answers).catch(() => undefined)
    for (const each of [holds, heldUsd, oldestHold, shortfall, tasks]) each.clear()
    if (!found) return
    const [totals, unfinished] = found
    holds.set(totals.openHolds)
    heldUsd.set(totals.held)
    oldestHold.set(totals.oldestHoldMs / 1_000)
    shortfall.set(totals.shortfall)
    for (const state of Object.keys(TRANSITIONS)) tasks.set(0, state)
    for (const { state, tasks: count } of unfinished) tasks.set(count, state)
  }

  if (worker) {
    const reports = worker.reportMetrics(read)
    // The first step that was added runs last: the end of the node settles what is in the journal.
    cleanup.addFirst(() => reports.stop())
  }
  const own = async () => {
    await askDatabase()
    return read()
  }
  return createScrape(own, async () => (worker ? await worker.otherMetrics() : []))
}
