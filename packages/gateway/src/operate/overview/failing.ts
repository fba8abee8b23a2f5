// Upstreams whose last calls all failed although their keys are not to blame, as with a wrong base URL: the health of keys says nothing of them.
import type { UpstreamCount } from '../../observe/metrics/upstream-measures.ts'
import { failureAt } from '../../paid-call/receipts/show-receipt.ts'
import type { Storage } from '../../storage/storage.ts'
import type { OperationContext } from '../operation.ts'

/** `reason`: the status of the last failure, or the code of its error. */
export type FailingUpstream = { upstream: string; calls: number; reason: string | undefined }

const HOUR_MS = 3_600_000
const WITHIN_MS = 24 * HOUR_MS
/** One or two failures are no pattern. */
const FEWEST_CALLS = 3
/** A request that failed may have failed at another upstream. */
const LOOKED_AT = 5

type Counts = readonly (UpstreamCount & { hour: number })[]

/** Configured upstreams that fail. Counts are those of all nodes; of other nodes, up to the last minute. */
export async function failingUpstreams({ storage, config, routing }: OperationContext): Promise<FailingUpstream[]> {
  const now = storage.now()
  const recent = (routing?.measures.recent().counts ?? []).map((count) => ({ hour: now - (now % HOUR_MS), ...count }))
  const counts = [...(await storage.upstreams.counts(now - WITHIN_MS)), ...recent]
  const failing = [...Map.groupBy(counts, ({ upstream }) => upstream)]
    .map(([upstream, own]) => ({ upstream, calls: lastFailures(own) }))
    .filter(({ upstream, calls }) => calls >= FEWEST_CALLS && config.upstreams.has(upstream))
  return Promise.all(
    failing.map(async (each) => ({ ...each, reason: await lastReason(storage, each.upstream, now - WITHIN_MS) })),
  )
}

/** In the hours since the last one with a call that succeeded: within an hour, the order of calls is not known. */
function lastFailures(counts: Counts): number {
  const sumOf = (some: Counts) => some.reduce((sum, { count }) => sum + count, 0)
  const lastGood = Math.max(0, ...counts.filter(({ measure }) => measure === 'good').map(({ hour }) => hour))
  return sumOf(counts.filter(({ measure, hour }) => measure === 'failed' && hour > lastGood))
}

async function lastReason({ lists }: Storage, upstream: string, from: number): Promise<string | undefined> {
  const { rows } = await lists.requests({ upstream, from }, {}, LOOKED_AT)
  for (const { row } of rows) {
    const failure = failureAt(row, upstream)
    if (failure !== undefined) return failure
  }
  return undefined
}
