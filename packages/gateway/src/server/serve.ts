// `trivium serve`: configuration -> storage -> app -> listen, and an orderly shutdown.

import { Ticking } from '@trivium/http/ticker.ts'
import { createAccountCipher } from '../access/secrets/account-cipher.ts'
import { createApp } from '../app.ts'
import { responseTasks } from '../background/response-tasks.ts'
import type { CommandContext } from '../cli/context.ts'
import { openControlSocket } from '../cli/control-socket.ts'
import { CommandError } from '../cli/errors.ts'
import { describeSystemError } from '../config/system-error.ts'
import type { Environment, FileConfig } from '../config/types.ts'
import { openConsoleFiles } from '../console-files/open-console-files.ts'
import type { GatewayDependencies } from '../handler.ts'
import { startJobs } from '../jobs/index.ts'
import { createMailer, type Mailer } from '../mail/mailer.ts'
import { type Logs, openLogs } from '../observe/logs.ts'
import { createMetrics, type Metrics } from '../observe/metrics/names.ts'
import { VERSION } from '../observe/version.ts'
import { createApiDocuments } from '../openapi/serve-documents.ts'
import type { InForce } from '../operate/configuration/parts.ts'
import type { RunningServer } from '../operate/operation.ts'
import { Cleanup } from '../process/cleanup.ts'
import { watchProcess } from '../process/faults.ts'
import { settlePromise } from '../process/settle-promise.ts'
import { exitOnUncaughtError, stopOnSignals } from '../process/signals.ts'
import type { Launch } from '../process/supervisor.ts'
import type { Worker } from '../process/worker.ts'
import { announceStart } from '../startup/announce-start.ts'
import { openStorageWhenFree } from '../startup/open-storage.ts'
import { startWorkers } from '../startup/start-workers.ts'
import { takeBackSandboxCredit } from '../startup/take-back-sandbox-credit.ts'
import type { Storage } from '../storage/storage.ts'
import { followSwitches } from '../upstreams/health/follow-switches.ts'
import type { Limits } from '../upstreams/limits/limits.ts'
import { videoTasks } from '../videos/video-tasks.ts'
import { collectMetrics } from './collect-metrics.ts'
import { createApis } from './create-apis.ts'
import { createDependencies } from './create-dependencies.ts'
import { createServerLifecycle } from './create-lifecycle.ts'
import type { Listener } from './listen.ts'
import { createLiveConfig, type LiveConfig } from './live-config.ts'
import { openListener } from './open-listener.ts'
import { startRenewals } from './upkeep.ts'

export type ServeOptions = CommandContext & {
  /** Starts another process like this one as a worker. */
  launch: Launch
  /** Set if this process is a worker. */
  worker: Worker | undefined
  /** Called when this process, not being a worker, is ready; for the parent of workers, when all of them listen. */
  ready(): void
}

export async function serve(options: ServeOptions): Promise<void> {
  settlePromise()
  const { worker } = options
  const environment = options.environment()
  const logs = openLogsOf(environment, worker)
  const { config, mistakes } = await fileAlone(options, environment)
  const isParent = environment.workers > 1 && !worker
  const startAll = (config: FileConfig) => startWorkers(environment, config, options.launch, logs.log, options.ready)
  if (isParent && config) return startAll(config)
  // The file may name what is stored. With other mistakes, no empty database is left behind.
  const storage = config
    ? await openStorageWhenFree(environment, options, logs.log)
    : await options.openStorage(environment).catch(() => {
        throw mistakes
      })
  const metrics = createMetrics()
  const cleanup = new Cleanup()
  cleanup.add(() => storage.close())
  try {
    const first = await options.configuration(environment, storage)
    const { warnings } = first.assembled.config
    if (isParent) {
      await cleanup.run()
      return startAll(first.assembled.config)
    }
    if (isLeader(worker)) for (const warning of [...environment.warnings, ...warnings]) logs.log.warn(warning)
    await start(options, environment, first, storage, logs, metrics, cleanup)
  } catch (error) {
    await cleanup.run()
    throw error
  }
}

/** `mistakes`: an error that lists them. */
async function fileAlone(
  options: ServeOptions,
  environment: Environment,
): Promise<{ config?: FileConfig; mistakes?: unknown }> {
  try {
    return { config: await options.config(environment) }
  } catch (mistakes) {
    return { mistakes }
  }
}

function openLogsOf({ log: level, logFormat, logFile: file }: Environment, worker: Worker | undefined): Logs {
  const format = logFormat ?? (file === undefined && process.stderr.isTTY ? 'text' : 'json')
  const onExit = (run: () => void) => void process.on('exit', run)
  try {
    const logs = openLogs({ level, format, file }, onExit, worker ? { worker: worker.number } : {})
    process.on('SIGHUP', logs.reopen)
    return logs
  } catch (error) {
    throw new CommandError(`cannot write the log file ${file} of TRIVIUM_LOG_FILE: ${describeSystemError(error)}`)
  }
}

/** With several workers, the first one logs and runs jobs on behalf of all. */
const isLeader = (worker: Worker | undefined): boolean => worker === undefined || worker.number === 1

