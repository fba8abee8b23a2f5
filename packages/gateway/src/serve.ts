// `trivium serve`: config -> storage -> app -> listen, then an orderly end.
import { join } from 'node:path'
import { type CidrList, isLoopback, matchesCidrs, networkOf } from '@trivium/http/addresses/client-address.ts'
import { ConnectionLimit } from '@trivium/http/server/connection-limit.ts'
import { descriptorLimit, maxClientConnections, maxIdleUpstreamConnections } from '@trivium/http/system/descriptors.ts'
import { createTicker } from '@trivium/http/ticker.ts'
import { createSandbox } from '@trivium/sandbox/handler.ts'
import { createAccountSecrets } from './access/account-secrets.ts'
import { createCallers } from './access/authenticate.ts'
import { type Catalogue, compileCatalogue } from './access/catalogue.ts'
import { createIds } from './access/ids.ts'
import { createApp } from './app.ts'
import type { CommandContext } from './cli/context.ts'
import { isServerRunning, openControlSocket } from './cli/control-socket.ts'
import { CommandError } from './cli/errors.ts'
import { describeSystemError } from './config/sections/server.ts'
import type { Environment, FileConfig } from './config/types.ts'
import { missingGroupWarnings } from './config/warnings.ts'
import type { watchConfig } from './config/watch.ts'
import { createRegister, LARGEST_BODY } from './console-api/register.ts'
import { type Listener, type ListenOptions, listen } from './listen.ts'
import { errorText, type Log } from './observe/log.ts'
import { writeToStandardError } from './observe/log-writer.ts'
import { type Logs, openLogs } from './observe/logs.ts'
import { createAdmissionGate } from './overload/load-shedding.ts'
import { createQueues } from './overload/queues.ts'
import { createRateLimitCache } from './overload/rate-limit-cache.ts'
import { createFreeAborts } from './paid-call/free-aborts.ts'
import { createUpstreamCalls } from './paid-call/upstream-call.ts'
import { UNCAUGHT_ERROR } from './process/keep-running.mjs'
import { createLifecycle, type Lifecycle } from './process/lifecycle.ts'
import { type Launch, supervise } from './process/supervisor.ts'
import type { Worker } from './process/worker.ts'
import { firstStart } from './startup/first-start.ts'
import { masterSecret } from './startup/master-secret.ts'
import { startSummary } from './startup/start-summary.ts'
import { openJournal } from './storage/journal.ts'
import { joinNode } from './storage/node.ts'
import { createSettler } from './storage/settle.ts'
import { FolderInUse, type Storage } from './storage/storage.ts'
import { createStatistics } from './text/billing/model-statistics.ts'
import type { Dependencies } from './text/dependencies.ts'
import { createSeals } from './text/translation/seals.ts'
import { createUnsupportedFields } from './text/translation/unsupported-fields.ts'
import { auditing, clearingReceipts, pollChanges, reloading, renewing, sweeping, watchNodes } from './upkeep.ts'
import { fetchPublic } from './upstreams/fetch-public.ts'
import { createHealth } from './upstreams/health/health.ts'
import { createRetryBudget } from './upstreams/health/retry-budget.ts'
import { createSend } from './upstreams/send.ts'
import { VERSION } from './version.ts'

const TICK_MS = 250
const WAIT_FOR_FOLDER_MS = 10_000
/** Registrations have no account yet: together they share the slots of one. */
const STRANGERS = { account: -1n, key: -1n }

export type ServeOptions = CommandContext & {
  loadConfig: Parameters<typeof watchConfig>[1]
  /** Starts a process like this one as a worker. */
  launch: Launch
  /** This process is one. */
  worker: Worker | undefined
  /** Called when this process, not being a worker, serves. */
  ready(): void
}

