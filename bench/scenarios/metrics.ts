// What metrics cost: a request that is counted, and a scrape of as many series as there can be.
import type { Result } from '../../packages/gateway/src/money/ledger.ts'
import { createMetrics, type Metrics } from '../../packages/gateway/src/observe/metrics/names.ts'
import { render } from '../../packages/gateway/src/observe/metrics/render.ts'
import { observeRequests } from '../../packages/gateway/src/observe/metrics/request-metrics.ts'
import { mergeSnapshots, type Snapshot, snapshotOf } from '../../packages/gateway/src/observe/metrics/snapshot.ts'
import { RequestRecord } from '../../packages/gateway/src/observe/request-record.ts'
import { LedgerCounts } from '../../packages/gateway/src/storage/node/ledger-counts.ts'
import { median } from '../harness/measure.ts'
import { micros, millis, type Scenario, verdict } from '../harness/scenario.ts'

const MODELS = 10_000
const KEYS = 100_000
const ERRORS = 1_000
const WORKERS = 4
const RECORDS = 1_000

/** All of a sandbox's models: no name is unknown. */
const ALL = { has: () => true }

export const metricsCost: Scenario = {
  number: 15,
  title: `Metrics: ${MODELS.toLocaleString('en')} models, ${KEYS.toLocaleString('en')} keys, ${ERRORS.toLocaleString('en')} errors, ${WORKERS} workers`,
  async run({ rounds, quick, say }) {
    const requests = quick ? 50_000 : 500_000
    const [perRequest, perScrape]: number[][] = [[], []]
    const processes = Array.from({ length: WORKERS }, (_, index) => filled(index))
    for (let round = 1; round <= rounds; round++) {
      perRequest?.push(requestMicros(requests))
      perScrape?.push(scrapeMicros(processes, quick ? 20 : 200))
      say(
        `  round ${round}: ${micros(perRequest?.at(-1) ?? 0)} per request, ${micros(perScrape?.at(-1) ?? 0)} per scrape`,
      )
    }
    const [request, scrape] = [median(perRequest ?? []), median(perScrape ?? []) / 1_000]
    const series = scraped(processes)
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#')).length
    return {
      columns: ['', 'CPU'],
      rows: [
        ['a request, counted: its response, its hold, its settlement and its upstream call', micros(request)],
        [`a scrape of ${series.toLocaleString('en')} series`, millis(scrape)],
      ],
      verdicts: [
        verdict('metrics, CPU of a request', request, 2, micros),
        verdict('metrics, CPU of a scrape', scrape, 20, millis),
      ],
    }
  },
}

function filled(worker: number): Metrics {
  const metrics = createMetrics()
  const observer = observeRequests(metrics, () => ({ models: ALL, upstreams: ALL }))
  for (let index = 0; index < KEYS / WORKERS; index++) {
    const key = BigInt(worker * KEYS + index)
    const [model, upstream] = [`model-${worker}-${index % MODELS}`, `upstream-${index % ERRORS}`]
    observer.ended(recordOf(key, model, upstream, `error-${index % ERRORS}`))
    metrics.charged.add(1_000_001n, model, upstream)
    metrics.cost.add(1_000_001n, model, upstream)
    metrics.attempts.add(1, upstream, 'no_response')
    metrics.jobs.add(1, `job-${index % ERRORS}`, 'done')
    metrics.database.observe(0.001, `operation-${index % ERRORS}`)
    metrics.upstreamState.set(1, upstream)
  }
  return metrics
}

function recordOf(key: bigint, model: string, upstream: string, error?: string): RequestRecord {
  const record = new RequestRecord('POST', '/v1/chat/completions', 'req_1', 0, 0, 'chat')
  const tokens = { input: 812, cached: 100, output: 244, reasoning: 12 }
  const times = { totalMs: 3_177, firstTokenMs: 412 }
  return Object.assign(record, { key, model, upstream, error, tokens, outcome: 'completed', status: 200 }, times)
}

/** Above what the same costs without metrics. */
function requestMicros(requests: number): number {
  const metrics = createMetrics()
  const names = { models: ALL, upstreams: ALL }
  const observer = observeRequests(metrics, () => names)
  const records = Array.from({ length: RECORDS }, (_, index) =>
    recordOf(BigInt(index), `model-${index % 20}`, `upstream-${index % 5}`),
  )
  const done: Result = { verdict: 'done', amount: 1_000_001n, tokens: 0, change: 1_000_001n }
  const counts = new LedgerCounts(metrics)
  const run = (isCounted: boolean): number => {
    const from = process.cpuUsage()
    for (let index = 0; index < requests; index++) {
      const record = records[index % RECORDS] as RequestRecord
      const { model = '', upstream = '' } = record
      const owner = { id: BigInt(index), nodeId: 0, epoch: 1 }
      const hold = { verb: 'hold', ...owner, ...HOLD, model, upstream } as const
      const settle = { verb: 'settle', ...owner, ...SETTLE, model, upstream } as const
      if (!isCounted) continue
      counts.ended(hold, counts.begun(hold), done)
      counts.ended(settle, counts.begun(settle), done)
      metrics.attempts.add(1, upstream, '2xx')
      observer.ended(record)
    }
    const { user, system } = process.cpuUsage(from)
    return (user + system) / requests
  }
  // The first run compiles.
  run(false)
  run(true)
  return run(true) - run(false)
}

const HOLD = {
  account: 1n,
  key: 2n,
  revision: 0,
  extensible: true,
  amount: 40_000_000n,
  minimum: 1_000_000n,
  tokens: 0,
  minimumTokens: 0,
}
const SETTLE = { cost: 1_000_001n, tokens: 0, outcome: 'completed', receipt: '', upstreamCost: 900_001n }

/** As the worker does it that is scraped: the snapshots of the others arrive as JSON. */
const scraped = ([own, ...others]: readonly Metrics[]): string => {
  const theirs = others.map((each) => JSON.stringify(snapshotOf(each)))
  return own ? render(mergeSnapshots([snapshotOf(own), ...theirs.map((text) => JSON.parse(text) as Snapshot)])) : ''
}

function scrapeMicros(processes: readonly Metrics[], scrapes: number): number {
  scraped(processes)
  const from = process.cpuUsage()
  for (let index = 0; index < scrapes; index++) scraped(processes)
  const { user, system } = process.cpuUsage(from)
  return (user + system) / scrapes
}