async function start(
  options: ServeOptions,
  environment: Environment,
  first: InForce,
  storage: Storage,
  logs: Logs,
  metrics: Metrics,
  cleanup: Cleanup,
): Promise<void> {
  const { worker } = options
  const { log } = logs
  const secrets = await options.masterSecrets(environment, storage)
  const live = createLiveConfig(first, options.assemble, storage, createAccountCipher(secrets), log)
  let listener: Listener | undefined
  const listenUrl = () => listener?.url ?? ''
  const faults = watchProcess(environment, log)
  cleanup.add(faults.stop)
  const deps = await createDependencies(
    environment,
    storage,
    live.catalogue,
    logs,
    metrics,
    cleanup,
    listenUrl,
    faults.check,
  )
  live.onChange(({ server }) => deps.admission.setLimits(server.limits))
  const mailer = createMailer(live.config, log)
  const lifecycle = createServerLifecycle(deps, mailer, () => listener, cleanup)
  const publicUrl = () => live.config().server.publicUrl ?? listenUrl()
  const leads = isLeader(worker)
  await followSwitches(storage, live.upstreamHealth, live.config())
  keepLimits(deps, storage, live.upstreamHealth.limits, cleanup)
  const isReady = () => lifecycle.ready && deps.node.mayDispatch() && faults.list().length === 0
  const readiness = () => ({ ready: isReady(), faults: faults.list() })
  const jobs = startJobs(
    deps,
    storage,
    environment,
    live.config,
    leads,
    live.upstreamHealth,
    publicUrl,
    live,
    readiness,
  )
  cleanup.add(() => jobs.stop())
  const { clusterStatus } = jobs
  const health = {
    ready: isReady,
    accepting: () => lifecycle.accepting,
    ...(clusterStatus ? { clusterStatus } : {}),
  }
  const server: RunningServer = { environment, version: VERSION, startedAt: Date.now(), reload: {} }
  const context = operationContext(deps, storage, live, listenUrl, mailer, readiness, server)
  const { consoleApi, adminApi } = createApis(deps, storage, context, listenUrl, mailer)
  const consoleFiles = openConsoleFiles(environment.dataDir, publicUrl, log, cleanup)
  const scrape = collectMetrics(deps, live, storage, health.ready, () => listener, worker, cleanup)
  const apiDocuments = createApiDocuments(() => deps.catalogue().config.server.admin)
  const app = createApp({ ...deps, consoleApi, adminApi, consoleFiles, apiDocuments, scrape }, health)
  const takenBack = isLeader(worker) ? await takeBackSandboxCredit(storage, live.config(), log) : undefined
  const opened = openListener(environment, app, worker, deps, () => lifecycle.stopping)
  listener = opened
  cleanup.add(() => opened.stop(true))
  stopOnSignals(lifecycle, log)
  startRenewals(worker, live, server, opened, storage, log, metrics, cleanup)
  const control = openControlSocket(environment.dataDir, context, worker?.number)
  cleanup.add(() => control.stop())
  if (!worker || worker.role === 'first') {
    const started = { address: opened.url, database: options.describeDatabase(environment), takenBack }
    await announceStart(started, environment, live.catalogue(), storage, log)
  }
  await worker?.listening(opened.port)
  lifecycle.becomeReady()
  exitOnUncaughtError(log)
  if (!worker) options.ready()
  // The other workers find the bundle in the cache when they need it.
  if (isLeader(worker)) consoleFiles.prepare()
}

/** The store is asked for shares of limits as requests need them. */
function keepLimits(
  { ticker, node, upstreamQueue, log }: GatewayDependencies,
  storage: Storage,
  limits: Limits,
  cleanup: Cleanup,
) {
  const kept = limits.keep({
    store: storage.upstreamLimits,
    nodeId: () => node.identity().nodeId,
    now: ticker.now,
    freed: upstreamQueue.freed,
    failed: (error) => log.warn('limits of upstreams could not be shared', { error: String(error) }),
  })
  const tick = new (class extends Ticking {
    tick = kept.tick
  })()
  ticker.add(tick)
  cleanup.add(() => {
    ticker.remove(tick)
    return kept.stop()
  })
}

/** What operations use that reach this process by its control socket or the admin API. */
function operationContext(
  deps: GatewayDependencies,
  storage: Storage,
  live: LiveConfig,
  listenUrl: () => string,
  mailer: Mailer,
  readiness: () => { ready: boolean; faults: string[] },
  server: RunningServer,
) {
  const { node, send, random, upstreamCalls, upstreamMeasures, ticker } = deps
  const types = { video: videoTasks(deps), response: responseTasks(deps) }
  return () => ({
    storage,
    mailer,
    health: live.upstreamHealth,
    readiness,
    server,
    routing: {
      nodeId: node.identity().nodeId,
      catalogue: live.catalogue(),
      send,
      measures: upstreamMeasures,
      candidates: { random, upstreamCalls, ticker },
    },
    tasks: { types, deps },
    config: live.config(),
    configuration: live,
    listenUrl: listenUrl(),
    accountCipher: async () => deps.accountCipher,
  })
}