export async function serve(setup: ServeOptions): Promise<void> {
  const { worker } = setup
  const environment = setup.environment()
  const logs = openLogs(
    environment.log,
    process.stderr.isTTY ? 'text' : 'json',
    writeToStandardError,
    (run) => process.on('exit', run),
    worker ? { worker: worker.number } : {},
  )
  const { log } = logs
  const upstreamHealth = createHealth()
  let catalogue = compileCatalogue(setup.config(environment), Date.now(), upstreamHealth)
  if (environment.workers > 1 && !worker) return startWorkers(environment, catalogue.config, setup.launch, log)
  // What one of them says or does for all is the first one's.
  const leads = worker === undefined || worker.number === 1
  if (leads) for (const remark of [...environment.warnings, ...catalogue.config.warnings]) log.warn(remark)
  const storage = await openStorageWhenFree(environment, setup)
  const stops: (() => Promise<void> | void)[] = [() => storage.close()]
  try {
    const parts = await createParts(environment, storage, () => catalogue, logs, stops)
    let listener: Listener | undefined
    const lifecycle = createLifecycle(
      {
        running: () => Math.max(parts.admission.inFlight, listener?.pending ?? 0),
        abortRunning: () => {
          parts.admission.close()
          parts.upstreamSlots.close()
          parts.upstreamCalls.abortAll('shutdown')
        },
        stopAccepting: async () => listener?.stop(false),
        cutConnections: async () => listener?.stop(true),
        drainMs: () => catalogue.config.server.drainMs,
        close: () => closeAll(stops),
      },
      log,
      (code) => process.exit(code),
    )
    const config = () => catalogue.config
    const admit = () => parts.admission.enter({ tenant: STRANGERS, bytes: LARGEST_BODY, isArriving: false })
    const register = createRegister({
      accounts: storage.accounts,
      config,
      after: parts.ticker.after,
      clock: Date.now,
      admit,
      log,
    })
    const nodes = environment.databaseUrl ? watchNodes(storage.nodes) : undefined
    if (nodes) stops.push(nodes.stop)
    const health = {
      ready: () => lifecycle.ready && parts.node.mayDispatch(),
      accepting: () => lifecycle.accepting,
      ...(nodes ? { company: nodes.company } : {}),
    }
    const app = createApp({ ...parts, register }, health)
    const failed = (error: unknown) => log.error('connection failed', { error: String(error) })
    const limit = limitConnections(() => catalogue.trustedProxies, parts.ticker.now, log)
    const { malformed } = parts.requestLog
    const told = { failed, malformed }
    const listenOptions = {
      isDraining: () => lifecycle.stopping,
      ticker: parts.ticker,
      gate: createAdmissionGate(parts),
      limit,
      ...told,
    }
    listener = listenOrExplain(environment, catalogue.config, app, worker, listenOptions)
    const open = listener
    stops.push(() => open.stop(true))
    onSignals(lifecycle, log)
    const use = (config: FileConfig) => {
      catalogue = compileCatalogue(config, Date.now(), upstreamHealth)
      parts.admission.setLimits(config.server.limits)
    }
    const renewal = renewing(listener, log, worker === undefined)
    worker?.answers(({ about, to = 0 }) => {
      if (about === 'renew') return renewal.now()
      if (about === 'steer') return open.steer(to)
      open.retire()
      return true
    })
    const reload = reloading(environment, setup.loadConfig, catalogue.config, use, log, storage.keys)
    stops.push(renewal.stop, reload.stop)
    if (leads)
      stops.push(
        auditing(storage.ledger, log, () => parts.admission.isSaturated),
        sweeping(storage.contents, log),
        clearingReceipts(storage.ledger, () => catalogue.config.retention.requests, log),
      )
    process.on('SIGHUP', () => {
      reload.now()
      // Workers are asked by their parent, all together.
      if (!worker) renewal.now()
    })
    const desk = {
      storage: tellingCallers(storage, parts),
      health: upstreamHealth,
      httpVersionOf: parts.send.httpVersionOf,
    }
    const control = openControlSocket(
      environment.dataDir,
      () => ({ ...desk, config: catalogue.config }),
      worker?.number,
    )
    stops.push(() => control.stop())
    if (!worker || worker.part === 'first') {
      const first = await firstStart(storage, catalogue.config)
      const keyGroups = await storage.keys.countByGroup()
      for (const remark of missingGroupWarnings(keyGroups, catalogue.config)) log.warn(remark)
      const database = setup.describeDatabase(environment)
      const started = { version: VERSION, address: listener.url, environment, catalogue, database, first, keyGroups }
      process.stdout.write(startSummary(started))
    }
    await worker?.listening(listener.port)
    lifecycle.becomeReady()
    process.on('uncaughtException', (error) => endByError(error, log))
    if (!worker) setup.ready()
  } catch (error) {
    await closeAll(stops)
    throw error
  }
}

