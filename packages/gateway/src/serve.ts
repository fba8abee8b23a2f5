// `trivium serve`: config -> storage -> app -> listen, then an orderly end.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createApp } from './app.ts'
import { UsageError } from './cli/args.ts'
import { openControl } from './cli/control.ts'
import type { Setup } from './cli/run.ts'
import type { Environment, FileConfig } from './config/types.ts'
import { watchConfig } from './config/watch.ts'
import { greeting, readyMadeKey } from './first-start.ts'
import { createAdmission } from './http/admission.ts'
import { isLoopback } from './http/client-address.ts'
import { createTicker } from './http/ticker.ts'
import { createAborts } from './journey/aborts.ts'
import { createCallers } from './journey/authenticate.ts'
import { type Catalogue, compileCatalogue } from './journey/catalogue.ts'
import { createIds } from './journey/ids.ts'
import { createLearned } from './journey/learned.ts'
import type { Parts } from './journey/parts.ts'
import { createWatches } from './journey/watch.ts'
import { createLifecycle, type Lifecycle } from './lifecycle.ts'
import { type Listener, listen } from './listen.ts'
import { createLog, type Log } from './observe/log.ts'
import { createSandbox } from './sandbox/handler.ts'
import { checkFingerprint, masterSecret } from './secret.ts'
import { openJournal } from './storage/journal.ts'
import { joinNode } from './storage/node.ts'
import { createSettler } from './storage/settle.ts'
import type { Storage } from './storage/storage.ts'
import { createSend } from './upstreams/send.ts'
import { VERSION } from './version.ts'

const TICK_MS = 250
const POLL_CHANGES_MS = 1_000
const CHECK_CERTIFICATE_MS = 10_000

export async function serve(setup: Setup & { loadConfig: Parameters<typeof watchConfig>[1] }): Promise<void> {
  const log = createLog((line) => process.stderr.write(line), Date.now)
  const environment = setup.environment()
  if (environment.workers > 1) throw new UsageError('TRIVIUM_WORKERS above 1 comes with a later version')
  let catalogue = compileCatalogue(setup.config(environment), Date.now())
  for (const remark of catalogue.config.remarks) log.warn(remark)
  mkdirSync(environment.dataDir, { recursive: true, mode: 0o700 })
  const storage = await setup.openStorage(environment)
  const stops: (() => Promise<void> | void)[] = [() => storage.close()]
  try {
    await checkFingerprint(storage, masterSecret(environment))
    const parts = await createParts(environment, storage, () => catalogue, log, stops)
    let listener: Listener | undefined
    const lifecycle = createLifecycle(
      {
        running: () => parts.admission.inFlight,
        abortRunning: () => parts.watches.abortAll('shutdown'),
        stopAccepting: async () => listener?.stop(false),
        drainMs: () => catalogue.config.server.drainMs,
        close: () => closeAll(stops),
      },
      log,
      (code) => process.exit(code),
    )
    const app = createApp(parts, {
      ready: () => lifecycle.ready && parts.node.mayDispatch(),
      accepting: () => lifecycle.accepting,
    })
    listener = listenOrExplain(environment, catalogue.config, app)
    const open = listener
    stops.push(() => open.stop(true))
    onSignals(lifecycle, log)
    const use = (config: FileConfig) => {
      catalogue = compileCatalogue(config, Date.now())
      parts.admission.setLimits(config.server.limits)
    }
    stops.push(reloading(environment, setup, catalogue, use, log), renewing(listener, log))
    stops.push(() => control?.stop())
    const control = environment.databaseUrl
      ? undefined
      : openControl(environment.dataDir, () => ({ storage: tellingCallers(storage, parts), config: catalogue.config }))
    const secret = await readyMadeKey(storage, catalogue.config)
    process.stdout.write(greeting(VERSION, catalogue.config.server.publicUrl ?? listener.url, secret))
    lifecycle.becomeReady()
  } catch (error) {
    await closeAll(stops)
    throw error
  }
}

