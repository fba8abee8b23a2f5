// `trivium serve`: configuration -> storage -> app -> listen, and an orderly shutdown.

import { createLink } from './access/secrets/tokens.ts'
import { createApp } from './app.ts'
import { compileCatalogue } from './catalogue/catalogue.ts'
import type { CommandContext } from './cli/context.ts'
import { openControlSocket } from './cli/control-socket.ts'
import { hasRealUpstream } from './config/sandbox.ts'
import type { Environment, FileConfig } from './config/types.ts'
import { missingGroupWarnings } from './config/warnings.ts'
import type { watchConfig } from './config/watch.ts'
import { createMailer, type Mailer } from './console-api/mail/mailer.ts'
import { openConsoleFiles } from './console-files/open-console-files.ts'
import { createConsoleApi } from './create-console-api.ts'
import { createDependencies } from './create-dependencies.ts'
import { auditLedger } from './jobs/audit-ledger.ts'
import { clearReceipts } from './jobs/clear-receipts.ts'
import { createJobs } from './jobs/every.ts'
import { pollChanges } from './jobs/poll-changes.ts'
import { reportRemovals } from './jobs/report-removals.ts'
import { runTasks } from './jobs/run-tasks.ts'
import { storeLatencies } from './jobs/store-latencies.ts'
import { sweepContents } from './jobs/sweep-contents.ts'
import { sweepMedia } from './jobs/sweep-media.ts'
import { sweepResponses } from './jobs/sweep-responses.ts'
import { sweepSessions } from './jobs/sweep-sessions.ts'
import { sweepTasks } from './jobs/sweep-tasks.ts'
import type { Listener } from './listen.ts'
import { mediaFolder } from './media/open-media.ts'
import type { Log } from './observe/log.ts'
import { writeToStandardError } from './observe/log-writer.ts'
import { type Logs, openLogs } from './observe/logs.ts'
import { VERSION } from './observe/version.ts'
import { createConnectionLimit, openListener } from './open-listener.ts'
import { createAdmissionGate } from './overload/load-shedding.ts'
import { Cleanup } from './process/cleanup.ts'
import { createLifecycle, type Lifecycle } from './process/lifecycle.ts'
import { memoryLimit } from './process/memory-limit.ts'
import { exitOnUncaughtError, stopOnSignals } from './process/signals.ts'
import type { Launch } from './process/supervisor.ts'
import type { Worker } from './process/worker.ts'
import type { GatewayDependencies } from './routes.ts'
import { firstStart } from './startup/first-start.ts'
import { openStorageWhenFree } from './startup/open-storage.ts'
import { startSummary } from './startup/start-summary.ts'
import { startWorkers } from './startup/start-workers.ts'
import { takeBackSandboxCredit } from './startup/take-back-sandbox-credit.ts'
import type { Storage } from './storage/storage.ts'
import { reloading, renewing, warnOfUnsharedMedia, watchNodes } from './upkeep.ts'
import { createHealth } from './upstreams/health/health.ts'
import { TASK_TIMING } from './videos/timing.ts'
import { createTaskWorker } from './videos/worker.ts'

export type ServeOptions = CommandContext & {
  loadConfig: Parameters<typeof watchConfig>[1]
  /** Starts another process like this one as a worker. */
  launch: Launch
  /** Set if this process is a worker. */
  worker: Worker | undefined
  /** Called when this process, not being a worker, is ready; for the parent of workers, when all of them listen. */
  ready(): void
}

export async function serve(options: ServeOptions): Promise<void> {
  const { worker } = options
  const environment = options.environment()
  const logs = openLogs(
    environment.log,
    process.stderr.isTTY ? 'text' : 'json',
    writeToStandardError,
    (run) => process.on('exit', run),
    worker ? { worker: worker.number } : {},
  )
  const config = options.config(environment)
  if (environment.workers > 1 && !worker)
    return startWorkers(environment, config, options.launch, logs.log, options.ready)
  if (isLeader(worker)) for (const warning of [...environment.warnings, ...config.warnings]) logs.log.warn(warning)
  const storage = await openStorageWhenFree(environment, options, logs.log)
  const cleanup = new Cleanup()
  cleanup.add(() => storage.close())
  try {
    await start(options, environment, config, storage, logs, cleanup)
  } catch (error) {
    await cleanup.run()
    throw error
  }
}