function startWorkers(environment: Environment, config: FileConfig, launch: Launch, log: Log): void {
  if (process.platform !== 'linux') {
    const instead = 'start several gateways on ports of their own behind a balancer'
    throw new CommandError(
      `TRIVIUM_WORKERS above 1 needs Linux: other systems do not spread a port's calls; ${instead}`,
    )
  }
  const exit = (code: number) => process.exit(code)
  const tls = config.server.tls !== undefined
  const supervisor = supervise({ workers: environment.workers, port: environment.port, tls, launch, log, exit })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => supervisor.stop(signal))
  process.on('SIGHUP', supervisor.reload)
}

/** A command may have the folder for a moment, or a former server may be closing it: only one that serves is final. */
async function openStorageWhenFree(environment: Environment, setup: CommandContext): Promise<Storage> {
  const end = performance.now() + WAIT_FOR_FOLDER_MS
  for (;;) {
    try {
      return await setup.openStorage(environment, { mayCreate: true })
    } catch (error) {
      if (!(error instanceof FolderInUse) || performance.now() >= end) throw error
      if (await isServerRunning(environment.dataDir)) throw error
      await Bun.sleep(50)
    }
  }
}

async function createParts(
  environment: Environment,
  storage: Storage,
  catalogue: () => Catalogue,
  { log, requests: requestLog }: Logs,
  stops: (() => Promise<void> | void)[],
): Promise<Dependencies> {
  const ticker = createTicker(TICK_MS, {
    failed: (error, others) => log.error('a ticker callback failed', { error: errorText(error), others }),
  })
  // Questions to the store are many and nearly all are answered in time: only short pauses are worth a timer.
  const after = (ms: number, run: () => void) => {
    if (ms >= 2 * TICK_MS) return ticker.after(ms, run)
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  }
  const monotonic = () => performance.now()
  const report = (message: string, error?: unknown) =>
    log.warn(message, error === undefined ? {} : { error: String(error) })
  const folder = join(environment.dataDir, 'journal')
  const journal = await openJournal(folder).catch((error) => {
    throw new CommandError(`cannot use the folder ${folder}: ${describeSystemError(error)}`)
  })
  const embedded = environment.databaseUrl === undefined
  const node = await joinNode(storage.ledger, journal, {
    ...{ slots: embedded ? 1 : 1024, takeover: embedded, monotonic, after, report },
    config: () => catalogue().config.hash,
  })
  const settler = createSettler({
    storage: storage.ledger,
    journal,
    clock: ticker,
    after,
    mayDispatch: node.mayDispatch,
    report,
  })
  const turnedAway = createRateLimitCache(monotonic)
  const callers = createCallers(storage.keys, Date.now, { onClear: turnedAway.clear })
  const waiting = createQueues(catalogue().config.server.limits, ticker, log, requestLog.shed)
  const [calm, faulty] = [createSandbox({ faults: false }), createSandbox({ faults: true })]
  // Closed from the last to the first: leaving needs the ticker for its time-outs.
  stops.push(
    () => ticker.stop(),
    () => journal.close(),
    () => node.leave(),
    pollChanges(storage.keys, callers, log),
  )
  const secret = await masterSecret(storage, environment)
  return {
    ...{
      catalogue,
      settler,
      node,
      callers,
      rateLimitCache: turnedAway,
      ticker,
      log,
      requestLog,
      fetchPublic,
      clock: Date.now,
      store: storage,
    },
    ...{ seals: createSeals(secret), accountKeys: createAccountSecrets(secret) },
    ids: createIds(() => node.identity().slot, Date.now),
    statistics: createStatistics(),
    unsupportedFields: createUnsupportedFields(),
    freeAborts: createFreeAborts(monotonic),
    ...{ ...waiting, upstreamCalls: createUpstreamCalls(ticker, waiting.upstreamSlots.freed) },
    retryBudget: createRetryBudget(),
    send: createSend((request) => (faultsAllowed(environment, catalogue().config) ? faulty : calm)(request), {
      now: ticker.now,
      mostIdle: maxIdleUpstreamConnections(descriptorLimit()),
      report: (upstream, code) => log.warn('HTTP/2 failed, HTTP/1.1 for the next 10 minutes', { upstream, code }),
    }),
    random: Math.random,
  }
}

