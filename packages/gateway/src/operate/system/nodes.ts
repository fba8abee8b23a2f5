// The nodes that share the store, and the background jobs.
import { NOTHING } from '../../request/schema/schema.ts'
import type { ListedJob } from '../../storage/storage.ts'
import { isoTime } from '../inputs/fields.ts'
import { operation } from '../operation.ts'
import { JOB, NODE } from '../resources/traffic.ts'

/** Nodes whose lease has not expired. */
export const listNodes = operation({
  name: 'node list',
  permission: 'see',
  route: { at: 'GET nodes', summary: 'Lists the nodes that are alive', output: NODE, list: true },
  input: NOTHING,
  async run({ storage }) {
    const nodes = await storage.nodes.list()
    const newest = Math.max(0, ...nodes.map(({ state }) => state?.revision ?? 0))
    const hasDrift = new Set(nodes.map(({ config }) => config)).size > 1
    const items = nodes.map(({ nodeId, renewedAt, config, state }) => ({
      id: String(nodeId),
      /** Null: it has told nothing yet, or is of a version that tells nothing. */
      version: state?.version ?? null,
      started_at: state === undefined ? null : isoTime(state.startedAt),
      renewed_at: isoTime(renewedAt),
      configuration: { revision: state?.revision ?? null, hash: config },
      /** Its configuration is not that of all others, or not the newest. */
      drift: hasDrift || (state !== undefined && state.revision < newest),
      ready: state?.ready ?? null,
      faults: [...(state?.faults ?? [])],
    }))
    return { items, next: null }
  },
})

export const listJobs = operation({
  name: 'job list',
  permission: 'see',
  route: { at: 'GET jobs', summary: 'Lists background jobs with their last run', output: JOB, list: true },
  input: NOTHING,
  run: async ({ storage }) => ({ items: (await storage.jobRuns.list()).map(jobRow), next: null }),
})

/** The last run, on whichever node. */
const jobRow = (job: ListedJob) => ({
  id: job.name,
  scope: job.scope,
  /** Null: it decides after each run. */
  interval_ms: job.intervalMs ?? null,
  node_id: String(job.nodeId),
  last_run_at: isoTime(job.beganAt),
  duration_ms: job.durationMs,
  next_run_at: isoTime(job.nextAt),
  failing: job.isFailing,
  last_error: job.error ?? null,
  last_error_at: job.failedAt === undefined ? null : isoTime(job.failedAt),
})