/** With several workers, the first one logs and runs jobs on behalf of all. */
const isLeader = (worker: Worker | undefined): boolean => worker === undefined || worker.number === 1

async function start(
  options: ServeOptions,
  environment: Environment,
  firstConfig: FileConfig,
  storage: Storage,
  logs: Logs,
  cleanup: Cleanup,
): Promise<void> {
  const { worker } = options
  const { log } = logs
  const upstreamHealth = createHealth()
  let catalogue = compileCatalogue(firstConfig, Date.now(), upstreamHealth)
  const config = () => catalogue.config
  let listener: Listener | undefined
  const listenUrl = () => listener?.url ?? ''
  const deps = await createDependencies(environment, storage, () => catalogue, logs, cleanup, listenUrl)
  const mailer = createMailer(config, log)
  const lifecycle = createServerLifecycle(deps, mailer, () => listener, cleanup)
  const jobs = createJobs({ leases: storage.leases, log })
  cleanup.add(() => jobs.stop())
  const clusterStatus = environment.databaseUrl ? watchNodes(jobs.every, storage.nodes) : undefined
  const health = {
    ready: () => lifecycle.ready && deps.node.mayDispatch(),
    accepting: () => lifecycle.accepting,
    ...(clusterStatus ? { clusterStatus } : {}),
  }
  const consoleApi = createConsoleApi(deps, storage, listenUrl, (http) => app(http), mailer)
  const mediaUrl = () => config().server.publicUrl ?? listenUrl()
  const consoleFiles = openConsoleFiles(environment.dataDir, mediaUrl, log, cleanup)
  const app = createApp({ ...deps, consoleApi, consoleFiles }, health)
  const takenBack = isLeader(worker) ? await takeBackSandboxCredit(storage, firstConfig, log) : undefined
  const opened = openListener(environment, firstConfig, app, worker, {
    isDraining: () => lifecycle.stopping,
    ticker: deps.ticker,
    gate: createAdmissionGate(deps),
    limit: createConnectionLimit(() => catalogue.trustedProxies, deps.ticker.now, log),
    unsentLimit: () => config().server.limits.memoryBytes / 2,
    failed: (error) => log.error('connection failed', { error: String(error) }),
    malformed: deps.requestLog.malformed,
  })
  listener = opened
  cleanup.add(() => opened.stop(true))
  stopOnSignals(lifecycle, log)
  const apply = (config: FileConfig) => {
    catalogue = compileCatalogue(config, Date.now(), upstreamHealth)
    deps.admission.setLimits(config.server.limits)
    storage.shares.setLimits(shareLimits(config))
  }
  let latest = firstConfig
  const use = (next: FileConfig) => {
    latest = next
    if (!hasRealUpstream(next) || hasRealUpstream(config())) return apply(next)
    // The first real upstream serves once no play money can buy from it.
    void takeBackSandboxCredit(storage, next, log)
      .catch((error) => log.error('the trial credit of the sandbox was not taken back', { error: String(error) }))
      .then(() => {
        if (latest === next) apply(next)
      })
  }
  storage.shares.setLimits(shareLimits(firstConfig))
  startRenewals(options, environment, opened, firstConfig, use, storage, log, cleanup)
  pollChanges(jobs.every, storage.keys, deps.callers)
  auditLedger(jobs.every, storage.ledger, log, () => deps.admission.isSaturated)
  storeLatencies(jobs.every, deps.latencies, storage.spending, Date.now)
  reportRemovals(jobs.every, storage.shares, log)
  sweepContents(jobs.every, storage.contents)
  sweepMedia(jobs.every, deps.mediaStore)
  sweepResponses(jobs.every, storage)
  sweepTasks(jobs.every, storage)
  sweepSessions(jobs.every, storage)
  const tasks = createTaskWorker(deps)
  runTasks(jobs.every, TASK_TIMING.tickMs, tasks)
  cleanup.add(() => tasks.stop())
  const folder = mediaFolder(environment, firstConfig)
  if (clusterStatus && folder !== undefined && isLeader(worker)) {
    warnOfUnsharedMedia(jobs.every, folder, environment.workers, clusterStatus, log)
  }
  clearReceipts(jobs.every, storage.ledger, () => config().retention.requests)
  const { httpVersionOf } = deps.send
  const operationContext = () => ({
    storage,
    health: upstreamHealth,
    httpVersionOf,
    config: config(),
    listenUrl: listenUrl(),
    accountSecrets: async () => deps.accountKeys,
  })
  const control = openControlSocket(environment.dataDir, operationContext, worker?.number)
  cleanup.add(() => control.stop())
  if (!worker || worker.role === 'first') {
    const link = async (account: bigint) => (await createLink('setup', account, storage.signIns, Date.now())).token
    const first = await firstStart(storage, config(), link)
    const keyGroups = await storage.keys.countByGroup()
    for (const warning of missingGroupWarnings(keyGroups, config())) log.warn(warning)
    const database = options.describeDatabase(environment)
    const info = {
      version: VERSION,
      address: opened.url,
      environment,
      catalogue,
      database,
      first,
      takenBack,
      keyGroups,
      memory: memoryLimit(),
    }
    process.stdout.write(startSummary(info, process.stdout.isTTY))
  }
  await worker?.listening(opened.port)
  lifecycle.becomeReady()
  exitOnUncaughtError(log)
  if (!worker) options.ready()
  // The other workers find the bundle in the cache when they need it.
  if (isLeader(worker)) consoleFiles.prepare()
}

