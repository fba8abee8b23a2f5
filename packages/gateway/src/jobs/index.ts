// Every background job of a server.

import type { MasterSecrets } from '../access/secrets/master-secrets.ts'
import type { ResponseTaskDependencies } from '../background/dependencies.ts'
import { responseTasks } from '../background/response-tasks.ts'
import type { Environment, FileConfig } from '../config/types.ts'
import { mediaFolder } from '../media/open-media.ts'
import type { ErrorCounts } from '../observe/error-counts.ts'
import type { Latencies } from '../observe/latency-buckets.ts'
import type { Metrics } from '../observe/metrics/names.ts'
import type { UpstreamMeasures } from '../observe/metrics/upstream-measures.ts'
import type { RejectedRequestCounts } from '../observe/rejected-requests.ts'
import { VERSION } from '../observe/version.ts'
import type { Admission } from '../overload/admission.ts'
import type { Node } from '../storage/node/node.ts'
import type { JobRun, NodeState, Storage } from '../storage/storage.ts'
import { TASK_TIMING } from '../tasks/timing.ts'
import { createTaskWorker } from '../tasks/worker.ts'
import type { Credentials } from '../upstreams/credentials/index.ts'
import { followSwitches } from '../upstreams/health/follow-switches.ts'
import type { Health } from '../upstreams/health/health.ts'
import type { VideoDependencies } from '../videos/dependencies.ts'
import { videoTasks } from '../videos/video-tasks.ts'
import { archiveMonths } from './archive-months.ts'
import { auditLedger } from './audit-ledger.ts'
import { createJobs } from './every.ts'
import { followBudgets, followSecret, pollChanges } from './poll-changes.ts'
import { renewCredentials } from './renew-credentials.ts'
import { reportManyValues } from './report-many-values.ts'
import { createNodeReport } from './report-node.ts'
import { reportRemovals } from './report-removals.ts'
import { runAlerts } from './run-alerts.ts'
import { runNotices } from './run-notices.ts'
import { addUpUsage, storeLatencies, storeRejectedRequests } from './store-counts.ts'
import {
  clearReceipts,
  foldFreeRequests,
  sealMonths,
  sweepAttribution,
  sweepAuditLog,
  sweepContents,
  sweepMedia,
  sweepResponses,
  sweepSessions,
  sweepTasks,
  sweepUpstreamLimits,
} from './sweeps.ts'
import { type ClusterStatus, warnOfUnsharedMedia, watchNodes } from './watch-nodes.ts'

/** A longer outage of Vault is not noticed before. */
const RENEW_SECRETS_MS = 5 * 60_000

export type JobDependencies = VideoDependencies &
  ResponseTaskDependencies & {
    secrets: MasterSecrets
    latencies: Latencies
    upstreamMeasures: UpstreamMeasures
    rejectedRequests: RejectedRequestCounts
    errorCounts: ErrorCounts
    node: Pick<Node, 'identity' | 'commitsLostAt'>
    mediaStore: { sweep(limit: number): Promise<number> }
    admission: Pick<Admission, 'isSaturated' | 'inFlight'>
    metrics: Pick<Metrics, 'jobs'>
    credentials: Credentials
  }

export type RunningJobs = {
  /** Absent in the only node of its database. */
  clusterStatus: (() => ClusterStatus) | undefined
  stop(): Promise<void>
}

/**
 * `isLeader`: this process warns on behalf of all workers of the machine. `gateway`: how alerts name this gateway. `live`: reads
 * what other processes may have changed, and secrets that are kept elsewhere. `readiness`: what operators are shown of this node.
 */
export function startJobs(
  deps: JobDependencies,
  storage: Storage,
  environment: Environment,
  config: () => FileConfig,
  isLeader: boolean,
  upstreamHealth: Health,
  gateway: () => string,
  live: { refresh(): Promise<unknown>; renewSecrets(): Promise<number | undefined> },
  readiness: () => Pick<NodeState, 'ready' | 'faults'>,
): RunningJobs {
  const { log, metrics } = deps
  const startedAt = Date.now()
  const state = () => ({ version: VERSION, startedAt, revision: config().revision, ...readiness() })
  const report = createNodeReport(storage, deps.node.identity, state)
  const onRun = (run: JobRun) => {
    metrics.jobs.add(1, run.name, run.error === undefined ? 'done' : 'failed')
    report.note(run)
  }
  const { every, stop } = createJobs({ leases: storage.leases, log, onRun })
  report.start(every)
  const clusterStatus = environment.databaseUrl ? watchNodes(every, storage.nodes) : undefined
  const folder = mediaFolder(environment, config())
  if (clusterStatus && folder !== undefined && isLeader)
    warnOfUnsharedMedia(every, folder, environment.workers, clusterStatus, log)
  pollChanges(every, storage.keys, deps.callers, async () => {
    await live.refresh()
    await followSwitches(storage, upstreamHealth, config())
  })
  followBudgets(every, deps.budgets)
  renewCredentials(every, deps.credentials, upstreamHealth, config, deps.ticker.exactNow)
  every(RENEW_SECRETS_MS, { name: 'read secrets', scope: 'node', run: live.renewSecrets })
  followSecret(every, storage.meta, deps.secrets)
  auditLedger(every, storage, log, {
    isBusy: () => deps.admission.isSaturated || deps.admission.inFlight > 0,
    isOverloaded: () => deps.admission.isSaturated,
  })
  storeLatencies(every, deps.latencies, deps.upstreamMeasures, storage, Date.now)
  storeRejectedRequests(every, deps.rejectedRequests, storage.rejectedRequests, () => config().retention.requests)
  addUpUsage(every, storage.reports)
  reportRemovals(every, storage.shares, log)
  sweepContents(every, storage.contents)
  sweepMedia(every, deps.mediaStore)
  sweepResponses(every, storage)
  sweepTasks(every, storage)
  sweepSessions(every, storage)
  sweepAttribution(every, storage.attribution, () => config().retention.attribution)
  reportManyValues(every, storage.attribution, log)
  sweepUpstreamLimits(every, storage)
  sweepAuditLog(every, storage.auditLog, () => config().retention.audit)
  clearReceipts(every, storage.ledger, () => config().retention.requests)
  foldFreeRequests(every, storage.ledger)
  sealMonths(every, storage.months)
  archiveMonths(every, storage, config)
  const folders = () =>
    isLeader ? [environment.dataDir, mediaFolder(environment, config()) ?? environment.dataDir] : []
  runAlerts(every, {
    ...deps,
    storage,
    config,
    upstreamHealth,
    folders,
    gateway,
    nodeId: () => deps.node.identity().nodeId,
    monotonic: () => performance.now(),
  })
  runNotices(every, { ...deps, storage, config, gateway })
  const worker = createTaskWorker({ video: videoTasks(deps), response: responseTasks(deps) }, deps)
  // The intervals of tasks are seconds, so a tick is less than one.
  every(TASK_TIMING.tickMs, { name: 'run tasks', scope: 'node', run: () => worker.run() })
  return {
    clusterStatus,
    async stop() {
      await worker.stop()
      await stop()
    },
  }
}