async function createParts(
  environment: Environment,
  storage: Storage,
  catalogue: () => Catalogue,
  log: Log,
  stops: (() => Promise<void> | void)[],
): Promise<Parts> {
  const ticker = createTicker(TICK_MS)
  // Questions to the store are many and nearly all are answered in time: only short pauses are worth a timer.
  const after = (ms: number, run: () => void) => {
    if (ms >= 2 * TICK_MS) return ticker.after(ms, run)
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  }
  const monotonic = () => performance.now()
  const report = (message: string, error?: unknown) =>
    log.warn(message, error === undefined ? {} : { error: String(error) })
  const journal = await openJournal(join(environment.dataDir, 'journal'))
  const embedded = environment.databaseUrl === undefined
  const node = await joinNode(storage, journal, {
    ...{ slots: embedded ? 1 : 1024, takeover: embedded, monotonic, after, report },
    config: () => catalogue().config.hash,
  })
  const settler = createSettler({ storage, journal, monotonic, after, mayDispatch: node.mayDispatch, report })
  const callers = createCallers(storage, Date.now)
  const faults = () => faultsAllowed(environment, catalogue().config)
  // Closed from the last to the first: leaving needs the ticker for its time-outs.
  stops.push(
    () => ticker.stop(),
    () => journal.close(),
    () => node.leave(),
    pollChanges(storage, callers, log),
  )
  return {
    ...{ catalogue, storage, settler, node, callers, ticker, log },
    ids: createIds(() => node.identity().slot, Date.now),
    learned: createLearned(),
    aborts: createAborts(monotonic),
    admission: createAdmission(catalogue().config.server.limits),
    watches: createWatches(ticker),
    send: createSend((request) => createSandbox({ faults: faults() })(request)),
    clock: Date.now,
    random: Math.random,
  }
}

/** Faults break answers on purpose: only where nobody else can ask for them, or where the operator wants them. */
function faultsAllowed(environment: Environment, config: FileConfig): boolean {
  const onlySandbox = [...config.upstreams.values()].every(({ kind }) => kind === 'sandbox')
  const loopback = environment.host === 'localhost' || isLoopback(environment.host)
  return config.sandbox.faultsWritten ? config.sandbox.faults : onlySandbox && loopback
}

function listenOrExplain(environment: Environment, config: FileConfig, app: ReturnType<typeof createApp>): Listener {
  const { host, port } = environment
  try {
    // Listeners that share a port (needed to renew a certificate) would share it with a stranger, too: look first.
    if (config.server.tls) void Bun.serve({ hostname: host, port, fetch: () => new Response() }).stop(true)
    return listen(host, port, config.server.tls, app)
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    const why = taken
      ? 'another program is using it; set PORT to a free one'
      : String(error instanceof Error ? error.message : error)
    throw new UsageError(`cannot listen on ${host}:${port}: ${why}`)
  }
}

/** Other processes change keys and accounts too; within a second or so this one forgets what it remembered. */
function pollChanges(storage: Storage, callers: Parts['callers'], log: Log): () => void {
  let seen: bigint | undefined
  let failing = false
  const timer = setInterval(async () => {
    try {
      const counter = await storage.changeCounter()
      if (counter !== seen) callers.clear()
      seen = counter
      failing = false
    } catch (error) {
      // Not knowing is the same as a change: nobody is admitted on an old memory.
      callers.clear()
      if (!failing) log.warn('changes of keys cannot be read', { error: String(error) })
      failing = true
    }
  }, POLL_CHANGES_MS)
  return () => clearInterval(timer)
}

/** The same store, but what this process changes itself takes effect at once. */
function tellingCallers(storage: Storage, parts: Parts): Storage {
  const telling = Object.create(storage) as Storage
  telling.revokeKey = (key) => storage.revokeKey(key).finally(parts.callers.clear)
  telling.setAccountDisabled = (account, disabled) =>
    storage.setAccountDisabled(account, disabled).finally(parts.callers.clear)
  return telling
}

function reloading(
  environment: Environment,
  setup: { loadConfig: Parameters<typeof watchConfig>[1] },
  catalogue: Catalogue,
  use: (config: FileConfig) => void,
  log: Log,
): () => void {
  if (!environment.configFile) return () => {}
  const watcher = watchConfig(
    environment.configFile,
    setup.loadConfig,
    (config, changes) => {
      use(config)
      log.info('configuration reloaded', { changes: changes.map(({ what }) => what).join('; ') })
      for (const remark of config.remarks) log.warn(remark)
    },
    (mistakes) => {
      for (const { file, line, message } of mistakes)
        log.error('configuration not reloaded', { file, line, mistake: message })
    },
    { running: catalogue.config },
  )
  process.on('SIGHUP', () => void watcher.reload())
  return () => watcher.close()
}

function renewing(listener: Listener, log: Log): () => void {
  const timer = setInterval(() => {
    try {
      if (listener.renewCertificate()) log.info('certificate renewed')
    } catch (error) {
      log.error('the certificate on disk cannot be used; the former one stays', { error: String(error) })
    }
  }, CHECK_CERTIFICATE_MS)
  return () => clearInterval(timer)
}

function onSignals(lifecycle: Lifecycle, log: Log): void {
  process.on('SIGTERM', () => lifecycle.stop('SIGTERM'))
  process.on('SIGINT', () => lifecycle.stop('SIGINT'))
  process.on('unhandledRejection', (error) => log.error('unhandled', { error: String(error) }))
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