function shareLimits({ server: { limits } }: FileConfig): Parameters<Storage['shares']['setLimits']>[0] {
  return {
    stored: { accountBytes: limits.storedPerAccountBytes, allBytes: limits.storedBytes },
    media: { accountBytes: limits.mediaPerAccountBytes, allBytes: limits.mediaBytes },
  }
}

function createServerLifecycle(
  deps: GatewayDependencies,
  mailer: Mailer,
  listener: () => Listener | undefined,
  cleanup: Cleanup,
): Lifecycle {
  return createLifecycle(
    {
      running: () => Math.max(deps.admission.inFlight, listener()?.pending ?? 0, mailer.pending),
      hurry: mailer.hurry,
      abortRunning: () => {
        deps.admission.close()
        deps.upstreamQueue.close()
        deps.upstreamCalls.abortAll('shutdown')
        mailer.abandon()
      },
      stopAccepting: async () => listener()?.stop(false),
      cutConnections: async () => listener()?.stop(true),
      drainMs: () => deps.catalogue().config.server.drainMs,
      close: () => cleanup.run(),
    },
    deps.log,
    (code) => process.exit(code),
  )
}

/** Takes up changes of the configuration file and of the certificate, by itself and on SIGHUP. */
function startRenewals(
  { worker, loadConfig }: ServeOptions,
  environment: Environment,
  listener: Listener,
  config: FileConfig,
  use: (config: FileConfig) => void,
  { keys }: Storage,
  log: Log,
  cleanup: Cleanup,
): void {
  const renewal = renewing(listener, log, worker === undefined)
  worker?.answers(({ about, to = 0 }) => {
    if (about === 'renew') return renewal.now()
    if (about === 'steer') return listener.steer(to)
    listener.retire()
    return true
  })
  const reload = reloading(environment, loadConfig, config, use, log, keys)
  cleanup.add(renewal.stop, reload.stop)
  process.on('SIGHUP', () => {
    reload.now()
    // The parent of workers coordinates the renewal of their certificates.
    if (!worker) renewal.now()
  })
}