/** Trusted proxies and this machine stand for many clients: their connections are not counted together. */
function limitConnections(trustedProxies: () => CidrList, now: () => number, log: Log): ConnectionLimit {
  const most = maxClientConnections(descriptorLimit())
  return new ConnectionLimit({
    most,
    ownerOf: (address) =>
      isLoopback(address) || matchesCidrs(address, trustedProxies()) ? undefined : networkOf(address),
    now,
    report: (counts) => log.warn('connection limit reached: idle connections are closed', { limit: most, ...counts }),
  })
}

/** Faults break answers on purpose: only where nobody else can ask for them, or where the operator wants them. */
function faultsAllowed(environment: Environment, config: FileConfig): boolean {
  const onlySandbox = [...config.upstreams.values()].every(({ embedded }) => embedded)
  const loopback = environment.host === 'localhost' || isLoopback(environment.host)
  return config.sandbox.faultsWritten ? config.sandbox.faults : onlySandbox && loopback
}

function listenOrExplain(
  environment: Environment,
  config: FileConfig,
  app: ReturnType<typeof createApp>,
  worker: Worker | undefined,
  options: Omit<ListenOptions, 'shared'>,
): Listener {
  const { host, port } = environment
  const { tls } = config.server
  const shared = worker !== undefined
  try {
    // Listeners that share a port (needed to renew a certificate) would share it with a stranger, too: look first.
    const opens = shared ? worker.part === 'first' : tls !== undefined
    if (opens) void Bun.serve({ hostname: host, port, fetch: () => new Response() }).stop(true)
    return listen(host, port, tls, app, { shared, ...options })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const code = error instanceof Error && 'code' in error ? String(error.code) : codeOf(message)
    const reason = LISTEN_REASONS[code] ?? message
    throw new CommandError(`cannot listen on ${host}:${port}: ${reason}`)
  }
}

/** A name that nobody knows fails without a code. */
const codeOf = (message: string): string => (message.startsWith('Failed to listen') ? 'ENOENT' : '')

const LISTEN_REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program is using it; set PORT to a free one',
  EADDRNOTAVAIL: 'this machine does not have that address; set HOST to one that it has, or to 0.0.0.0 for all',
  ENOENT: 'no address is known for that name; set HOST to an address',
  EACCES: 'permission denied; ports below 1024 may need a privilege',
}

/** The same store, but what this process changes itself takes effect at once. */
function tellingCallers(storage: Storage, parts: Dependencies): Storage {
  const { keys, accounts } = storage
  const { callers, rateLimitCache } = parts
  return {
    ...storage,
    keys: {
      ...keys,
      revoke: (key) => keys.revoke(key).finally(callers.clear),
      setTerms: (key, changes) => keys.setTerms(key, changes).finally(callers.clear),
    },
    accounts: {
      ...accounts,
      credit: (...deposit) => accounts.credit(...deposit).finally(rateLimitCache.clear),
      setDisabled: (account, disabled) => accounts.setDisabled(account, disabled).finally(callers.clear),
      setLimits: (account, limits) => accounts.setLimits(account, limits).finally(callers.clear),
    },
  }
}

function onSignals(lifecycle: Lifecycle, log: Log): void {
  process.on('SIGTERM', () => lifecycle.stop('SIGTERM'))
  process.on('SIGINT', () => lifecycle.stop('SIGINT'))
  process.on('unhandledRejection', (error) => log.error('unhandled', { error: String(error) }))
}

/** Nobody knows what still works after it. The parent starts another server. */
function endByError(error: unknown, log: Log): void {
  log.error('uncaught error', { error: errorText(error) })
  process.exit(UNCAUGHT_ERROR)
}

/** In reverse order of opening; one that fails does not keep the others from closing. */
async function closeAll(stops: (() => Promise<void> | void)[]): Promise<void> {
  for (const stop of stops.splice(0).reverse()) {
    try {
      await stop()
    } catch {
      // The process is ending; what could not be closed ends with it.
    }
  }
}
